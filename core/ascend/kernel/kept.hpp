// Binaries of kernels on disk, so that a compiler runs once on a machine: asnumpy/kernels below XDG_CACHE_HOME or ~/.cache, a folder that
// nobody but its owner may write. A file says what it was compiled from, which is compared as a whole, and has a checksum; files
// come whole or not at all, and the oldest go when they become many. What cannot be kept or read is compiled again.
#pragma once

#include <optional>
#include <string>

namespace asnumpy::ascend {

// `origin`: all that decides what a compiler makes: the source, its options, the compiler's version, the chip.
bool is_kept(const std::string& origin);
std::optional<std::string> kept_binary(const std::string& origin);
bool keep_binary(const std::string& origin, const std::string& binary);  // false: it cannot be kept
void drop_binary(const std::string& origin);

}  // namespace asnumpy::ascend
