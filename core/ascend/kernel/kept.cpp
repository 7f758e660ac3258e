// The folder, its files, and their form.
#include "ascend/kernel/kept.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ascend/library/places.hpp"

namespace asnumpy::ascend {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 64;
constexpr std::uintmax_t most_kept_bytes = std::uintmax_t{64} << 20;
constexpr std::string_view form = "asnumpy kernel 1", unfinished = ".new";
constexpr std::chrono::hours abandoned{1};  // an unfinished file, by whoever began it

std::uint64_t sum_of(std::string_view text, std::uint64_t sum = 14695981039346656037u) {
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return sum;
}
std::string hexadecimal(std::uint64_t value) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
    return text.data();
}

// Nobody else may put something there that would be run.
bool only_ours(const struct stat& found) { return found.st_uid == geteuid() && !(found.st_mode & (S_IWGRP | S_IWOTH)); }

// Empty: there is none that may be used.
std::string kept_folder(bool make) {
    std::string base = variable("XDG_CACHE_HOME");
    if (base.empty()) {
        if (variable("HOME").empty()) return {};
        base = variable("HOME") + "/.cache";
    }
    const std::string folder = base + "/asnumpy/kernels";
    if (make) {
        std::error_code ignored;
        fs::create_directories(base + "/asnumpy", ignored);
        mkdir(folder.c_str(), S_IRWXU);
    }
    struct stat found {};
    return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && only_ours(found) ? folder : std::string();
}

std::string path_of(const std::string& folder, const std::string& origin) {
    return folder + "/" + hexadecimal(sum_of(origin)) + hexadecimal(sum_of(origin, 0x9e3779b97f4a7c15u));
}

class File {
public:
    File(const std::string& path, int flags) : number_(open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)) {}
    ~File() {
        if (number_ >= 0) close(number_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    explicit operator bool() const { return number_ >= 0; }

    std::optional<std::string> text() const {
        struct stat found {};
        if (fstat(number_, &found) || !S_ISREG(found.st_mode) || !only_ours(found) || static_cast<std::uintmax_t>(found.st_size) > most_kept_bytes) return std::nullopt;
        std::string all(static_cast<std::size_t>(found.st_size), '\0');
        for (std::size_t at = 0; at < all.size();) {
            const ssize_t got = read(number_, all.data() + at, all.size() - at);
            if (got <= 0 && errno != EINTR) return std::nullopt;
            if (got > 0) at += static_cast<std::size_t>(got);
        }
        return all;
    }
    bool write_all(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t put = write(number_, text.data(), text.size());
            if (put < 0 && errno != EINTR) return false;
            if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
        }
        return true;
    }
    void touch() const { futimens(number_, nullptr); }

private:
    const int number_;
};

std::string head_of(const std::string& origin, std::string_view binary) {
    return std::string(form) + " " + std::to_string(origin.size()) + " " + std::to_string(binary.size()) + " " + hexadecimal(sum_of(binary)) + "\n" + origin;
}

// Removes what was begun and left, and the oldest where there is too much.
void tidy(const std::string& folder) {
    struct Kept {
        fs::file_time_type used;
        std::uintmax_t bytes;
        fs::path path;
    };
    std::vector<Kept> all;
    std::uintmax_t bytes = 0;
    std::error_code error;
    for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
        std::error_code gone;  // another process tidies, too
        const Kept one{each->last_write_time(gone), each->file_size(gone), each->path()};
        if (gone) continue;
        if (each->path().extension() == unfinished) {
            if (fs::file_time_type::clock::now() - one.used > abandoned) fs::remove(one.path, gone);
            continue;
        }
        bytes += one.bytes;
        all.push_back(one);
    }
    std::ranges::sort(all, {}, &Kept::used);
    std::size_t left = all.size();
    for (const Kept& one : all) {
        if (left <= most_files && bytes <= most_kept_bytes) return;
        fs::remove(one.path, error);
        bytes -= one.bytes;
        --left;
    }
}

}  // namespace

std::optional<std::string> kept_binary(const std::string& origin) {
    const std::string folder = kept_folder(false);
    if (folder.empty()) return std::nullopt;
    const File file(path_of(folder, origin), O_RDONLY);
    if (!file) return std::nullopt;
    std::optional<std::string> text = file.text();
    if (!text) return std::nullopt;
    const std::size_t head = text->find('\n') == std::string::npos ? text->size() : text->find('\n') + 1 + origin.size();
    if (head > text->size() || !text->starts_with(head_of(origin, std::string_view(*text).substr(head)))) return std::nullopt;
    file.touch();
    return text->substr(head);
}

bool is_kept(const std::string& origin) { return kept_binary(origin).has_value(); }

bool keep_binary(const std::string& origin, const std::string& binary) {
    static std::atomic<unsigned> next{0};
    const std::string folder = kept_folder(true);
    if (folder.empty()) return false;
    const std::string path = path_of(folder, origin), beside = path + "." + std::to_string(getpid()) + "." + std::to_string(next++) + std::string(unfinished);
    bool whole = false;
    {
        const File file(beside, O_WRONLY | O_CREAT | O_EXCL);
        if (!file) return false;
        whole = file.write_all(head_of(origin, binary)) && file.write_all(binary);
    }
    if (!whole || rename(beside.c_str(), path.c_str())) {
        unlink(beside.c_str());
        return false;
    }
    tidy(folder);
    return true;
}

void drop_binary(const std::string& origin) {
    const std::string folder = kept_folder(false);
    if (!folder.empty()) unlink(path_of(folder, origin).c_str());
}

}  // namespace asnumpy::ascend
