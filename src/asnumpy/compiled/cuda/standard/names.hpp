// The names of libcu++ as the standard's.
#pragma once
namespace cuda::std {}
namespace std {
using namespace cuda::std;
}
