// A launch without a simulator: one C function in a compiled kernel, for programs and tests that load it.
#pragma once

#include "ascendc/launch/entry.hpp"
#include "ascendc/machine/run.hpp"
#include "ascendc/machine/timeline.hpp"

// The C form of a kernel for one core kind: 0: done, 1: ended by a finding.
#define ASCENDC_EXPORT(name)                                                                                                     \
    extern "C" __attribute__((visibility("default"))) int ascendc_kernel_##name(ascendc::Core* core, const void* arguments, std::size_t bytes) { \
        return ascendc::run_kernel(*core, name, arguments, bytes);                                                              \
    }

extern "C" {

using ascendc_kernel = int (*)(ascendc::Core*, const void*, std::size_t);

struct ascendc_range {
    void* begin;
    std::size_t bytes;
};

// Runs `blocks` blocks of a kernel on this process's memory; `ranges` are what it may use of it, all where there are none.
// `kind`: 0 vector, 1 cube, 2 one vector core a cube core, 3 two. Gives the number of findings; `report` gets them, a line each,
// and the modelled cycles are written to `cycles`. What the pipes did when goes to the file `trace`; null: nowhere.
__attribute__((visibility("default"))) inline std::size_t ascendc_plain_launch(
    const char* name, int kind, std::uint32_t blocks, ascendc_kernel vector, ascendc_kernel cube, const void* arguments, std::size_t bytes,
    const ascendc_range* ranges, std::size_t range_count, double seconds, char* report, std::size_t report_bytes, double* cycles,
    const char* trace) {
    ascendc::PlainHost host;
    for (std::size_t i = 0; i < range_count; ++i) host.add(ranges[i].begin, ranges[i].bytes);
    ascendc::Options options;
    options.seconds = seconds;
    options.trace = trace != nullptr;
    ascendc::Launch launch(host, options, name, static_cast<ascendc::Kind>(kind), blocks);
    const auto entry = [&](ascendc_kernel kernel) {
        return [=](ascendc::Core& core) { return kernel(&core, arguments, bytes); };
    };
    launch.run(entry(vector), entry(cube));
    std::string text;
    for (const ascendc::Finding& finding : launch.findings) text += describe(finding) + "\n";
    if (report_bytes) {
        const std::size_t n = std::min(text.size(), report_bytes - 1);
        std::memcpy(report, text.data(), n);
        report[n] = 0;
    }
    if (cycles) *cycles = launch.cycles;
    if (std::FILE* const file = trace ? std::fopen(trace, "w") : nullptr) {
        constexpr double megahertz = 1800;
        std::fprintf(file, "{\"traceEvents\":[%s]}\n", ascendc::timeline_of(launch, megahertz, 1).c_str());
        std::fclose(file);
    }
    return launch.findings.size();
}

}  // extern "C"
