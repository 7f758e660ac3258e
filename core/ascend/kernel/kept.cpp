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
#include "base/error.hpp"

namespace asnumpy::ascend {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view form = "asnumpy kernel 2", unfinished = ".new";
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
    const std::string folder = kept_place();
    if (folder.empty()) return {};
    if (make) {
        std::error_code ignored;
        fs::create_directories(fs::path(folder).parent_path(), ignored);
        mkdir(folder.c_str(), S_IRWXU);
    }
    struct stat found {};
    return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && only_ours(found) ? folder : std::string();
}

std::string name_of(const std::string& source) { return hexadecimal(sum_of(source)) + hexadecimal(sum_of(source, 0x9e3779b97f4a7c15u)); }

std::string path_of(const std::string& folder, const Origin& origin) { return folder + "/" + name_of(origin.source); }

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
            if (got == 0 || (got < 0 && errno != EINTR)) return std::nullopt;
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

std::string head_of(const Origin& origin, std::string_view binary) {
    std::string head(form);
    for (const std::size_t size : {origin.source.size(), origin.compiler.size(), binary.size()}) head += " " + std::to_string(size);
    return head + " " + hexadecimal(sum_of(binary)) + "\n" + origin.source + origin.compiler;
}

// Removes what was begun and left, and the oldest where there is too much.
void tidy(const std::string& folder) {
    struct Found {
        fs::file_time_type used;
        std::uintmax_t bytes;
        fs::path path;
    };
    std::vector<Found> all;
    std::uintmax_t bytes = 0;
    std::error_code error;
    for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
        std::error_code gone;  // another process tidies, too
        const Found one{each->last_write_time(gone), each->file_size(gone), each->path()};
        if (gone) continue;
        if (each->path().extension() == unfinished) {
            if (fs::file_time_type::clock::now() - one.used > abandoned) fs::remove(one.path, gone);
            continue;
        }
        bytes += one.bytes;
        all.push_back(one);
    }
    std::ranges::sort(all, {}, &Found::used);
    std::size_t left = all.size();
    for (const Found& one : all) {
        if (left <= most_files && bytes <= most_kept_bytes) return;
        fs::remove(one.path, error);
        bytes -= one.bytes;
        --left;
    }
}

KeptFile taken_apart(std::string_view text) {
    const std::size_t line = text.find('\n');
    const std::string head(text.substr(0, line));
    std::size_t source = 0, compiler = 0, binary = 0;
    if (line == std::string_view::npos || !head.starts_with(form) || std::sscanf(head.c_str() + form.size(), " %zu %zu %zu", &source, &compiler, &binary) != 3)
        throw ValueError("expected a file that begins with '" + std::string(form) + "'");
    std::string_view rest = text.substr(line + 1);
    if (source > rest.size() || compiler > rest.size() - source || binary != rest.size() - source - compiler)
        throw ValueError("expected " + std::to_string(source) + " + " + std::to_string(compiler) + " + " + std::to_string(binary) + " bytes, got " + std::to_string(rest.size()));
    KeptFile kept{{std::string(rest.substr(0, source)), std::string(rest.substr(source, compiler))}, std::string(rest.substr(source + compiler))};
    if (!text.starts_with(head_of(kept.origin, kept.binary))) throw ValueError("the binary has another checksum than when it was kept");
    return kept;
}

}  // namespace

std::string kept_place() {
    const std::string base = variable("XDG_CACHE_HOME"), home = variable("HOME");
    if (base.empty() && home.empty()) return {};
    return (base.empty() ? home + "/.cache" : base) + "/asnumpy/kernels";
}

KeptFile kept_file(const std::string& path) {
    const File file(path, O_RDONLY);
    const std::optional<std::string> text = file ? file.text() : std::nullopt;
    if (!text) throw ValueError("expected a file of the user's that others cannot write");
    KeptFile kept = taken_apart(*text);
    if (fs::path(path).filename() != name_of(kept.origin.source)) throw ValueError("expected the name that follows from the source, " + name_of(kept.origin.source));
    return kept;
}

std::optional<std::string> kept_binary(const Origin& wanted) {
    const std::string folder = kept_folder(false);
    if (folder.empty()) return std::nullopt;
    const File file(path_of(folder, wanted), O_RDONLY);
    const std::optional<std::string> text = file ? file.text() : std::nullopt;
    if (!text) return std::nullopt;
    try {
        KeptFile found = taken_apart(*text);
        if (found.origin.source != wanted.source || (!wanted.compiler.empty() && found.origin.compiler != wanted.compiler)) return std::nullopt;
        file.touch();
        return std::move(found.binary);
    } catch (const ValueError&) {  // damaged: made again
        return std::nullopt;
    }
}

bool is_kept(const Origin& origin) { return kept_binary(origin).has_value(); }

bool keep_binary(const Origin& origin, const std::string& binary) {
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

void drop_binary(const Origin& origin) {
    const std::string folder = kept_folder(false);
    if (!folder.empty()) unlink(path_of(folder, origin).c_str());
}

}  // namespace asnumpy::ascend
