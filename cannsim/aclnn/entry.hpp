// What the generated entry points call: both phases of every operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/abi.hpp"

namespace cannsim {

// One argument of phase one, as it came.
struct Argument {
    union {
        const void* pointer;
        std::int64_t integer;
        double real;
    };
    Argument(const void* p) : pointer(p) {}
    Argument(bool v) : integer(v) {}
    Argument(std::int8_t v) : integer(v) {}
    Argument(std::int32_t v) : integer(v) {}
    Argument(std::int64_t v) : integer(v) {}
    Argument(std::uint64_t v) : integer(static_cast<std::int64_t>(v)) {}
    Argument(float v) : real(v) {}
    Argument(double v) : real(v) {}
};

int plan(int op, std::span<const Argument>, std::uint64_t* workspace, aclOpExecutor** executor);
int launch(int op, void* workspace, std::uint64_t size, aclOpExecutor* executor, void* stream);

}  // namespace cannsim
