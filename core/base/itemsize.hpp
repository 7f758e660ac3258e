// From the size of an element as the running program knows it to one that the compiler knows.
#pragma once

#include <concepts>
#include <cstddef>

namespace asnumpy {

// Calls f.template operator()<bytes>(); the size of every dtype is one of these.
template <class F> decltype(auto) with_itemsize(std::integral auto itemsize, F&& f) {
    switch (itemsize) {
        case 1: return f.template operator()<1>();
        case 2: return f.template operator()<2>();
        case 4: return f.template operator()<4>();
        case 8: return f.template operator()<8>();
        case 16: return f.template operator()<16>();
        default: return f.template operator()<32>();
    }
}

}  // namespace asnumpy
