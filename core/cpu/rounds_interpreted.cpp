// Addresses from the numbers, values in slots of 16 bytes, one call of a loop a step.
#include "cpu/rounds_interpreted.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace asnumpy::cpu {

namespace {

// A value of any dtype that rounds have, aligned for all of them.
struct alignas(16) Value {
    std::array<char, 16> bytes;
};

// Compilers make one instruction of each.
void copy_element(void* to, const void* from, std::uint32_t bytes) {
    switch (bytes) {
        case 1: std::memcpy(to, from, 1); break;
        case 2: std::memcpy(to, from, 2); break;
        case 4: std::memcpy(to, from, 4); break;
        case 8: std::memcpy(to, from, 8); break;
        default: std::memcpy(to, from, 16); break;
    }
}

std::vector<Value>& values_of_this_thread(std::size_t count) {
    thread_local std::vector<Value> values;
    if (values.size() < count) values.resize(count);
    return values;
}

}  // namespace

InterpretedRounds::InterpretedRounds(const Round& round) {
    std::uint32_t next = 0;
    const auto term = [&] {
        const std::int32_t column = round.columns[next];
        width_ = std::max(width_, static_cast<std::size_t>(column + 1));
        return Term{next++, column};
    };
    for (const Round::Part& common : round.parts) {
        Part& part = parts_.emplace_back();
        part.operands.resize(common.strides.size());
        std::vector<Term> lengths, strides;
        each_number(common, [&](Number which, std::size_t operand, int) {
            const Term one = term();
            switch (which) {
                case Number::length: lengths.push_back(one); break;
                case Number::base: part.operands[operand].base = one; break;
                case Number::offset: part.operands[operand].offset = one; break;
                case Number::stride: strides.push_back(one); break;
            }
        });
        if (common.product) {
            part.kind = Kind::product;
            part.product = product_of(*common.product);
            part.sizes = std::move(lengths);
            part.sizes.insert(part.sizes.end(), strides.begin(), strides.end());
        } else if (common.program && common.axes == 0) {
            const Program& program = *common.program;
            part.kind = Kind::element;
            part.inputs = program.inputs.size();
            for (const Step& step : program.steps) part.calls.push_back({loop(step.row, step.loop), step.out, step.in});
            for (const Store& store : program.stores) part.stores.push_back(store.value);
            for (std::size_t k = 0; k < part.operands.size(); ++k)
                part.operands[k].bytes = static_cast<std::uint32_t>(itemsize(k < part.inputs ? program.inputs[k] : program.dtype(program.stores[k - part.inputs].value)));
            most_values_ = std::max(most_values_, static_cast<std::size_t>(program.value_count()) + 1);  // a step's second result
        }
    }
}

void InterpretedRounds::run_element(const Part& part, const std::int64_t* numbers, const std::int64_t* row, char* const* bases) const {
    const auto at = [&](const Place& place) { return place.in(numbers, row, bases); };
    Value* const values = values_of_this_thread(most_values_).data();
    // All are read before the first is written: an output may be where an input is.
    for (std::size_t k = 0; k < part.inputs; ++k) copy_element(&values[k], at(part.operands[k]), part.operands[k].bytes);
    for (const Call& call : part.calls) {
        void* const out[2] = {&values[call.out], &values[call.out + 1]};
        const void* const in[3] = {&values[call.in[0]], &values[call.in[1]], &values[call.in[2]]};
        call.loop(out, in, 1);
    }
    for (std::size_t k = 0; k < part.stores.size(); ++k) {
        const Place& place = part.operands[part.inputs + k];
        copy_element(at(place), &values[part.stores[k]], place.bytes);
    }
}

void InterpretedRounds::run_product(const Part& part, const std::int64_t* numbers, const std::int64_t* row, char* const* bases) const {
    std::array<std::int64_t, 9> sizes;
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = part.sizes[k].in(numbers, row);
    const auto at = [&](std::size_t operand) { return part.operands[operand].in(numbers, row, bases); };
    part.product(at(0), at(1), at(2), sizes.data());
}

void InterpretedRounds::run(const std::int64_t* numbers, const std::int64_t* table, std::size_t rounds, char* const* bases, OtherPart other, void* context) const {
    for (std::size_t round = 0; round < rounds; ++round, table += width_) {
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            switch (parts_[k].kind) {
                case Kind::element: run_element(parts_[k], numbers, table, bases); break;
                case Kind::product: run_product(parts_[k], numbers, table, bases); break;
                case Kind::other: other(context, round * parts_.size() + k); break;
            }
        }
    }
}

}  // namespace asnumpy::cpu
