// The tiles of elementwise operators of one formula: operands of any dtype and layout, brought to the formula's and back.
#include "operators/formula.hpp"

#include <algorithm>
#include <cstddef>

namespace cannsim {
namespace {

constexpr std::int64_t formula_tile = 512;
constexpr std::size_t widest = 16;  // bytes of an element

struct Operand {
    Cursor cursor;
    Loop convert;  // from what is stored to the formula's dtype, or back
};

void run_tiles(std::vector<Operand> reading, std::vector<Operand> writing, std::int64_t first, std::int64_t last, const TileFunction& f) {
    struct alignas(64) Tile {
        std::byte bytes[formula_tile * widest];
    };
    std::vector<Tile> memory(reading.size() + writing.size() + 1);
    std::byte* const raw = memory.back().bytes;
    std::vector<void*> to;
    std::vector<const void*> from;
    for (std::size_t k = 0; k < reading.size(); ++k) from.push_back(memory[k].bytes);
    for (std::size_t m = 0; m < writing.size(); ++m) to.push_back(memory[reading.size() + m].bytes);
    for (Operand& operand : reading)
        if (!operand.cursor.is_contiguous() && !operand.cursor.is_splat()) operand.cursor.seek(first);
    for (Operand& operand : writing)
        if (!operand.cursor.is_contiguous()) operand.cursor.seek(first);
    for (std::int64_t start = first; start < last; start += formula_tile) {
        const std::int64_t n = std::min(formula_tile, last - start);
        for (std::size_t k = 0; k < reading.size(); ++k) {
            Cursor& cursor = reading[k].cursor;
            if (!cursor.is_contiguous()) cursor.gather(raw, n);
            const void* const stored = cursor.is_contiguous() ? cursor.at(start) : raw;
            void* const wide = memory[k].bytes;
            reading[k].convert(&wide, &stored, static_cast<std::size_t>(n));
        }
        f(to.data(), from.data(), n);
        for (std::size_t m = 0; m < writing.size(); ++m) {
            Cursor& cursor = writing[m].cursor;
            const void* const wide = to[m];
            void* const stored = cursor.is_contiguous() ? cursor.at(start) : raw;
            writing[m].convert(&stored, &wide, static_cast<std::size_t>(n));
            if (!cursor.is_contiguous()) cursor.scatter(raw, n);
        }
    }
}

}  // namespace

void apply_tiles(std::span<const Array> ins, std::span<const Array> outs, DType inner, const TileFunction& f) {
    const std::int64_t size = outs[0].size();
    if (size == 0) return;
    std::vector<Operand> reading, writing;
    for (const Array& in : ins) reading.push_back({Cursor(broadcast_to(in, outs[0].shape)), converter(in.dtype, inner)});
    for (const Array& out : outs) writing.push_back({Cursor(out), converter(inner, out.dtype)});
    parallel(size, 512, std::int64_t{1} << 15, [&](std::int64_t first, std::int64_t last) { run_tiles(reading, writing, first, last, f); });
}

Work tiles(std::vector<Tensor> ins, std::vector<Tensor> outs, DType inner, TileFunction f, std::optional<double> last) {
    Work work;
    work.elementwise = true;
    work.operations = static_cast<double>(outs[0].size()) * 4;
    work.compute = [ins = std::move(ins), outs = std::move(outs), inner, f = std::move(f), last](const Run& run) {
        std::vector<Array> from, to;
        for (const Tensor& in : ins) from.push_back(run[in]);
        for (const Tensor& out : outs) to.push_back(run[out]);
        double number = last.value_or(0);
        if (last) from.push_back({reinterpret_cast<std::byte*>(&number), DType::float64, {}, {}});
        apply_tiles(from, to, inner, f);
    };
    return work;
}

}  // namespace cannsim
