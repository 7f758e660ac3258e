// LoadData in fractals of 512 bytes, and LoadDataWithTranspose in square blocks: from L1 or global memory to L0A and L0B.
#pragma once

#include "ascendc/cube/fractals.hpp"

namespace ascendc {

// rows x columns elements of one width, turned over. 4-bit elements lie two in a byte.
template <class T>
void transpose(const std::byte* from, std::byte* to, std::uint32_t rows, std::uint32_t columns, std::uint32_t from_pitch, std::uint32_t to_pitch) {
    for (std::uint32_t r = 0; r < rows; ++r)
        for (std::uint32_t c = 0; c < columns; ++c) {
            if constexpr (is_int4<T>) {
                const auto value = static_cast<unsigned>(from[r * from_pitch + c / 2]) >> (c % 2 * 4) & 15u;
                std::byte& target = to[c * to_pitch + r / 2];
                target = r % 2 ? (target & std::byte{15}) | static_cast<std::byte>(value << 4) : static_cast<std::byte>(value);
            } else {
                std::memcpy(to + c * to_pitch + r * sizeof(T), from + r * from_pitch + c * sizeof(T), sizeof(T));
            }
        }
}

inline Pipe load_pipe(AscendC::Hardware source) { return source == AscendC::Hardware::GM ? Pipe::MTE2 : Pipe::MTE1; }
inline double load_rate(AscendC::Hardware target) { return target == AscendC::Hardware::L0A ? left_rate : right_rate; }

// The fractals that LoadData2DParams names, one after the other: their numbers on both sides.
struct FractalWalk {
    std::int64_t start;
    std::int64_t step;
    std::uint64_t repeats;
    std::uint64_t target_step;

    explicit FractalWalk(const AscendC::LoadData2DParams& p)
        : start(p.startIndex), step(p.addrMode ? -std::int64_t{p.srcStride} : std::int64_t{p.srcStride}), repeats(p.repeatTimes),
          target_step(p.dstGap + 1u) {}
    std::int64_t source(std::uint64_t i) const { return start + static_cast<std::int64_t>(i) * step; }
    std::int64_t first() const { return std::min(source(0), source(repeats - 1)); }
    std::int64_t last() const { return std::max(source(0), source(repeats - 1)); }
};

// The source's unwritten bytes, turned over with its elements.
inline void transpose_unwritten(const LocalMemory& from, std::uint32_t source, LocalMemory& to, std::uint32_t target) {
    to.set_written(target, fractal_bytes);
    if (!from.any_unwritten(source, fractal_bytes)) return;
    for (std::uint32_t r = 0; r < 16; ++r)
        for (std::uint32_t c = 0; c < 16; ++c)
            if (from.any_unwritten(source + r * 32 + c * 2, 2)) to.set_unwritten(target + c * 32 + r * 2, 2);
}

}  // namespace ascendc

namespace AscendC {

// Fractal number startIndex + i srcStride of the source goes to fractal number i (dstGap + 1).
template <class T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    if (held(Pipe::MTE1)) return postpone(Pipe::MTE1, [=] { LoadData<T>(dst, src, p, where); });
    Instruction at("LoadData", Pipe::MTE1, where);
    check_memory(at, dst.place(), "dst", {Hardware::L0A, Hardware::L0B});
    check_memory(at, src.place(), "src", {Hardware::L1});
    if (p.ifTranspose && sizeof(T) != 2) at.fail(Rule::type, "transposes elements of 16 bits alone; LoadDataWithTranspose takes others");
    if (!p.repeatTimes) return;
    const FractalWalk walk(p);
    const Place from = src.place(), to = dst.place();
    if (walk.first() < 0) at.fail(Rule::bounds, "uses fractal ", walk.first(), " of src");
    LocalMemory& source = local_side(at, from, "src", 1, static_cast<std::uint64_t>(walk.last() + 1) * fractal_bytes, 0);
    LocalMemory& target = local_side(at, to, "dst", walk.repeats, fractal_bytes, walk.target_step * fractal_bytes, fractal_bytes);
    if (walk.step == 1)
        at.uses(source, static_cast<std::uint32_t>(from.address + walk.start * fractal_bytes),
                static_cast<std::uint32_t>(walk.repeats * fractal_bytes), false);
    uses_pieces(at, target, to.address, walk.repeats, fractal_bytes, walk.target_step * fractal_bytes, true);
    for (std::uint64_t i = 0; i < walk.repeats; ++i) {
        const auto begin = static_cast<std::uint32_t>(from.address + walk.source(i) * fractal_bytes);
        const auto end = static_cast<std::uint32_t>(to.address + i * walk.target_step * fractal_bytes);
        if (walk.step != 1) at.uses(source, begin, fractal_bytes, false);
        if (p.ifTranspose) {
            transpose<std::uint16_t>(source.at(begin), target.at(end), 16, 16, 32, 32);
            transpose_unwritten(source, begin, target, end);
        } else {
            std::memcpy(target.at(end), source.at(begin), fractal_bytes);
            target.pass_unwritten(source, begin, end, fractal_bytes, 1);
        }
    }
    at.takes(static_cast<double>(walk.repeats * fractal_bytes) / load_rate(to.memory));
}

