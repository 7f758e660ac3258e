// Copies between global memory and a core's memories, row by row; the atomic forms read, combine and write.
#pragma once

#include <atomic>
#include <mutex>

#include "ascendc/base/parameters.hpp"
#include "ascendc/tensor/global_tensor.hpp"

namespace ascendc {

// Bytes a cycle that one core moves from and to global memory, and what the first byte waits for; modelled.
constexpr double global_rate = 25, global_latency = 400, local_rate = 128;

// Where the rows of a copy lie on one side.
struct Rows {
    std::uint64_t begin = 0;
    std::uint64_t pitch = 0;
};

inline void check_memory(const Instruction& at, const Place& place, const char* name, std::initializer_list<AscendC::Hardware> memories) {
    if (std::find(memories.begin(), memories.end(), place.memory) != memories.end()) return;
    std::string known;
    for (const AscendC::Hardware memory : memories) known += (known.empty() ? "" : " or ") + std::string(name_of(memory));
    at.fail(Rule::address, "takes ", name, " in ", name_of(place.memory), "; it must be in ", known);
}

inline LocalMemory& local_side(const Instruction& at, const Place& place, const char* name, std::uint64_t rows, std::uint64_t row_bytes,
                               std::uint64_t pitch, std::uint32_t alignment = block_bytes) {
    check_alive(at, place, name);
    LocalMemory& memory = at.core.memory(place.memory);
    if (place.address % alignment)
        at.fail(Rule::address, "takes ", name, " at byte ", place.address, " of ", name_of(place.memory), "; its address must be a multiple of ",
                alignment, " bytes");
    const std::uint64_t end = place.address + (rows ? (rows - 1) * pitch + row_bytes : 0);
    if (end > place.end || end > memory.size())
        at.fail(Rule::bounds, "uses ", name, " up to byte ", end - place.address, " of a tensor whose buffer ends after byte ",
                place.end - place.address);
    return memory;
}

inline void takes_transfer(Instruction& at, std::uint64_t bytes) { at.takes(global_latency + static_cast<double>(bytes) / global_rate); }

// From global memory. `filled`: bytes of each row that are written; a row may be longer by padding that its caller writes.
inline void copy_in(Instruction& at, const Place& to, std::uint64_t to_pitch, std::uintptr_t from, std::uint64_t from_pitch,
                    std::uint64_t rows, std::uint64_t row_bytes, std::uint64_t padded_bytes) {
    if (!rows || !padded_bytes) return;
    check_memory(at, to, "dst", {AscendC::Hardware::UB, AscendC::Hardware::L1});
    LocalMemory& memory = local_side(at, to, "dst", rows, padded_bytes, to_pitch);
    const std::byte* const source = row_bytes ? at.uses_global({from, row_bytes, rows, from_pitch}, false) : nullptr;
    const bool joined = to_pitch == padded_bytes;
    if (joined) at.uses(memory, to.address, static_cast<std::uint32_t>(rows * padded_bytes), true);
    for (std::uint64_t row = 0; row < rows; ++row) {
        const auto address = static_cast<std::uint32_t>(to.address + row * to_pitch);
        if (!joined) at.uses(memory, address, static_cast<std::uint32_t>(padded_bytes), true);
        if (row_bytes) std::memcpy(memory.at(address), source + row * from_pitch, row_bytes);
        memory.set_written(address, static_cast<std::uint32_t>(row_bytes));
    }
    takes_transfer(at, rows * row_bytes);
}

// One lock a stripe of addresses, so that atomic copies of several cores do not mix.
inline std::mutex& atomic_stripe(std::uintptr_t address) {
    static std::array<std::mutex, 64> stripes;
    return stripes[address / 4096 % stripes.size()];
}

template <class T, class F>
void combine(std::byte* to, const std::byte* from, std::uint64_t bytes, F f) {
    for (std::uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        T a, b;
        std::memcpy(&a, to + i, sizeof(T));
        std::memcpy(&b, from + i, sizeof(T));
        const T result = static_cast<T>(f(static_cast<arithmetic_type<T>>(a), static_cast<arithmetic_type<T>>(b)));
        std::memcpy(to + i, &result, sizeof(T));
    }
}

template <class T>
void combine(Atomic atomic, std::byte* to, const std::byte* from, std::uint64_t bytes) {
    switch (atomic) {
        case Atomic::max: return combine<T>(to, from, bytes, [](auto a, auto b) { return a < b ? b : a; });
        case Atomic::min: return combine<T>(to, from, bytes, [](auto a, auto b) { return b < a ? b : a; });
        default: return combine<T>(to, from, bytes, [](auto a, auto b) { return static_cast<decltype(a)>(a + b); });
    }
}

// To global memory: what the atomic register says happens to what is there. Pieces lie in the stripe of their address; a piece
// does not cross one.
inline void store(const Instruction& at, std::byte* to, const std::byte* from, std::uint64_t bytes) {
    const Registers& registers = at.core.registers;
    if (registers.atomic == Atomic::none) {
        std::memcpy(to, from, bytes);
        return;
    }
    while (bytes) {
        const auto address = reinterpret_cast<std::uintptr_t>(to);
        const std::uint64_t piece = std::min<std::uint64_t>(bytes, 4096 - address % 4096);
        const std::lock_guard lock(atomic_stripe(address));
        switch (registers.atomic_type) {
            case Element::int8: combine<std::int8_t>(registers.atomic, to, from, piece); break;
            case Element::int16: combine<std::int16_t>(registers.atomic, to, from, piece); break;
            case Element::int32: combine<std::int32_t>(registers.atomic, to, from, piece); break;
            case Element::half: combine<half>(registers.atomic, to, from, piece); break;
            case Element::bfloat16: combine<bfloat16_t>(registers.atomic, to, from, piece); break;
            default: combine<float>(registers.atomic, to, from, piece);
        }
        to += piece;
        from += piece;
        bytes -= piece;
    }
}

// Fails where one of these bytes was never written: here it would reach global memory.
inline void check_written(const Instruction& at, const LocalMemory& memory, std::uint32_t address, std::uint32_t bytes) {
    if (memory.any_unwritten(address, bytes))
        at.fail(Rule::uninitialised, "carries byte ", memory.first_unwritten(address, bytes), " of ", name_of(memory.kind()),
                " to global memory; nobody wrote it, or it was computed from what nobody wrote");
}

template <class T>
constexpr Element element_of() {
    if constexpr (std::is_same_v<T, half>) return Element::half;
    else if constexpr (std::is_same_v<T, bfloat16_t>) return Element::bfloat16;
    else if constexpr (std::is_same_v<T, float>) return Element::float32;
    else if constexpr (sizeof(T) == 1) return Element::int8;
    else if constexpr (sizeof(T) == 2) return Element::int16;
    else return Element::int32;
}

// Whether a copy of such elements to global memory combines with what is there.
inline bool check_atomic(const Instruction& at, Element element) {
    const Registers& registers = at.core.registers;
    if (registers.atomic == Atomic::none) return false;
    if (registers.atomic_type != element) at.fail(Rule::atomic, "copies elements of another type than SetAtomic was given");
    return true;
}

inline void copy_out(Instruction& at, std::uintptr_t to, std::uint64_t to_pitch, const Place& from, std::uint64_t from_pitch,
                     std::uint64_t rows, std::uint64_t row_bytes, Element element) {
    if (!rows || !row_bytes) return;
    check_memory(at, from, "src", {AscendC::Hardware::UB, AscendC::Hardware::L1});
    LocalMemory& memory = local_side(at, from, "src", rows, row_bytes, from_pitch);
    const bool atomic = check_atomic(at, element);
    std::byte* const target = at.uses_global({to, row_bytes, rows, to_pitch}, true, atomic);
    if (from_pitch == row_bytes) at.uses(memory, from.address, static_cast<std::uint32_t>(rows * row_bytes), false);
    for (std::uint64_t row = 0; row < rows; ++row) {
        const auto address = static_cast<std::uint32_t>(from.address + row * from_pitch);
        if (from_pitch != row_bytes) at.uses(memory, address, static_cast<std::uint32_t>(row_bytes), false);
        check_written(at, memory, address, static_cast<std::uint32_t>(row_bytes));
        store(at, target + row * to_pitch, memory.at(address), row_bytes);
    }
    takes_transfer(at, rows * row_bytes);
}

}  // namespace ascendc
