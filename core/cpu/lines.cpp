// Lines of few elements: loops read and write them in place, but where what lies apart is gathered in blocks of scratch.
#include "cpu/lines.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

#include "base/few.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/transfer.hpp"
#include "kernels/kernels.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t most_elements = 4096, most_lines = 64;
constexpr std::size_t most_operands = 5, most_axes = 4;  // axes that are left after merging
// Elements of neighbouring columns share lines of the cache: a block is short enough for one operand's to be there for the next.
constexpr std::size_t line_block_bytes = 2048;

struct LineOperand {
    char* data;
    std::int64_t itemsize;
    DType dtype;
    std::array<std::int64_t, most_axes> stride;
};

// The space with axes merged that are one run for every operand, those of length 1 left out.
struct FewLines {
    std::array<LineOperand, most_operands> operands;
    std::size_t inputs = 0, all = 0;
    std::array<std::int64_t, most_axes> length;
    std::size_t axes = 0, inner = 0;  // inner: the axis along which a line lies
    std::int64_t lines = 1;

    bool add_axis(const Launch& launch, int axis) {
        const std::int64_t n = launch.shape[axis];
        if (n == 1) return true;
        bool joins = axes > 0;
        for (std::size_t k = 0; joins && k < all; ++k) joins = operands[k].stride[axes - 1] == n * launch.operands[k].strides[axis];
        if (!joins && axes == most_axes) return false;
        if (joins) length[axes - 1] *= n;
        else length[axes++] = n;
        for (std::size_t k = 0; k < all; ++k) operands[k].stride[axes - 1] = launch.operands[k].strides[axis];
        return true;
    }

    bool prepare(const Signature& signature, const Launch& launch) {
        inputs = signature.nin;
        all = inputs + signature.nout;
        std::int64_t size = 1;
        for (const std::int64_t n : launch.shape) size *= n;
        if (size == 0 || size > most_elements) return false;
        for (std::size_t k = 0; k < all; ++k) {
            const DType dtype = k < inputs ? signature.in[k] : signature.out[k - inputs];
            operands[k].data = launch.operands[k].data;
            operands[k].dtype = dtype;
            operands[k].itemsize = static_cast<std::int64_t>(itemsize(dtype));
        }
        for (int axis = 0; axis < launch.shape.size(); ++axis)
            if (!add_axis(launch, axis)) return false;
        if (axes == 0) {
            length[axes++] = 1;
            for (std::size_t k = 0; k < all; ++k) operands[k].stride[0] = operands[k].itemsize;
        }
        const auto& step = operands[inputs].stride;  // an output's elements are the ones to be reached in the order of memory
        inner = axes - 1;
        for (std::size_t i = axes; i-- > 0;)
            if (std::abs(step[i]) < std::abs(step[inner])) inner = i;
        lines = size / length[inner];
        return lines <= most_lines;
    }

    bool differ_by_whole_elements() const {
        for (std::size_t k = 0; k < all; ++k)
            for (std::size_t i = 0; i < axes; ++i)
                if (operands[k].stride[i] % operands[k].itemsize) return false;
        return true;
    }
};

enum class Way : std::uint8_t { in_place, splatted, packed };

struct LineBlocks {
    alignas(64) std::array<std::array<char, line_block_bytes>, most_operands> blocks;
};

// A line of which some operands lie apart, by the loop for that.
void run_apart(StridedLoop loop, const FewLines& work, const std::array<char*, most_operands>& start) {
    std::array<const char*, most_operands> from{};
    std::array<std::int64_t, most_operands> steps{};
    for (std::size_t k = 0; k < work.inputs; ++k) {
        from[k] = start[k];
        steps[k] = work.operands[k].stride[work.inner];
    }
    loop(start[work.inputs], work.operands[work.inputs].stride[work.inner], from.data(), steps.data(), static_cast<std::size_t>(work.length[work.inner]));
}

// How the operands of a line reach the loop: the same for all lines where they differ by whole elements.
struct LinePlan {
    std::array<Way, most_operands> ways;
    std::int64_t block;  // elements that the loop takes at once
    bool apart = false;  // by the loop for operands that lie so

    LinePlan(const FewLines& work, const std::array<char*, most_operands>& start, bool has_apart) : block(work.length[work.inner]) {
        for (std::size_t k = 0; k < work.all; ++k) {
            const LineOperand& o = work.operands[k];
            const std::int64_t stride = o.stride[work.inner];
            ways[k] = Way::in_place;
            if ((work.length[work.inner] == 1 || stride == o.itemsize) && is_aligned(start[k], o.dtype)) continue;
            ways[k] = stride == 0 && k < work.inputs ? Way::splatted : Way::packed;
            apart = apart || (ways[k] == Way::packed && has_apart);
            block = std::min(block, static_cast<std::int64_t>(line_block_bytes) / o.itemsize);
        }
    }

    // The loop gets a line as a whole, and nothing of it is packed.
    bool goes_at_once(const FewLines& work) const {
        const auto end = ways.begin() + static_cast<std::ptrdiff_t>(work.all);
        return block == work.length[work.inner] && std::find(ways.begin(), end, Way::packed) == end;
    }
};

