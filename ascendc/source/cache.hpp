// What was compiled before: a record a request names the files that it read, and the library that it gave.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ascendc::source {

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
