// Runs programs tile by tile, chunks of tiles shared between threads.
#pragma once

#include <memory>

#include "program/program.hpp"

namespace asnumpy::cpu {

struct Resolved;

// A program made ready to run: loops looked up, tile slots assigned by liveness. Immutable; shared by threads.
class Plan {
public:
    explicit Plan(const Program&);
    ~Plan();
    Plan(Plan&&) noexcept;
    void run(const Launch&) const;
    const Resolved& resolved() const { return *resolved_; }

private:
    std::unique_ptr<const Resolved> resolved_;
};

}  // namespace asnumpy::cpu
