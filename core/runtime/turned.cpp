// Copies that turn axes, as roll makes them of two pieces for each axis: where only elementwise work reads one as a whole, it reads the source.
#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "runtime/passes.hpp"
#include "runtime/record.hpp"
#include "runtime/touches.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t most_pieces = 16;  // of four axes

// An axis of a copy: its length, the bytes from one place to the next, and at which place the second piece begins; `length`: there is one piece.
struct PieceAxis {
    int axis;
    std::int64_t length, stride, seam;
};

bool copies_a_piece(const Instruction& i) {
    if (i.work != Work::elementwise || i.row != cast_row() || i.on_host || i.in.size() != 1 || i.out.size() != 1 || !i.in[0].array()) return false;
    const Array &from = *i.in[0].array(), &to = i.out[0];
    return from.dtype == to.dtype && from.buffer != to.buffer && !from.buffer->foreign() && to.host_visible() && !to.buffer->materialised();
}

// The axes of a copy, longest strides first, by the piece that begins where it begins: each has a second piece where that one ends before the axis does.
// Empty: it does not fill its buffer.
std::vector<PieceAxis> axes_of_pieces(std::span<const Instruction> list, std::span<const std::uint32_t> pieces) {
    const Array& first = list[pieces[0]].out[0];
    std::vector<PieceAxis> axes;
    for (int axis = 0; axis < first.ndim(); ++axis) axes.push_back({axis, first.view.shape[axis], first.view.strides[axis], first.view.shape[axis]});
    std::ranges::stable_sort(axes, std::greater(), &PieceAxis::stride);
    for (const std::uint32_t k : pieces.subspan(1)) {
        const View& view = list[k].out[0].view;
        if (view.ndim() != first.ndim() || !(view.strides == first.view.strides)) return {};
        std::int64_t rest = view.offset;
        for (PieceAxis& axis : axes) {
            if (axis.stride <= 0) return {};
            const std::int64_t place = rest / axis.stride;
            rest -= place * axis.stride;
            axis.length = std::max(axis.length, place + view.shape[axis.axis]);
        }
        if (rest != 0) return {};
    }
    std::erase_if(axes, [](const PieceAxis& axis) { return axis.length == 1; });
    std::int64_t filled = item_bytes(first);
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        if (axis->stride != filled) return {};
        filled *= axis->length;
    }
    if (static_cast<std::size_t>(filled) != first.buffer->bytes()) return {};
    return axes;
}

// Whether a piece is one of those that the axes have, and reads where it should; which one: a bit for each axis of whose second part it is.
std::optional<std::uint64_t> which_piece(const Instruction& piece, const Array& first_read, std::span<const PieceAxis> axes) {
    const Array &from = *piece.in[0].array(), &to = piece.out[0];
    std::uint64_t found = 0;
    std::int64_t rest = to.view.offset, moved = from.view.offset - to.view.offset - first_read.view.offset;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const PieceAxis& axis = axes[k];
        if (from.view.strides[axis.axis] != axis.stride) return std::nullopt;
        const std::int64_t place = rest / axis.stride;
        rest -= place * axis.stride;
        const bool second = place != 0;
        if (second ? place != axis.seam || to.view.shape[axis.axis] != axis.length - axis.seam : to.view.shape[axis.axis] != axis.seam) return std::nullopt;
        if (!second) continue;
        found |= std::uint64_t{1} << k;
        moved += axis.length * axis.stride;
    }
    return moved == 0 && rest == 0 ? std::optional(found) : std::nullopt;
}

// Whether the elements come in the order in which they lie, all of them.
bool reads_as_it_lies(const Array& read, const Array& piece) {
    if (read.dtype != piece.dtype || read.view.offset != 0 || static_cast<std::size_t>(read.nbytes()) != read.buffer->bytes()) return false;
    if (is_c_contiguous(read.view, item_bytes(read))) return true;
    return read.ndim() == piece.ndim() && same_steps(read.view, piece.view);
}

// Each program gathers the tiles that a seam goes through, which are most where lines are turned: for several programs the copy is as good, made once.
bool pays(const TurnedCopy& copy, std::span<const Instruction> list, std::span<const Group> groups) {
    const std::vector<Turned::Axis>& axes = copy.turned.axes;
    if (axes.size() == 1 && static_cast<std::size_t>(axes[0].period) == list[copy.pieces[0]].out[0].buffer->bytes()) return true;
    return std::ranges::count_if(groups, [&](const Group& group) { return std::ranges::find(group.through, copy.pieces[0]) != group.through.end(); }) == 1;
}

