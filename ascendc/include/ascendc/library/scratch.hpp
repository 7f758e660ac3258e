// Functions of the library are made of many instructions on the device. Here each is one, exact to rounding, with the same rules
// for what it uses: a temporary tensor holds rubbish behind it, and without one the rest of UB does.
#pragma once

#include <vector>

#include "ascendc/tensor/tpipe.hpp"
#include "ascendc/vector/compute.hpp"

namespace ascendc {

// Bytes of temporary that a function asks for at least: this library's own figure, `nodes` repeats that live at a time.
constexpr std::uint32_t scratch_bytes(std::uint32_t nodes) { return nodes * repeat_bytes; }

// An operand that may be missing, as a postponed call keeps it.
template <class T>
class KeptTensor {
public:
    explicit KeptTensor(const AscendC::LocalTensor<T>* tensor) : given_(tensor) {
        if (tensor) tensor_ = *tensor;
    }
    const AscendC::LocalTensor<T>* get() const { return given_ ? &tensor_ : nullptr; }

private:
    AscendC::LocalTensor<T> tensor_;
    bool given_;
};

// A function computes nothing on a cube core.
constexpr bool computes_here = g_coreType != AscendC::AIC;

inline void use_scratch(Instruction& at, const AscendC::LocalTensor<std::uint8_t>& scratch, std::uint32_t nodes) {
    const auto held = operand(at, scratch, "sharedTmpBuffer");
    const std::uint32_t bytes = scratch.place().bytes;
    if (bytes < scratch_bytes(nodes))
        at.fail(Rule::buffers, "is given a temporary of ", bytes, " bytes; it takes at least ", scratch_bytes(nodes));
    if (held.address + bytes > held.memory->size()) at.fail(Rule::bounds, "is given a temporary that ends behind UB");
    at.uses(*held.memory, held.address, bytes, true);
    held.memory->set_unwritten(held.address, bytes);
}

// Without a temporary: what no buffer takes of UB.
inline void use_rest(Instruction& at, std::uint32_t nodes) {
    if (!at.core.pipe_object) return;
    const std::uint32_t taken = at.core.pipe_object->taken(AscendC::Hardware::UB);
    if (AscendC::TOTAL_UB_SIZE - taken < scratch_bytes(nodes))
        at.fail(Rule::buffers, "finds ", AscendC::TOTAL_UB_SIZE - taken, " bytes of UB that no buffer takes; it takes at least ",
                scratch_bytes(nodes), " as a temporary, or a sharedTmpBuffer");
}

// A source that the function may overwrite holds rubbish behind it.
template <class T>
void spoil(Instruction& at, const AscendC::LocalTensor<T>& source, std::uint32_t elements) {
    LocalMemory& memory = at.core.memory(source.place().memory);
    const auto bytes = static_cast<std::uint32_t>(bytes_of<T>(elements));
    at.uses(memory, source.place().address, bytes, true);
    memory.set_unwritten(source.place().address, bytes);
}

template <class T>
inline constexpr bool is_float = one_of<T, half, float>;

// Lanes of float and half are computed in double and rounded once.
template <class T, class F>
struct Exactly {
    F f;
    template <class... Values>
    T operator()(Values... values) const {
        if constexpr (is_float<T>) return static_cast<T>(static_cast<float>(f(static_cast<double>(static_cast<float>(values))...)));
        else return static_cast<T>(f(values...));
    }
};
template <class T, class F>
Exactly<T, F> exactly(F f) { return {f}; }

// What a modelled function costs: instructions of a repeat.
constexpr double function_rate = 16;

// A matrix in a tensor, row by row or in fractals of 16 columns.
struct Layout {
    std::uint32_t rows = 0;
    std::uint32_t pitch = 0;
    bool fractal = false;

    std::uint32_t at(std::uint32_t row, std::uint32_t column) const {
        return fractal ? column / 16 * rows * 16 + row * 16 + column % 16 : row * pitch + column;
    }
};

// A tensor as a function reads or writes it: single elements, after one check of the whole.
template <class T>
class Elements {
public:
    Elements(Instruction& at, const AscendC::LocalTensor<T>& tensor, const char* name, std::uint64_t elements, bool write)
        : memory_(at.core.memory(AscendC::Hardware::UB)), address_(tensor.place().address) {
        const auto held = operand(at, tensor, name);
        const std::uint64_t end = address_ + bytes_of<T>(elements);
        if (end > tensor.place().end || end > memory_.size())
            at.fail(Rule::bounds, "uses ", elements, " elements of ", name, ", whose buffer has ", (tensor.place().end - address_) / sizeof(T));
        at.uses(*held.memory, address_, static_cast<std::uint32_t>(bytes_of<T>(elements)), write);
    }
    double get(std::uint32_t i) const {
        T value;
        std::memcpy(&value, memory_.at(byte(i)), sizeof(T));
        if constexpr (std::is_integral_v<T>) return static_cast<double>(value);
        else return static_cast<double>(static_cast<float>(value));
    }
    void set(std::uint32_t i, double value, bool written) {
        T rounded;
        if constexpr (std::is_integral_v<T>) rounded = static_cast<T>(value);
        else rounded = static_cast<T>(static_cast<float>(value));
        std::memcpy(memory_.at(byte(i)), &rounded, sizeof(T));
        if (written) memory_.set_written(byte(i), sizeof(T));
        else memory_.set_unwritten(byte(i), sizeof(T));
    }
    bool written(std::uint32_t i) const { return !memory_.any_unwritten(byte(i), sizeof(T)); }

private:
    std::uint32_t byte(std::uint32_t i) const { return address_ + i * static_cast<std::uint32_t>(sizeof(T)); }

    LocalMemory& memory_;
    std::uint32_t address_;
};

}  // namespace ascendc
