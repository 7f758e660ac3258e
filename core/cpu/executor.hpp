// Runs programs tile by tile, chunks of tiles shared between threads.
#pragma once

#include <chrono>
#include <memory>

#include "device/backend.hpp"
#include "program/program.hpp"

namespace asnumpy::cpu {

struct Resolved;

// A program made ready to run: loops looked up, tile slots assigned by liveness. Shared by threads. How long it has run decides
// when it wants machine code for its strands (cpu/code.hpp); once that is there, some runs compare, and the quicker way stays. The results
// are the same.
class Plan {
public:
    explicit Plan(const Program&);
    ~Plan();
    Plan(Plan&&) noexcept;
    void run(const Launch&) const;
    std::unique_ptr<PreparedLaunch> prepare(const Launch&) const;  // prepared.cpp
    const Resolved& resolved() const;  // what runs now; valid as long as the plan
    void look_at(const Launch&) const;   // code will suit it, too; without addresses
    bool awaits_code(bool asked) const;  // it would wait for code that is wanted, where the mode is to wait, or somebody asks for it

    // What the next run takes, whether note() is to be told how long it was, and whether that decides which of two is the quicker one.
    struct Turn {
        const Resolved* plan;
        bool timed, compared = false;
    };
    Turn next() const;
    void note(const Turn&, std::int64_t points, std::chrono::nanoseconds) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// A number that changes when a plan may be resolved() to another program than before.
std::uint32_t plan_changes();

}  // namespace asnumpy::cpu
