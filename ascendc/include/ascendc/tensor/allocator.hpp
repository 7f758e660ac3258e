// Memory handed out without a pipe and without queues: flags are the kernel's.
#pragma once

#include "ascendc/tensor/tque.hpp"

namespace AscendC {

template <Hardware memory = Hardware::UB>
class LocalMemAllocator {
public:
    std::uint32_t GetCurAddr() const { return next_; }

    template <TPosition position, class T>
    LocalTensor<T> Alloc(std::uint32_t elements, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        static_assert(ascendc::hardware_of(position) == memory, "the position lies in another memory than the allocator's");
        const std::uint64_t bytes = (ascendc::bytes_of<T>(elements) + ascendc::block_bytes - 1) / ascendc::block_bytes * ascendc::block_bytes;
        const std::uint32_t capacity = ascendc::capacity_of(memory);
        if (bytes > capacity - next_)
            ascendc::current().fail(ascendc::Rule::buffers, where,
                                    ascendc::join("Alloc asks for ", bytes, " bytes of ", ascendc::name_of(memory), ", of which ", capacity - next_,
                                                  " of ", capacity, " are left; use smaller tiles"));
        const LocalTensor<T> tensor(position, next_, elements);
        next_ += static_cast<std::uint32_t>(bytes);
        return tensor;
    }
    template <TPosition position, class T, std::uint32_t elements>
    LocalTensor<T> Alloc(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        return Alloc<position, T>(elements, where);
    }
    template <class T>
    LocalTensor<T> Alloc(std::uint32_t elements, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        return Alloc<usual, T>(elements, where);
    }
    template <class T, std::uint32_t elements>
    LocalTensor<T> Alloc(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        return Alloc<usual, T>(elements, where);
    }

private:
    static constexpr TPosition usual = memory == Hardware::UB       ? TPosition::VECCALC
                                       : memory == Hardware::L1     ? TPosition::A1
                                       : memory == Hardware::L0A    ? TPosition::A2
                                       : memory == Hardware::L0B    ? TPosition::B2
                                       : memory == Hardware::L0C    ? TPosition::CO1
                                       : memory == Hardware::BIAS   ? TPosition::C2
                                                                    : TPosition::C2PIPE2GM;

    std::uint32_t next_ = 0;
};

// A queue of inputs of products, in L1.
template <TPosition source, std::int32_t depth = 1, auto config = 0>
class TSCM : public TQueBind<TPosition::GM, TPosition::TSCM, depth, config> {};

}  // namespace AscendC
