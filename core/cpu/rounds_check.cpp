// Whether code for rounds computes what the steps of its programs do, before anything runs it: every operand in memory of its own, elements as far apart
// as the round says, numbers shared out between what is the same in all rounds and the table.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "cpu/checked_values.hpp"
#include "cpu/rounds.hpp"

namespace asnumpy::cpu {
namespace {

// Whole vectors and some elements behind them; lines of those, by the loops around an element.
constexpr std::int64_t checked_line = 37;
constexpr std::array<std::array<std::int64_t, Round::most_axes>, Round::most_axes + 1> checked_lengths{{{1, 1, 1}, {checked_line, 1, 1}, {5, checked_line, 1}, {2, 3, checked_line}}};

// One launch of a part.
struct CheckedPart {
    const Program& program;
    std::array<std::int64_t, Round::most_axes> lengths;
    std::vector<std::array<std::int64_t, Round::most_axes>> strides;  // bytes, by operand
    std::vector<CheckedValues> values, memory;                         // as the steps see them; by operand

    CheckedPart(const Round::Part& part, std::mt19937& random, bool edges_too)
        : program(*part.program), lengths(checked_lengths[static_cast<std::size_t>(part.axes)]), values(static_cast<std::size_t>(program.value_count())), memory(part.strides.size()) {
        for (std::size_t k = 0; k < memory.size(); ++k) {
            const auto item = static_cast<std::int64_t>(itemsize(dtype_of(program, k)));
            auto& apart = strides.emplace_back();
            std::int64_t room = 8 * item;
            for (auto axis = static_cast<std::size_t>(part.axes); axis-- > 0; room *= lengths[axis]) {
                const Stride stride = part.strides[k][axis];
                apart[axis] = stride == Stride::same ? 0 : stride == Stride::next ? item : room;
            }
            memory[k] = {};
            if (k < program.inputs.size()) fill(memory[k], dtype_of(program, k), random, edges_too);
        }
        for (std::size_t k = 0; k < program.inputs.size(); ++k) values[k] = gathered(k);
        compute_steps(program, values);
    }

    std::int64_t elements() const { return lengths[0] * lengths[1] * lengths[2]; }
    CheckedValues gathered(std::size_t operand) const {
        CheckedValues found{};
        const auto item = itemsize(dtype_of(program, operand));
        char* to = found.bytes.data();
        for (std::int64_t i = 0; i < lengths[0]; ++i)
            for (std::int64_t j = 0; j < lengths[1]; ++j)
                for (std::int64_t k = 0; k < lengths[2]; ++k, to += item)
                    std::memcpy(to, memory[operand].bytes.data() + i * strides[operand][0] + j * strides[operand][1] + k * strides[operand][2], item);
        return found;
    }

    bool right() const {
        const std::size_t read = program.inputs.size();
        for (std::size_t k = 0; k < program.stores.size(); ++k)
            if (!same_values(dtype_of(program, read + k), values[program.stores[k].value].bytes.data(), gathered(read + k).bytes.data(), static_cast<std::size_t>(elements()))) return false;
        for (const Reduction& reduction : program.reductions) {
            const DType of = program.dtype(reduction.value);
            alignas(64) std::array<char, 64> wanted{};
            fold(reduction.row, reduction.loop)(wanted.data(), values[reduction.value].bytes.data(), static_cast<std::size_t>(elements()));
            if (begins_with_identity(reduction.row, of)) {
                const Scalar first = neutral(reduction.row, of);
                void* const to[2] = {wanted.data(), nullptr};
                const void* const from[3] = {first.bytes.data(), wanted.data(), nullptr};
                loop(reduction.row, reduction.loop)(to, from, 1);
            }
            if (!same_values(of, wanted.data(), memory.back().bytes.data(), 1)) return false;
        }
        return true;
    }
};

// One product, of matrices in memory of their own.
struct CheckedProduct {
    MatrixProduct product;
    std::array<CheckedValues, 3> memory, wanted;
    std::array<std::int64_t, 9> numbers;

    CheckedProduct(const MatrixProduct& of, std::mt19937& random) : product(of) {
        constexpr std::int64_t rows = 3, columns = 2, sums = 7;
        const auto item = static_cast<std::int64_t>(itemsize(of.dtype));
        numbers = {rows, columns, sums, 8 * item, item, item, 9 * item, 5 * item, 2 * item};
        for (CheckedValues& one : memory) fill(one, of.dtype, random, false);
        wanted = memory;
        product_of(of)(wanted[0].bytes.data(), wanted[1].bytes.data(), wanted[2].bytes.data(), numbers.data());
    }

    bool right() const {
        return std::ranges::equal(memory, wanted, [this](const CheckedValues& a, const CheckedValues& b) { return same_values(product.dtype, a.bytes.data(), b.bytes.data(), checked_elements); });
    }
};

bool computes(const Round& round, RunRounds made, bool edges_too) {
    std::mt19937 random(11);
    std::vector<CheckedPart> parts;
    std::vector<CheckedProduct> products;
    parts.reserve(round.parts.size());
    products.reserve(round.parts.size());
    for (const Round::Part& part : round.parts) {
        if (part.program) parts.emplace_back(part, random, edges_too);
        if (part.product) products.emplace_back(*part.product, random);
    }
    std::vector<char*> bases;
    std::vector<std::int64_t> numbers, table;
    for (const std::int32_t column : round.columns)
        if (column >= static_cast<std::int32_t>(table.size())) table.resize(static_cast<std::size_t>(column) + 1);
    for (std::size_t column = 0; column < table.size(); ++column) table[column] = 1000 + 7 * static_cast<std::int64_t>(column);
    auto checked = parts.begin();
    auto multiplied = products.begin();
    for (const Round::Part& part : round.parts) {
        if (part.is_others()) continue;
        CheckedPart* const one = part.program ? &*checked++ : nullptr;
        CheckedProduct* const product = part.product ? &*multiplied++ : nullptr;
        const std::size_t first = bases.size();
        for (CheckedValues& memory : one ? std::span<CheckedValues>(one->memory) : std::span<CheckedValues>(product->memory)) bases.push_back(memory.bytes.data() - 64);
        each_number(part, [&](Number which, std::size_t operand, int axis) {
            const auto at = static_cast<std::size_t>(axis);
            const std::int64_t number = which == Number::length   ? (one ? one->lengths[at] : product->numbers[at])
                                        : which == Number::base   ? static_cast<std::int64_t>(first + operand)
                                        : which == Number::offset ? 64
                                        : one                     ? one->strides[operand][at]
                                                                  : product->numbers[3 + 2 * operand + at];
            const std::int32_t column = round.columns[numbers.size()];
            numbers.push_back(column < 0 ? number : number - table[static_cast<std::size_t>(column)]);
        });
    }
    made(numbers.data(), table.data(), 1, bases.data(), called_loops(round).data(), called_products(round).data(), [](void*, std::size_t) {}, nullptr);
    const auto right = [](const auto& one) { return one.right(); };
    return std::ranges::all_of(parts, right) && std::ranges::all_of(products, right);
}

}  // namespace

bool computes_round(const Round& round, RunRounds made) { return computes(round, made, true) && computes(round, made, false); }

}  // namespace asnumpy::cpu
