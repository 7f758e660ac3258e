// Binaries of kernels on disk, so that a compiler runs once on a machine: asnumpy/kernels below XDG_CACHE_HOME or ~/.cache, a folder that
// nobody but its owner may write. A file says what it was compiled from and by what, which is compared as a whole, and has a checksum; files
// come whole or not at all, and those go whose last use is longest ago when they become many. What cannot be kept or read is compiled again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace asnumpy::ascend {

struct Origin {
    std::string source;    // all that decides what a compiler makes: the text, its options, for which chip
    std::string compiler;  // which one; empty: there is none here, and what another one has made will do
};

struct KeptFile {
    Origin origin;
    std::string binary;
};

inline constexpr std::size_t most_files = 1024;  // of more, and of more bytes, those go whose last use is longest ago
inline constexpr std::uintmax_t most_kept_bytes = std::uintmax_t{256} << 20;

std::string kept_place();                    // the folder, whether or not it is there and may be used; empty: the user has none
KeptFile kept_file(const std::string& path);     // a file of the folder; a ValueError says what is wrong with it

bool is_kept(const Origin&);
std::optional<std::string> kept_binary(const Origin&);
bool keep_binary(const Origin&, const std::string& binary);  // false: it cannot be kept
void drop_binary(const Origin&);

}  // namespace asnumpy::ascend