template <class T>
void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    if (held(Pipe::MTE2)) return postpone(Pipe::MTE2, [=] { LoadData<T>(dst, src, p, where); });
    Instruction at("LoadData", Pipe::MTE2, where);
    check_memory(at, dst.place(), "dst", {Hardware::L0A, Hardware::L0B, Hardware::L1});
    if (p.ifTranspose) at.fail(Rule::type, "transposes from L1 alone");
    if (!p.repeatTimes) return;
    const FractalWalk walk(p);
    const Place to = dst.place();
    LocalMemory& target = local_side(at, to, "dst", walk.repeats, fractal_bytes, walk.target_step * fractal_bytes, fractal_bytes);
    uses_pieces(at, target, to.address, walk.repeats, fractal_bytes, walk.target_step * fractal_bytes, true);
    for (std::uint64_t i = 0; i < walk.repeats; ++i) {
        const std::uintptr_t begin = src.address() + static_cast<std::uintptr_t>(walk.source(i) * fractal_bytes);
        const auto end = static_cast<std::uint32_t>(to.address + i * walk.target_step * fractal_bytes);
        std::memcpy(target.at(end), at.uses_global({begin, fractal_bytes, 1, 0}, false), fractal_bytes);
        target.set_written(end, fractal_bytes);
    }
    takes_transfer(at, walk.repeats * fractal_bytes);
}

// Square blocks, each transposed as a matrix and cut into fractals again: of 16 x 16 elements of 16 or 32 bits, 32 x 32 of 8,
// 64 x 64 of 4. The fractals of a block lie side by side where elements have 32 bits, else one below the other.
template <class T>
void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2dTransposeParams& p,
                           ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    if (held(Pipe::MTE1)) return postpone(Pipe::MTE1, [=] { LoadDataWithTranspose<T>(dst, src, p, where); });
    Instruction at("LoadDataWithTranspose", Pipe::MTE1, where);
    check_memory(at, dst.place(), "dst", {Hardware::L0A, Hardware::L0B});
    check_memory(at, src.place(), "src", {Hardware::L1});
    if (!p.repeatTimes) return;
    constexpr std::uint32_t edge = std::max(block_elements<T>, fractal_rows), row = size_in_bits<T> * edge / 8;
    constexpr std::uint32_t fractals = row * edge / fractal_bytes;
    const std::uint64_t first_step = (p.dstGap + 1u) * std::uint64_t{fractal_bytes}, inner_step = (p.dstFracGap + 1u) * std::uint64_t{fractal_bytes};
    const Place from = src.place(), to = dst.place();
    const std::int64_t step = p.addrMode ? -std::int64_t{p.srcStride} : std::int64_t{p.srcStride};
    const std::int64_t last = p.startIndex + (p.repeatTimes - 1) * step;
    if (last < 0) at.fail(Rule::bounds, "uses block ", last, " of src");
    LocalMemory& source = local_side(at, from, "src", 1, (std::max<std::int64_t>(last, p.startIndex) + 1) * std::uint64_t{edge} * row, 0);
    LocalMemory& target =
        local_side(at, to, "dst", 1, (p.repeatTimes - 1) * first_step + (fractals - 1) * inner_step + fractal_bytes, 0, fractal_bytes);
    std::byte whole[edge * row], turned[edge * row];
    for (std::uint32_t i = 0; i < p.repeatTimes; ++i) {
        const auto begin = static_cast<std::uint32_t>(from.address + (p.startIndex + i * step) * std::int64_t{edge} * row);
        at.uses(source, begin, edge * row, false);
        // The block as a matrix of `edge` rows; a fractal is 32 bytes wide.
        const auto place_of = [&](std::uint32_t r, std::uint32_t byte) {
            return row > block_bytes ? byte / block_bytes * fractal_bytes + r * block_bytes + byte % block_bytes : r * row + byte;
        };
        for (std::uint32_t r = 0; r < edge; ++r)
            for (std::uint32_t byte = 0; byte < row; byte += block_bytes)
                std::memcpy(whole + r * row + byte, source.at(begin + place_of(r, byte)), block_bytes);
        transpose<T>(whole, turned, edge, edge, row, row);
        const auto target_of = [&](std::uint32_t r, std::uint32_t byte) {
            const std::uint32_t inside = place_of(r, byte);
            return static_cast<std::uint32_t>(to.address + i * first_step + inside / fractal_bytes * inner_step + inside % fractal_bytes);
        };
        for (std::uint32_t fractal = 0; fractal < fractals; ++fractal) {
            const auto address = static_cast<std::uint32_t>(to.address + i * first_step + fractal * inner_step);
            at.uses(target, address, fractal_bytes, true);
            target.set_written(address, fractal_bytes);
        }
        for (std::uint32_t r = 0; r < edge; ++r)
            for (std::uint32_t byte = 0; byte < row; byte += block_bytes)
                std::memcpy(target.at(target_of(r, byte)), turned + r * row + byte, block_bytes);
        if (!source.any_unwritten(begin, edge * row)) continue;
        for (std::uint32_t r = 0; r < edge; ++r)
            for (std::uint32_t c = 0; c < edge; ++c)
                if (source.any_unwritten(begin + place_of(r, c * size_in_bits<T> / 8), std::max(1u, size_in_bits<T> / 8)))
                    target.set_unwritten(target_of(c, r * size_in_bits<T> / 8), std::max(1u, size_in_bits<T> / 8));
    }
    at.takes(static_cast<double>(p.repeatTimes * edge * row) / load_rate(to.memory));
}

// Four of eight weights and where they stood: declared, so that templates which name it compile.
template <class T, class U>
void LoadDataWithSparse(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<U>&, const LoadData2DParams&,
                        ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().fail(ascendc::Rule::unsupported, where, "LoadDataWithSparse: weights with gaps are not modelled; use LoadData");
}

}  // namespace AscendC
