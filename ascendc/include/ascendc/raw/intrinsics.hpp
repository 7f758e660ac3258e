// Instructions by their names outside the namespace. Operands are addresses: of this process in a core's memories, as
// GetPhyAddr gives them, and of global memory as the kernel was given it.
#pragma once

#include "ascendc/move/local_copy.hpp"
#include "ascendc/sync/cross_core.hpp"
#include "ascendc/vector/masks.hpp"
#include "ascendc/vector/reduce_all.hpp"

namespace ascendc {

constexpr AscendC::TPosition position_of(AscendC::Hardware memory) {
    using P = AscendC::TPosition;
    constexpr P positions[] = {P::GM, P::VECCALC, P::A1, P::A2, P::B2, P::CO1, P::C2, P::C2PIPE2GM};
    return positions[static_cast<unsigned>(memory)];
}

// The memory and the byte that an address of this process names.
template <class T>
AscendC::LocalTensor<T> local_tensor(const void* address, const char* name, Where where) {
    Core& core = current();
    using H = AscendC::Hardware;
    for (const H kind : {H::UB, H::L1, H::L0A, H::L0B, H::L0C, H::BIAS, H::FIXBUF}) {
        LocalMemory& memory = core.memory(kind);
        const std::ptrdiff_t offset = static_cast<const std::byte*>(address) - memory.at(0);
        if (offset < 0 || offset >= static_cast<std::ptrdiff_t>(memory.size())) continue;
        const auto begin = static_cast<std::uint32_t>(offset), size = memory.size();
        return AscendC::LocalTensor<T>(position_of(kind), Place{kind, begin, size - begin, size, 0, 0});
    }
    core.fail(Rule::address, where, join(name, " takes ", address, ", which lies in none of the core's memories; GetPhyAddr gives addresses of them"));
}
template <class T>
AscendC::GlobalTensor<T> global_tensor(const void* address) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(static_cast<T*>(const_cast<void*>(address)));
    return tensor;
}

// The bNN forms: `count` rows of bytes; the padding's elements have the width of their name.
template <class T>
void copy_in_aligned(void* dst, const void* src, std::uint16_t count, std::uint32_t bytes, std::uint8_t left, std::uint8_t right,
                     std::uint32_t src_gap, std::uint32_t dst_gap, Where where) {
    T padding;
    std::memcpy(&padding, &current().registers.padding_value, sizeof(T));
    AscendC::DataCopyPad(local_tensor<T>(dst, "copy_gm_to_ubuf_align", where), global_tensor<T>(src),
                         AscendC::DataCopyExtParams(count, bytes, src_gap, dst_gap, 0),
                         AscendC::DataCopyPadExtParams<T>(left || right, left, right, padding), where);
}
template <class T>
void copy_out_aligned(void* dst, const void* src, std::uint16_t count, std::uint32_t bytes, std::uint32_t src_gap, std::uint32_t dst_gap,
                      Where where) {
    AscendC::DataCopyPad(global_tensor<T>(dst), local_tensor<T>(src, "copy_ubuf_to_gm_align", where),
                         AscendC::DataCopyExtParams(count, bytes, src_gap, dst_gap, 0), where);
}

}  // namespace ascendc

inline void set_flag(pipe_t source, pipe_t target, std::int32_t id, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::set_flag(ascendc::pipe_of(source), ascendc::pipe_of(target), id, where);
}
inline void wait_flag(pipe_t source, pipe_t target, std::int32_t id, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::wait_flag(ascendc::pipe_of(source), ascendc::pipe_of(target), id, where);
}
inline void pipe_barrier(pipe_t pipe) { ascendc::pipe_barrier(pipe); }

// The block, whichever of its vector cores this is; also as variables, by their older names.
inline std::int64_t get_block_idx() { return ascendc::current().name.block; }
inline std::int64_t get_block_num() { return ascendc::current().launch->blocks; }
namespace ascendc {
struct BlockIndex {
    operator std::int64_t() const { return get_block_idx(); }
};
struct BlockNumber {
    operator std::int64_t() const { return get_block_num(); }
};
}  // namespace ascendc
inline constexpr ascendc::BlockIndex block_idx{};
inline constexpr ascendc::BlockNumber block_num{};
inline std::int64_t get_subblockid() { return ascendc::current().name.sub; }
inline std::int64_t get_subblockdim() { return AscendC::GetSubBlockNum(); }

