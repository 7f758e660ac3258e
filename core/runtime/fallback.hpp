// What leaves a device for the host: work that runs there and copies, counted, and reported once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/queue.hpp"

namespace asnumpy {

// An operation of the engine's that the device lacks, a call of NumPy's or SciPy's, a copy that the language implies.
enum class FallbackKind : std::uint8_t { operation, call, copy };

struct Fallback {
    FallbackKind kind = FallbackKind::operation;
    std::string function, dtypes, device, reason;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  // that go to the host and back
    bool notable = false;     // whether one of them was
};

enum class FallbackPolicy : std::uint8_t { count, warn, error };
void set_fallback_policy(FallbackPolicy);
std::vector<Fallback> fallbacks();  // those of most bytes first
void forget_fallbacks();
// Counts one; true for the first of its kind that is notable.
bool note_fallback(FallbackKind, std::string_view function, std::string_view dtypes, std::string_view device, std::string_view reason,
                   std::uint64_t bytes, bool notable = true);

// Counts one; the policy may make it a RuntimeFailure, or have the host report the first of its kind. Called by who
// holds the interpreter's lock and none of the queue's.
void count_fallback(FallbackKind, std::string_view function, std::string_view dtypes, std::string_view device, std::string_view reason,
                    std::uint64_t bytes);

// Whether the device of its output computes the instruction.
bool computed_by_device(const Instruction&);
void count_fallback(const Instruction&);
// Whether the host does it sooner though the device computes it; counted then, and not reported.
bool quicker_on_host(const Instruction&);
// A recorded instruction whose device has found that it does not compute it (Uncomputed): the host will, counted; what was refused
// is reported by report_news. False: the device computes it. RuntimeFailure where the policy is error.
bool leave_to_host(Instruction&);
// Tells once of each call that a device has refused (device/demotion.hpp), and that a program spends its time on slow cores
// (device/slow_cores.hpp). By who holds the interpreter's lock, and no other.
void report_news();
// Runs it on the CPU, on copies; what it writes goes back. Its inputs have their values.
void run_on_host(const Instruction&);

}  // namespace asnumpy
