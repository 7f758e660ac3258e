// What can be set, by environment variables at the start and by cannsim_set_* later.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace cannsim {

enum class Strict { log, error, abort };

struct Config {
    std::atomic<Strict> strict{Strict::error};   // CANNSIM_STRICT: what a finding does
    std::atomic<int> devices{1};                 // CANNSIM_DEVICES
    std::atomic<std::uint64_t> memory{0};        // CANNSIM_MEMORY: bytes of each device ("8G"); 0: the chip's, or half of the host's
    std::atomic<bool> compute{true};             // CANNSIM_COMPUTE=0: operators check everything and compute nothing
    std::atomic<bool> model_clock{false};        // CANNSIM_CLOCK=model: events report modelled time
    std::atomic<bool> log{false};                // CANNSIM_LOG=1 keeps the calls; a path writes them there at the end
    std::atomic<std::int64_t> lag{0};            // CANNSIM_LAG: microseconds from a task's issue to its start, at least
    std::atomic<int> threads{0};                 // CANNSIM_THREADS: that share a large loop, at most 16; 0: as the machine has
    std::atomic<double> kernel_seconds{60};      // CANNSIM_KERNEL_SECONDS: after which a kernel that has not ended is ended
    std::atomic<bool> trace{false};              // CANNSIM_TRACE=1 keeps what the pipes of kernels did when; a path writes it there
    std::string log_path;
    std::string trace_path;
    std::string report_path;                     // CANNSIM_REPORT: the report is written there when the process ends
    std::string findings_path;                   // CANNSIM_FINDINGS: each finding is appended there too

    // False when there is no such setting or the value makes no sense; the environment's names without CANNSIM_.
    bool set(std::string_view name, std::string_view value);
};

Config& config();

}  // namespace cannsim
