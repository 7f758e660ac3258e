// Copies of memory whose speed does not depend on where it lies.
#pragma once

#include <cstddef>

namespace asnumpy {

// Like memcpy, and the two may be the same. The C library's copies with `rep movsb` from a few kilobytes on, which on some processors is
// 15 times slower where the target lies less than a line above the source within a page: as a shifted view of an array lies.
void copy_bytes(char* to, const char* from, std::size_t bytes);

}  // namespace asnumpy