// One line, from where the operands' data is now.
void run_line(Loop loop, const LinePlan& plan, const FewLines& work, const std::array<char*, most_operands>& start, LineBlocks& scratch) {
    const std::int64_t n = work.length[work.inner];
    std::array<void*, most_operands> at;  // outputs first, as the loop takes them
    const std::size_t outputs = work.all - work.inputs;
    const auto place = [&](std::size_t k) { return k < work.inputs ? outputs + k : k - work.inputs; };
    for (std::size_t k = 0; k < work.all; ++k) {
        at[place(k)] = plan.ways[k] == Way::in_place ? start[k] : scratch.blocks[k].data();
        if (plan.ways[k] == Way::splatted) splat(scratch.blocks[k].data(), start[k], work.operands[k].itemsize, plan.block);
    }
    for (std::int64_t first = 0; first < n; first += plan.block) {
        const std::int64_t m = std::min(plan.block, n - first);
        for (std::size_t k = 0; k < work.all; ++k) {
            const LineOperand& o = work.operands[k];
            char* const here = start[k] + first * o.stride[work.inner];
            if (plan.ways[k] == Way::in_place) at[place(k)] = here;
            else if (plan.ways[k] == Way::packed && k < work.inputs) move_line(scratch.blocks[k].data(), o.itemsize, here, o.stride[work.inner], o.itemsize, m);
        }
        loop(at.data(), at.data() + outputs, static_cast<std::size_t>(m));
        for (std::size_t k = work.inputs; k < work.all; ++k) {
            const LineOperand& o = work.operands[k];
            if (plan.ways[k] == Way::packed) move_line(start[k] + first * o.stride[work.inner], o.stride[work.inner], scratch.blocks[k].data(), o.itemsize, o.itemsize, m);
        }
    }
}

// All lines of a plane where each goes to the loop at once, its operands where they lie or one element over and over.
void run_plane(Loop loop, const LinePlan& plan, const FewLines& work, LineBlocks& scratch) {
    const std::size_t outer = 1 - work.inner, outputs = work.all - work.inputs;
    std::array<void*, most_operands> at;  // outputs first, as the loop takes them
    std::array<std::int64_t, most_operands> step;
    Few<const LineOperand*, most_operands> splatted;
    Few<char*, most_operands> element, block;
    for (std::size_t k = 0; k < work.all; ++k) {
        const LineOperand& o = work.operands[k];
        const bool over = plan.ways[k] == Way::splatted;
        const std::size_t place = k < work.inputs ? outputs + k : k - work.inputs;
        at[place] = over ? scratch.blocks[k].data() : o.data;
        step[place] = over ? 0 : o.stride[outer];
        if (!over) continue;
        splatted.emplace_back(&o);
        element.emplace_back(o.data);
        block.emplace_back(scratch.blocks[k].data());
    }
    const std::int64_t n = work.length[work.inner];
    for (std::int64_t line = 0; line < work.lines; ++line) {
        for (std::size_t i = 0; i < splatted.size(); ++i) {
            splat(block[i], element[i], splatted[i]->itemsize, n);
            element[i] += splatted[i]->stride[outer];
        }
        loop(at.data(), at.data() + outputs, static_cast<std::size_t>(n));
        for (std::size_t k = 0; k < work.all; ++k) at[k] = static_cast<char*>(at[k]) + step[k];
    }
}

}  // namespace

bool run_lines(RowId id, int index, const Launch& launch) {
    const Signature& signature = row(id).loops[static_cast<std::size_t>(index)];
    FewLines work;
    if (!work.prepare(signature, launch)) return false;
    thread_local LineBlocks scratch;
    static const RowId cast = find_row("cast");
    const bool moves = id == cast && signature.in[0] == signature.out[0];
    const Loop apply = loop(id, index);
    const StridedLoop apart = strided_loop(id, index);
    std::array<char*, most_operands> start;
    for (std::size_t k = 0; k < work.all; ++k) start[k] = work.operands[k].data;
    const bool alike = moves || work.differ_by_whole_elements();
    LinePlan plan(work, start, apart != nullptr);
    if (alike && !moves && work.axes == 2 && plan.goes_at_once(work)) {
        run_plane(apply, plan, work, scratch);
        return true;
    }
    std::array<std::int64_t, most_axes> position{};
    for (std::int64_t line = 0;;) {
        if (line > 0 && !alike) plan = LinePlan(work, start, apart != nullptr);
        if (moves) {
            const LineOperand &from = work.operands[0], &to = work.operands[1];
            move_line(start[1], to.stride[work.inner], start[0], from.stride[work.inner], to.itemsize, work.length[work.inner]);
        } else if (plan.apart) {
            run_apart(apart, work, start);
        } else {
            run_line(apply, plan, work, start, scratch);
        }
        if (++line == work.lines) return true;
        for (std::size_t i = work.axes; i-- > 0;) {
            if (i == work.inner) continue;
            const bool carries = ++position[i] == work.length[i];
            const std::int64_t steps = carries ? 1 - work.length[i] : 1;
            for (std::size_t k = 0; k < work.all; ++k) start[k] += steps * work.operands[k].stride[i];
            if (!carries) break;
            position[i] = 0;
        }
    }
}

}  // namespace asnumpy::cpu
