// Versions by their numbers, and the choice among them.
#include "cann/versions.hpp"

#include <atomic>
#include <charconv>

namespace asnumpy::cann {
namespace {

std::atomic<const KnownVersion*> in_use{nullptr};  // null: the newest

}  // namespace

std::optional<std::pair<int, int>> version_numbers(std::string_view text) {
    int major = 0, minor = 0;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, major);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return std::nullopt;
    if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc{}) return std::nullopt;
    return std::pair(major, minor);
}

const KnownVersion& version_for(std::optional<std::pair<int, int>> numbers) {
    if (!numbers) return versions().back();
    const KnownVersion* found = &versions().front();
    for (const KnownVersion& one : versions())
        if (std::pair(one.major, one.minor) <= *numbers) found = &one;
    return *found;
}

const KnownVersion& version_in_use() {
    const KnownVersion* const chosen = in_use.load(std::memory_order_acquire);
    return chosen ? *chosen : versions().back();
}
void use_version(const KnownVersion& version) { in_use.store(&version, std::memory_order_release); }

}  // namespace asnumpy::cann