// config: 1, the mode from bit 4 on, the flag from bit 8 on.
inline void ffts_cross_core_sync(pipe_t pipe, std::uint64_t config, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::set_cross_flag(static_cast<int>(config >> 4 & 3u), pipe, static_cast<std::int64_t>(config >> 8 & 15u), where);
}
inline void wait_flag_dev(std::int64_t id, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) { ascendc::wait_cross_flag(id, where); }
inline void set_ffts_base_addr(std::uint64_t) {}

inline void set_vector_mask(std::uint64_t high, std::uint64_t low) { AscendC::SetVectorMask<float>(high, low); }
inline void set_mask_norm() { AscendC::SetMaskNorm(); }
inline void set_mask_count() { AscendC::SetMaskCount(); }

// The type of the atomic copies that set_atomic_add, max and min switch on.
inline void set_atomic_f32() { AscendC::SetAtomicType<float>(); }
inline void set_atomic_f16() { AscendC::SetAtomicType<half>(); }
inline void set_atomic_bf16() { AscendC::SetAtomicType<bfloat16_t>(); }
inline void set_atomic_s8() { AscendC::SetAtomicType<std::int8_t>(); }
inline void set_atomic_s16() { AscendC::SetAtomicType<std::int16_t>(); }
inline void set_atomic_s32() { AscendC::SetAtomicType<std::int32_t>(); }
inline void set_atomic_add(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) { ascendc::set_atomic(ascendc::Atomic::add, where); }
inline void set_atomic_max(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) { ascendc::set_atomic(ascendc::Atomic::max, where); }
inline void set_atomic_min(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) { ascendc::set_atomic(ascendc::Atomic::min, where); }
inline void set_atomic_none() { AscendC::SetAtomicNone(); }

// Lengths and gaps of 32 bytes.
inline void copy_gm_to_ubuf(void* dst, const void* src, std::uint8_t, std::uint16_t count, std::uint16_t length, std::uint16_t src_gap,
                            std::uint16_t dst_gap, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    AscendC::DataCopy(ascendc::local_tensor<std::uint8_t>(dst, "copy_gm_to_ubuf", where), ascendc::global_tensor<std::uint8_t>(src),
                      AscendC::DataCopyParams(count, length, src_gap, dst_gap), where);
}
template <class T>
void copy_ubuf_to_gm(T* dst, const void* src, std::uint8_t, std::uint16_t count, std::uint16_t length, std::uint16_t src_gap,
                     std::uint16_t dst_gap, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using E = std::conditional_t<std::is_void_v<T>, std::uint8_t, T>;
    AscendC::DataCopy(ascendc::global_tensor<E>(dst), ascendc::local_tensor<E>(src, "copy_ubuf_to_gm", where),
                      AscendC::DataCopyParams(count, length, src_gap, dst_gap), where);
}
inline void copy_ubuf_to_ubuf(void* dst, const void* src, std::uint8_t, std::uint16_t count, std::uint16_t length, std::uint16_t src_gap,
                              std::uint16_t dst_gap, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    AscendC::DataCopy(ascendc::local_tensor<std::uint8_t>(dst, "copy_ubuf_to_ubuf", where),
                      ascendc::local_tensor<std::uint8_t>(src, "copy_ubuf_to_ubuf", where),
                      AscendC::DataCopyParams(count, length, src_gap, dst_gap), where);
}

