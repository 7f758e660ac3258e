// Checks that most entry points begin with.
#pragma once

#include "runtime/report.hpp"

namespace cannsim {

// A pointer through which a result or a value goes.
template <class T> void expect_given(const T* pointer, const char* name, int code = ACL_ERROR_INVALID_PARAM) {
    if (!pointer) throw Refusal{code, text(name, ": expected an address, got null")};
}

}  // namespace cannsim
