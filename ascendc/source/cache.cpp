// Digests, records and files.
#include "cache.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

namespace ascendc::source {
namespace {

// A file's length and the time of its last change.
std::string state_of(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return "none";
    return std::to_string(found.st_size) + " " + std::to_string(found.st_mtim.tv_sec) + "." + std::to_string(found.st_mtim.tv_nsec);
}

}  // namespace

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
    if (!std::filesystem::exists(found)) return std::nullopt;
    return found;
}

void record_cached(const std::filesystem::path& folder, const std::string& key, const std::filesystem::path& library,
                   const std::vector<std::string>& files) {
    std::string text = library.filename().string() + "\n";
    for (const std::string& path : files) text += path + "\n" + state_of(path) + "\n";
    write_text(folder / (key + ".files"), text);
}

}  // namespace ascendc::source
