// Names of the codes that CANN's functions return.
#pragma once

namespace asnumpy::cann {

const char* code_name(int code);  // null for an unknown code

}  // namespace asnumpy::cann
