// What was compiled before: a record a request names the files that it read, and the library that it gave. Where there are too many, or too
// many bytes, those go whose last use is longest ago.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace ascendc::source {

inline constexpr std::size_t most_libraries = 1024;
inline constexpr std::uintmax_t most_library_bytes = std::uintmax_t{512} << 20;

// Whether a file or folder is the user's, and others cannot write it.
bool only_ours(const struct stat&);

std::string digest(std::string_view text);  // 32 hexadecimal digits

// The library of an earlier request with this key, where all files that it read are as they were.
std::optional<std::filesystem::path> find_cached(const std::filesystem::path& folder, const std::string& key);
void record_cached(const std::filesystem::path& folder, const std::string& key, const std::filesystem::path& library,
                   const std::vector<std::string>& files);

// The files that line markers of preprocessed text name.
std::vector<std::string> files_of(std::string_view preprocessed);

std::string read_text(const std::filesystem::path&);
// Whole or not at all.
void write_text(const std::filesystem::path&, std::string_view);

}  // namespace ascendc::source
