// Digests, records and files.
#include "cache.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace ascendc::source {
namespace {

namespace fs = std::filesystem;

// A file's length and the time of its last change.
std::string state_of(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return "none";
    return std::to_string(found.st_size) + " " + std::to_string(found.st_mtim.tv_sec) + "." + std::to_string(found.st_mtim.tv_nsec);
}

constexpr std::chrono::hours abandoned{1};  // a workplace, by whoever began it

// Removes workplaces that were left, and the libraries of long ago where there is too much.
void tidy(const fs::path& folder) {
    struct Found {
        fs::file_time_type used;
        std::uintmax_t bytes;
        fs::path record, library;
    };
    std::vector<Found> all;
    std::uintmax_t bytes = 0;
    std::error_code error;
    for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
        std::error_code gone;  // another process tidies, too
        const fs::path& path = each->path();
        const fs::file_time_type used = each->last_write_time(gone);
        if (gone) continue;
        if (path.filename().string().starts_with("work-") && each->is_directory(gone)) {
            if (fs::file_time_type::clock::now() - used > abandoned) fs::remove_all(path, gone);
        } else if (path.extension() == ".files") {
            Found one{used, each->file_size(gone), path, fs::path(path).replace_extension(".so")};
            if (const std::uintmax_t more = fs::file_size(one.library, gone); !gone) one.bytes += more;
            bytes += one.bytes;
            all.push_back(std::move(one));
        }
    }
    std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.used < b.used; });
    std::size_t left = all.size();
    for (const Found& one : all) {
        if (left <= most_libraries && bytes <= most_library_bytes) return;
        fs::remove(one.record, error);  // first: a record names a library that is there
        fs::remove(one.library, error);
        bytes -= one.bytes;
        --left;
    }
}

}  // namespace

bool only_ours(const struct stat& found) { return found.st_uid == geteuid() && !(found.st_mode & (S_IWGRP | S_IWOTH)); }

std::string digest(std::string_view text) {
    // Two sums of FNV-1a, over the bytes forwards and backwards.
    constexpr std::uint64_t prime = 1099511628211ull, start = 14695981039346656037ull;
    std::uint64_t forwards = start, backwards = start ^ 0x9e3779b97f4a7c15ull;
    for (std::size_t i = 0; i < text.size(); ++i) {
        forwards = (forwards ^ static_cast<unsigned char>(text[i])) * prime;
        backwards = (backwards ^ static_cast<unsigned char>(text[text.size() - 1 - i])) * prime;
    }
    std::array<char, 33> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(forwards), static_cast<unsigned long long>(backwards));
    return digits.data();
}

std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::filesystem::path& path, std::string_view text) {
    static std::atomic<unsigned> next{0};
    std::filesystem::path beside = path;
    beside += "." + std::to_string(getpid()) + "." + std::to_string(next++);
    {
        std::ofstream file(beside, std::ios::binary);
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
    }
    std::filesystem::rename(beside, path);
}

std::vector<std::string> files_of(std::string_view preprocessed) {
    std::set<std::string> found;
    for (std::size_t at = 0; at != std::string_view::npos; at = preprocessed.find("\n# ", at + 1)) {
        const std::string_view line = preprocessed.substr(at, preprocessed.find('\n', at + 1) - at);
        const std::size_t open = line.find('"'), close = line.rfind('"');
        if (open == close || line[open + 1] == '<') continue;
        found.emplace(line.substr(open + 1, close - open - 1));
    }
    return {found.begin(), found.end()};
}

std::optional<std::filesystem::path> find_cached(const std::filesystem::path& folder, const std::string& key) {
    std::ifstream record(folder / (key + ".files"));
    std::string library, path, state;
    if (!record || !std::getline(record, library)) return std::nullopt;
    while (std::getline(record, path) && std::getline(record, state))
        if (state_of(path) != state) return std::nullopt;
    std::filesystem::path found = folder / library;
    struct stat of_library {};
    if (lstat(found.c_str(), &of_library) != 0 || !S_ISREG(of_library.st_mode) || !only_ours(of_library)) return std::nullopt;
    std::error_code ignored;
    fs::last_write_time(folder / (key + ".files"), fs::file_time_type::clock::now(), ignored);
    return found;
}

void record_cached(const std::filesystem::path& folder, const std::string& key, const std::filesystem::path& library,
                   const std::vector<std::string>& files) {
    std::string text = library.filename().string() + "\n";
    for (const std::string& path : files) text += path + "\n" + state_of(path) + "\n";
    write_text(folder / (key + ".files"), text);
    tidy(folder);
}

}  // namespace ascendc::source
