// LocalTensor: a typed piece of a core's local memory; a handle that is copied freely.
#pragma once

#include <initializer_list>

#include "ascendc/base/numbers.hpp"
#include "ascendc/machine/instruction.hpp"

namespace ascendc {

// Which memory a position lies in; positions of global memory have none.
constexpr AscendC::Hardware hardware_of(AscendC::TPosition position) {
    using P = AscendC::TPosition;
    using H = AscendC::Hardware;
    switch (position) {
        case P::A1: case P::B1: case P::C1: case P::TSCM: return H::L1;
        case P::A2: return H::L0A;
        case P::B2: return H::L0B;
        case P::CO1: return H::L0C;
        case P::C2: return H::BIAS;
        case P::C2PIPE2GM: case P::C2PIPE2LOCAL: return H::FIXBUF;
        case P::GM: return H::GM;
        default: return H::UB;
    }
}

// What a tensor is to the core: bytes of a memory, and the slot of its queue.
struct Place {
    AscendC::Hardware memory = AscendC::Hardware::UB;
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    std::uint32_t end = 0;   // of the buffer that it is a part of
    std::uint32_t slot = 0;  // its number + 1; 0: none
    std::uint32_t turn = 0;
};

// Fails where the tensor's buffer was given back, or is on its way through a queue.
inline void check_alive(const Instruction& at, const Place& place, const char* operand) {
    if (!place.slot) return;
    const Slot& slot = (at.core.issue() ? at.core.issue()->slots : at.core.slots)[place.slot - 1];
    if (slot.turn != place.turn || slot.state == SlotState::free)
        at.fail(Rule::queue, "uses ", operand, " after FreeTensor at ", slot.where.file, ":", slot.where.line);
    if (slot.state == SlotState::enqueued)
        at.fail(Rule::queue, "uses ", operand, " between EnQue at ", slot.where.file, ":", slot.where.line, " and DeQue");
}

// One element of a tensor, read and written by the scalar unit.
template <class Tensor>
class ElementProxy {
    using T = typename Tensor::PrimType;

public:
    ElementProxy(const Tensor& tensor, std::uint64_t i, Where where) : tensor_(tensor), i_(i), where_(where) {}
    operator T() const { return tensor_.GetValue(i_, where_); }
    // static_cast<float> of a half, which is a structure here.
    template <class U, std::enable_if_t<std::is_arithmetic_v<U> && std::is_class_v<T>, int> = 0, class From = T>
    explicit operator U() const { return static_cast<U>(static_cast<float>(From(*this))); }
    const ElementProxy& operator=(T value) const {
        tensor_.SetValue(i_, value, where_);
        return *this;
    }
    const ElementProxy& operator=(const ElementProxy& other) const { return *this = static_cast<T>(other); }

private:
    const Tensor& tensor_;
    std::uint64_t i_;
    Where where_;
};

}  // namespace ascendc

namespace AscendC {

struct ShapeInfo {
    std::uint8_t shapeDim = 0;
    std::uint32_t shape[K_MAX_SHAPE_DIM > 0 ? K_MAX_SHAPE_DIM : 1] = {};
    std::uint8_t originalShapeDim = 0;
    std::uint32_t originalShape[K_MAX_SHAPE_DIM > 0 ? K_MAX_SHAPE_DIM : 1] = {};
    DataFormat dataFormat = DataFormat::ND;

    ShapeInfo() = default;
    ShapeInfo(std::uint8_t dims, const std::uint32_t* extents, DataFormat format = DataFormat::ND) : dataFormat(format) {
        shapeDim = originalShapeDim = dims;
        for (std::uint8_t i = 0; i < dims && i < std::size(shape); ++i) shape[i] = originalShape[i] = extents[i];
    }
    ShapeInfo(std::uint8_t dims, const std::uint32_t* extents, std::uint8_t original_dims, const std::uint32_t* original,
              DataFormat format = DataFormat::ND)
        : ShapeInfo(dims, extents, format) {
        originalShapeDim = original_dims;
        for (std::uint8_t i = 0; i < original_dims && i < std::size(originalShape); ++i) originalShape[i] = original[i];
    }
};

template <class T>
class LocalTensor {
public:
    using PrimType = T;

    LocalTensor() = default;
    // A piece of a memory by its byte address, outside of queues and pipes.
    LocalTensor(TPosition position, std::uint32_t address, std::uint32_t elements)
        : position_(position), elements_(elements),
          place_{ascendc::hardware_of(position), address, static_cast<std::uint32_t>(ascendc::bytes_of<T>(elements)),
                 address + static_cast<std::uint32_t>(ascendc::bytes_of<T>(elements)), 0, 0} {}
    LocalTensor(TPosition position, const ascendc::Place& place)
        : position_(position), elements_(place.bytes * 8 / ascendc::size_in_bits<T>), place_(place) {}