// Lengths in bytes, gaps in bytes of global memory and in blocks of 32 bytes of UB.
inline void copy_gm_to_ubuf_align_b8(void* dst, const void* src, std::uint8_t, std::uint16_t count, std::uint32_t bytes, std::uint8_t left,
                                     std::uint8_t right, std::uint32_t src_gap, std::uint32_t dst_gap,
                                     ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::copy_in_aligned<std::uint8_t>(dst, src, count, bytes, left, right, src_gap, dst_gap, where);
}
inline void copy_gm_to_ubuf_align_b16(void* dst, const void* src, std::uint8_t, std::uint16_t count, std::uint32_t bytes, std::uint8_t left,
                                      std::uint8_t right, std::uint32_t src_gap, std::uint32_t dst_gap,
                                      ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::copy_in_aligned<std::uint16_t>(dst, src, count, bytes, left, right, src_gap, dst_gap, where);
}
inline void copy_gm_to_ubuf_align_b32(void* dst, const void* src, std::uint8_t, std::uint16_t count, std::uint32_t bytes, std::uint8_t left,
                                      std::uint8_t right, std::uint32_t src_gap, std::uint32_t dst_gap,
                                      ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::copy_in_aligned<std::uint32_t>(dst, src, count, bytes, left, right, src_gap, dst_gap, where);
}
template <class T>
void copy_ubuf_to_gm_align_b8(T* dst, const void* src, std::uint8_t, std::uint16_t count, std::uint32_t bytes, std::uint8_t, std::uint8_t,
                              std::uint32_t src_gap, std::uint32_t dst_gap, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::copy_out_aligned<std::conditional_t<std::is_void_v<T>, std::int8_t, T>>(dst, src, count, bytes, src_gap, dst_gap, where);
}
template <class T>
void copy_ubuf_to_gm_align_b16(T* dst, const void* src, std::uint8_t, std::uint16_t count, std::uint32_t bytes, std::uint8_t, std::uint8_t,
                               std::uint32_t src_gap, std::uint32_t dst_gap, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::copy_out_aligned<std::conditional_t<std::is_void_v<T>, std::int16_t, T>>(dst, src, count, bytes, src_gap, dst_gap, where);
}
template <class T>
void copy_ubuf_to_gm_align_b32(T* dst, const void* src, std::uint8_t, std::uint16_t count, std::uint32_t bytes, std::uint8_t, std::uint8_t,
                               std::uint32_t src_gap, std::uint32_t dst_gap, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::copy_out_aligned<std::conditional_t<std::is_void_v<T>, float, T>>(dst, src, count, bytes, src_gap, dst_gap, where);
}

// One value to the mask's lanes of every repeat.
template <class T>
void vector_dup(T* dst, ascendc::same_t<T> value, std::uint8_t repeats, std::uint16_t dst_block, std::uint16_t src_block,
                std::uint16_t dst_repeat, std::uint16_t src_repeat, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V,
                                 [=] { vector_dup<T>(dst, value, repeats, dst_block, src_block, dst_repeat, src_repeat, where); });
    ascendc::Instruction at("vector_dup", ascendc::Pipe::V, where);
    const auto tensor = ascendc::local_tensor<T>(dst, "vector_dup", where);
    const ascendc::Walk walk = ascendc::register_form(at, repeats, ascendc::repeat_lanes<T>);
    const auto to = ascendc::operand(at, tensor, "dst", {dst_block, dst_repeat});
    ascendc::check_reach(at, tensor, to, walk);
    ascendc::compute(at, walk, to, [value] { return value; });
    ascendc::takes(at, walk, ascendc::full_rate);
}

// Sums of repeats; with `adds` their sum goes to the register alone.
template <class T>
void vcadd(T* dst, T* src, std::uint8_t repeats, std::uint16_t dst_repeat, std::uint16_t src_block, std::uint16_t src_repeat, bool adds = false,
           ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (adds) {
        if (ascendc::held(ascendc::Pipe::V))
            return ascendc::postpone(ascendc::Pipe::V, [=] { vcadd(dst, src, repeats, dst_repeat, src_block, src_repeat, true, where); });
        ascendc::Instruction at("vcadd", ascendc::Pipe::V, where);
        return ascendc::add_repeats_up(at, ascendc::register_form(at, repeats, ascendc::repeat_lanes<T>), ascendc::local_tensor<T>(src, "vcadd", where),
                                       ascendc::reduction_strides(src_block, src_repeat), ascendc::whole_reduction_rate);
    }
    AscendC::WholeReduceSum<T, false>(ascendc::local_tensor<T>(dst, "vcadd", where), ascendc::local_tensor<T>(src, "vcadd", where),
                                      AscendC::MASK_PLACEHOLDER, repeats, dst_repeat, src_block, src_repeat, where);
}
// The last sum, in the bits of its type.
inline std::int64_t get_acc_val(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    const float sum = AscendC::GetAccVal<float>(where);
    std::uint32_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    return bits;
}

// Writes the data cache's line (0) or all of it (1) back, and drops it.
inline void dcci(const void* address, std::uint64_t all, std::uint64_t = 0, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    const auto tensor = ascendc::global_tensor<std::uint8_t>(address);
    if (all) AscendC::DataCacheCleanAndInvalid<std::uint8_t, AscendC::CacheLine::ENTIRE_DATA_CACHE>(tensor, where);
    else AscendC::DataCacheCleanAndInvalid<std::uint8_t, AscendC::CacheLine::SINGLE_CACHE_LINE>(tensor, where);
}
