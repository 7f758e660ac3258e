// What strict mode finds: the rule, the place in the kernel's source, the core and a sentence.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>

namespace ascendc {

// A place in a kernel's source. Every instruction has one as its last, defaulted argument: {__builtin_FILE(), __builtin_LINE()}.
struct Where {
    const char* file = "";
    int line = 0;
};

enum class Rule : std::uint8_t {
    address, bounds, count, length, type, overlap, uninitialised, buffers, queue, race, flag, cache, launch, atomic, state, deadlock,
    assertion, crash, time, unsupported, note
};

// The names under which findings are reported, in the enumeration's order.
constexpr const char* rule_names[] = {"address", "bounds", "count", "length", "type", "overlap", "uninitialised", "buffers", "queue",
                                      "race", "flag", "cache", "launch", "atomic", "state", "deadlock", "assertion", "crash", "time",
                                      "unsupported", "note"};
constexpr const char* name_of(Rule rule) { return rule_names[static_cast<unsigned>(rule)]; }

struct Finding {
    Rule rule;
    std::string kernel;
    std::string core;  // "AIV 3" or "AIC 0"
    Where where;
    std::string text;
};

// Ends a kernel on its core: thrown after a finding, or where another core's finding has ended the launch.
struct Stop {};

template <class... Parts>
std::string join(const Parts&... parts) {
    std::ostringstream stream;
    (stream << ... << parts);
    return stream.str();
}

inline std::string describe(const Finding& finding) {
    return join(finding.kernel, ", ", finding.core, ", ", finding.where.file, ":", finding.where.line, ": [", name_of(finding.rule), "] ",
                finding.text);
}

}  // namespace ascendc
