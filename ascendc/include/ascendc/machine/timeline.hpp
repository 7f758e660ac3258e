// What a launch's pipes did when, by the model, in the format of Chrome's trace viewer: a row a pipe of each core.
#pragma once

#include <cstdio>
#include <set>
#include <string>

#include "ascendc/machine/launch.hpp"

namespace ascendc {

inline std::string json_text(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return result + '"';
}
inline std::string json_number(double value) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.9g", value);
    return digits;
}

// The entries of one launch, with commas between them. `process` is its number in the trace, `begin` when it begins, in microseconds.
inline std::string timeline_of(const Launch& launch, double megahertz, unsigned process, double begin = 0) {
    const std::string head = join("{\"pid\":", process, ",");
    std::string result = join(head, "\"ph\":\"M\",\"name\":\"process_name\",\"args\":{\"name\":",
                              json_text(join(launch.kernel, ", blocks: ", launch.blocks, ", modelled: ", json_number(launch.cycles), " cycles, ",
                                             json_number(launch.cycles / megahertz), " us")), "}}");
    std::set<std::uint32_t> rows;
    for (const Event& event : launch.events) {
        const std::uint32_t row = event.core * 8 + index(event.pipe);
        const std::string place = join("\"tid\":", row, ",");
        if (rows.insert(row).second)
            result += join(",\n", head, place, "\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{\"name\":\"",
                           launch.text_of(launch.cores[event.core]), " ", name_of(event.pipe), "\"}}");
        result += join(",\n", head, place, "\"ph\":\"X\",\"cat\":\"", event.stall ? "stall" : "work", "\",\"name\":", json_text(event.name),
                       ",\"ts\":", json_number(begin + event.begin / megahertz), ",\"dur\":", json_number((event.end - event.begin) / megahertz),
                       event.stall ? ",\"cname\":\"grey\"" : event.conflicts > 0 ? ",\"cname\":\"bad\"" : "", ",\"args\":{\"cycles\":",
                       json_number(event.end - event.begin), ",\"bank_conflicts\":", json_number(event.conflicts), ",\"at\":",
                       json_text(join(event.where.file, ":", event.where.line)), "}}");
    }
    return result;
}

}  // namespace ascendc
