// The versions of CANN that the facts tell apart, and the one whose facts are in use.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace asnumpy::cann {

struct KnownVersion {
    const char* name;    // "8.1"
    int major, minor;
    bool newest;         // which facts hold: those of the newest documents and sources, or those of 8.1's headers
    const char* sure;    // where they come from
};
std::span<const KnownVersion> versions();  // the oldest first

// Major and minor number of "8.1.RC1"; none where the text does not begin with two numbers.
std::optional<std::pair<int, int>> version_numbers(std::string_view text);
// The latest that is not newer: for one between two of them the older, for one before all the oldest, for none the newest.
const KnownVersion& version_for(std::optional<std::pair<int, int>> numbers);

// Of this process; at first the newest. What was derived from the facts before a change is wrong after it.
const KnownVersion& version_in_use();
void use_version(const KnownVersion&);

}  // namespace asnumpy::cann
