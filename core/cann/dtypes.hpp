// The numbers that CANN's interface gives the element types.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/dtype.hpp"

namespace asnumpy::cann {

std::optional<DType> dtype_of_number(int acl);  // none for strings and unknown numbers
int acl_of_dtype(DType);        // -1: CANN has no such type
std::size_t acl_size(int acl);  // bytes of an element; 0: unknown
std::string acl_name(int acl);
// The bit in Parameter::dtypes: asnumpy::DType's number, 13 for complex32; -1: none, the data file does not list the type.
int letter_of_acl(int acl);
int letter_of(DType);

}  // namespace asnumpy::cann