    const ascendc::Place& place() const { return place_; }
    TPosition GetPosition() const { return position_; }
    std::uint32_t GetSize() const { return elements_; }
    std::uint32_t GetLength() const { return place_.bytes; }
    void SetSize(std::uint32_t elements) {
        elements_ = elements;
        place_.bytes = static_cast<std::uint32_t>(ascendc::bytes_of<T>(elements));
    }
    void SetBufferLen(std::uint32_t elements) { SetSize(elements); }

    LocalTensor operator[](std::uint32_t offset) const {
        LocalTensor part = *this;
        part.elements_ = offset <= elements_ ? elements_ - offset : 0;
        part.place_.address += static_cast<std::uint32_t>(ascendc::bytes_of<T>(offset));
        part.place_.bytes = static_cast<std::uint32_t>(ascendc::bytes_of<T>(part.elements_));
        return part;
    }
    template <class U>
    void SetAddrWithOffset(const LocalTensor<U>& source, std::uint32_t offset) {
        place_ = source.place();
        place_.address += static_cast<std::uint32_t>(ascendc::bytes_of<U>(offset));
        position_ = source.GetPosition();
    }
    template <class U>
    LocalTensor<U> ReinterpretCast() const {
        LocalTensor<U> other(position_, place_);
        return other;
    }

    T GetValue(std::uint32_t i, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        return scalar_access(
            "GetValue", i, false,
            [](ascendc::Instruction& at, ascendc::LocalMemory& memory, std::uint32_t address) {
                if (memory.any_unwritten(address, sizeof(T)))
                    at.fail(ascendc::Rule::uninitialised, "reads ", ascendc::name_of(memory.kind()), " at byte ", address, ", which nobody wrote");
                T value;
                std::memcpy(&value, memory.at(address), sizeof(T));
                return value;
            },
            where);
    }
    void SetValue(std::uint32_t i, T value, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        scalar_access(
            "SetValue", i, true,
            [value](ascendc::Instruction&, ascendc::LocalMemory& memory, std::uint32_t address) {
                std::memcpy(memory.at(address), &value, sizeof(T));
                memory.set_written(address, sizeof(T));
                return value;
            },
            where);
    }

    using Element = ascendc::ElementProxy<LocalTensor>;
    Element operator()(std::uint32_t i, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const { return {*this, i, where}; }

    // As a number, which kernels cast to a pointer to local memory or put into lists of addresses.
    std::uint64_t GetPhyAddr() const { return GetPhyAddr(0); }
    std::uint64_t GetPhyAddr(std::uint32_t offset) const {
        return reinterpret_cast<std::uint64_t>(
            ascendc::current().memory(place_.memory).at(place_.address + static_cast<std::uint32_t>(ascendc::bytes_of<T>(offset))));
    }

    void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }
    ShapeInfo GetShapeInfo() const { return shape_; }
    void SetUserTag(std::int32_t tag) { tag_ = tag; }
    std::int32_t GetUserTag() const { return tag_; }

    // dst = a + b and its like: an expression runs its instruction over the whole of this tensor.
    template <class Expression, class = decltype(std::declval<const Expression&>().run(std::declval<const LocalTensor&>()))>
    LocalTensor& operator=(const Expression& expression) {
        expression.run(*this);
        return *this;
    }

private:
    template <class Function>
    T scalar_access(const char* name, std::uint32_t i, bool write, Function function, ascendc::Where where) const {
        ascendc::Instruction at(name, ascendc::Pipe::S, where);
        if (place_.memory != Hardware::UB && place_.memory != Hardware::L1)
            at.fail(ascendc::Rule::address, "of ", ascendc::name_of(place_.memory), ", which the scalar unit cannot reach");
        check_alive(at, place_, "a tensor");
        ascendc::LocalMemory& memory = at.core.memory(place_.memory);
        const std::uint64_t address = place_.address + ascendc::bytes_of<T>(i);
        if (i >= elements_ || !memory.holds(address, sizeof(T)))
            at.fail(ascendc::Rule::bounds, "of element ", i, " of a tensor of ", elements_, " elements");
        const auto begin = static_cast<std::uint32_t>(address);
        at.uses(memory, begin, sizeof(T), write);
        at.takes(write ? 4 : 30);
        return function(at, memory, begin);
    }

    TPosition position_ = TPosition::VECCALC;
    std::uint32_t elements_ = 0;
    ascendc::Place place_;
    ShapeInfo shape_;
    std::int32_t tag_ = 0;
};

}  // namespace AscendC
