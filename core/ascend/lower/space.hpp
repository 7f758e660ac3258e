// A launch with its axes put in order and joined: what a program's steps run over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "device/backend.hpp"
#include "program/program.hpp"

namespace asnumpy::ascend {

struct Space {
    Dims shape;
    std::uint64_t reduced = 0;        // a bit per axis
    std::pmr::vector<Operand> operands;  // inputs first; those that are constants have no strides that matter
    std::size_t inputs = 0;

    bool is_reduced(int axis) const { return reduced >> axis & 1; }
    // Drops axes of length 1, turns most operands forwards, orders axes by stride and joins those that are one.
    void normalise();
    void swap(int a, int b);
    // The operand as a tensor, whatever its strides; not for constants. Without axes it has one of length 1.
    Tensor tensor(std::size_t operand, DType) const;

private:
    void erase(int axis);
    bool outer(int a, int b) const;
};

// The launch as it is given, of which so many operands are inputs.
Space space_of(const Launch&, std::size_t inputs, std::pmr::memory_resource& = *std::pmr::get_default_resource());

}  // namespace asnumpy::ascend