// Which of two floats comes first may decide the bits of a sum, and so does with what else it is computed. It stays with that.
bool adds_in_order(const Instruction& i) {
    static const RowId add = find_row("add"), multiply = find_row("multiply");
    return i.work == Work::reduction && (i.row == add || i.row == multiply) && !i.out.empty() && (is_float(i.out[0].dtype) || is_complex(i.out[0].dtype));
}

}  // namespace

std::optional<Turned> turned_by(std::span<const Instruction> list, std::span<const std::uint32_t> pieces) {
    if (pieces.size() < 2 || pieces.size() > most_pieces || !copies_a_piece(list[pieces[0]])) return std::nullopt;
    const Array &read = *list[pieces[0]].in[0].array(), &written = list[pieces[0]].out[0];
    if (written.view.offset != 0) return std::nullopt;
    for (const std::uint32_t k : pieces)
        if (!copies_a_piece(list[k]) || list[k].in[0].array()->buffer != read.buffer || list[k].out[0].buffer != written.buffer || list[k].out[0].dtype != written.dtype)
            return std::nullopt;
    const std::vector<PieceAxis> axes = axes_of_pieces(list, pieces);
    std::vector<std::uint64_t> found;
    Turned turned;
    for (const PieceAxis& axis : axes)
        if (axis.seam < axis.length) turned.axes.push_back({axis.length * axis.stride, axis.seam * axis.stride});
    if (turned.axes.empty() || pieces.size() != std::size_t{1} << turned.axes.size()) return std::nullopt;
    for (const std::uint32_t k : pieces) {
        const std::optional<std::uint64_t> which = which_piece(list[k], read, axes);
        if (!which || std::ranges::find(found, *which) != found.end()) return std::nullopt;
        found.push_back(*which);
    }
    return turned;
}

std::size_t read_turned(Draft& draft) {
    const std::span<const Instruction> list = draft.list;
    if (std::ranges::any_of(list, adds_in_order)) return 0;
    const Touches touches(list, draft.census.marks().size());
    const auto is_dead = [&](std::uint32_t k) { return draft.dead[k]; };
    std::vector<TurnedCopy>& copies = draft.edits.turned;
    for (std::uint32_t k = 0; k < list.size(); ++k) {
        if (draft.dead[k] || !copies_a_piece(list[k])) continue;
        const Buffer &copy = *list[k].out[0].buffer, &source = *list[k].in[0].array()->buffer;
        const std::span<const std::uint32_t> writes = touches.writes(copy);
        TurnedCopy made{{writes.begin(), writes.end()}, {}};
        if (made.pieces.front() != k || draft.census[copy].outside || std::ranges::any_of(made.pieces, is_dead)) continue;
        std::vector<std::uint32_t> readers(touches.reads(copy).begin(), touches.reads(copy).end());
        std::erase_if(readers, is_dead);
        // The source keeps its values until the last reader has run: that one may not write it either.
        if (readers.empty() || readers.front() < made.pieces.back()) continue;
        if (const std::span<const std::uint32_t> changes = touches.writes(source, k); !changes.empty() && changes.front() <= readers.back()) continue;
        const auto begins = std::ranges::find_if(made.pieces, [&](std::uint32_t piece) { return list[piece].out[0].view.offset == 0; });
        if (begins == made.pieces.end()) continue;
        std::iter_swap(made.pieces.begin(), begins);
        std::optional<Turned> turned = turned_by(list, made.pieces);
        if (!turned) continue;
        const Array& piece = list[made.pieces[0]].out[0];
        const bool as_it_lies = std::ranges::all_of(readers, [&](std::uint32_t reader) {
            const Instruction& i = list[reader];
            return i.work != Work::structured && !i.on_host && std::ranges::all_of(i.in, [&](const Argument& in) {
                return !in.array() || in.array()->buffer.get() != &copy || reads_as_it_lies(*in.array(), piece);
            });
        });
        if (!as_it_lies) continue;
        made.turned = std::move(*turned);
        copies.push_back(std::move(made));
    }
    if (copies.empty()) return 0;
    const std::vector<Group> groups = form_groups(list, draft.dead, copies);
    std::erase_if(copies, [&](const TurnedCopy& copy) { return !pays(copy, list, groups); });
    std::size_t found = 0;
    for (const TurnedCopy& copy : copies) found += copy.pieces.size();
    return found;
}

}  // namespace asnumpy
