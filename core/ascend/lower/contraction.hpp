// Neighbouring steps as one operator, where CANN has it: what is multiplied and added at once, bounds from both sides,
// casts that an operator does by itself.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ascend/lower/lowering.hpp"
#include "ascend/lower/recipe.hpp"
#include "program/program.hpp"

namespace asnumpy::ascend {

// One operator in the place of several steps.
struct Contraction {
    Recipe recipe;
    // For operators that give the steps' result for some numbers only: whether these are such, and the steps otherwise.
    bool (*fits)(const Scalar& first, const Scalar& second) = nullptr;
    std::array<std::uint8_t, 2> numbers{};  // the inputs that it looks at
    Recipe apart;

    void run(Emitter&, std::span<const Tensor> in, std::span<const Tensor> out) const;
};

// What runs as one: a step of the program, or several.
struct Unit {
    std::array<ValueId, 4> in{};
    std::uint8_t nin = 0, nout = 0;
    ValueId out = 0;                                 // first of nout ids
    const Step* step = nullptr;                      // the last one that it stands for
    const Lowering* lowering = nullptr;              // of a step by itself; null: a copy
    std::shared_ptr<const Contraction> contraction;  // of several

    void run(Emitter&, std::span<const Tensor> in, std::span<const Tensor> out) const;  // not for copies
};

struct Units {
    std::vector<Unit> units;
    std::vector<ValueId> reduced;  // by reduction: the value that it reads, perhaps one that it casts by itself
};

// The program's steps in their order, joined where that is one operator with the same results to the bit; with `round_once`
// also where a float is rounded once instead of twice. `constant`: the inputs that are numbers of the host.
Units contract(const Program&, const std::vector<bool>& constant, bool round_once);

}  // namespace asnumpy::ascend
