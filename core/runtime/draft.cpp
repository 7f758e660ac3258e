// Comparisons of instructions, and the one way in which passes change what an instruction reads.
#include "runtime/draft.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/record.hpp"

namespace asnumpy {

namespace {

// The array fills its buffer, in any order of the axes, and nothing has been there; an axis along which it repeats is a reduction's.
bool fills_new_buffer(const Array& a) {
    if (a.buffer->materialised() || a.buffer->bytes() == 0 || a.view.offset != 0) return false;
    std::int64_t filled = item_bytes(a), left = 0;
    for (int axis = 0; axis < a.ndim(); ++axis) left += a.view.shape[axis] > 1 && a.view.strides[axis] != 0;
    for (bool found = true; left > 0 && found;) {
        found = false;
        for (int axis = 0; axis < a.ndim(); ++axis) {
            if (a.view.shape[axis] <= 1 || a.view.strides[axis] != filled) continue;
            filled *= a.view.shape[axis];
            found = true;
            --left;
        }
    }
    return left == 0 && static_cast<std::size_t>(filled) == a.buffer->bytes();
}

bool same_scalar(const Scalar& a, const Scalar& b) { return a.dtype == b.dtype && a.bytes == b.bytes; }

bool same_operand(const Argument& a, const Argument& b) {
    if (a.scalar() || b.scalar()) return a.scalar() && b.scalar() && same_scalar(*a.scalar(), *b.scalar());
    const Array &x = *a.array(), &y = *b.array();
    return x.dtype == y.dtype && x.view == y.view && !x.buffer->foreign() && !y.buffer->foreign();
}

bool same_output(const Array& a, const Array& b) {
    return a.dtype == b.dtype && a.view == b.view && &a.pool() == &b.pool() && fills_new_buffer(a) && fills_new_buffer(b);
}

void read_instead(const Redirect& change, std::span<Instruction> list, bool counted) {
    Array& read = *list[change.reader].in[change.slot].array();
    const Array &from = *operand_array(list, change.from), &instead_of = *operand_array(list, change.instead_of);
    if (counted) {
        add_pending(from.buffer->pending_reads, 1);
        add_pending(read.buffer->pending_reads, -1);
    }
    read.view.offset += from.view.offset - instead_of.view.offset;
    read.buffer = from.buffer;
}

// Where the sum is where its other operand was, nothing is left to do in the product's place.
void add_to_product(const Accumulation& change, std::span<Instruction> list) {
    Instruction product = std::move(list[change.product]);
    Instruction copy = std::move(list[change.sum]);
    Argument term = std::move(copy.in[1u - change.side]);
    product.out[0] = copy.out[0];
    product.option = 1;
    const Array* const there = term.array();
    const bool in_place = there && there->buffer == product.out[0].buffer && there->view == product.out[0].view;
    copy.in.clear();
    if (in_place) {
        copy.out.clear();
    } else {
        copy.row = cast_row();
        copy.loop = static_cast<std::uint16_t>(cast_loop(term.dtype(), term.dtype()));
        copy.in.emplace_back(std::move(term));
    }
    list[change.product] = std::move(copy);
    list[change.sum] = std::move(product);
}

void add_pending_of(const Instruction& i, int n) {
    each_buffer(i, [n](Buffer& b, bool written) { add_pending(written ? b.pending_writes : b.pending_reads, n); });
}

void add_to_product_counted(const Accumulation& change, std::span<Instruction> list) {
    for (const std::uint32_t k : {change.product, change.sum}) add_pending_of(list[k], -1);
    add_to_product(change, list);
    for (const std::uint32_t k : {change.product, change.sum}) add_pending_of(list[k], 1);
}

}  // namespace

bool computes_alike(const Instruction& a, const Instruction& b) {
    using Bits = std::array<std::uint64_t, 2>;
    return a.work == b.work && a.row == b.row && a.loop == b.loop && a.op == b.op && a.axis == b.axis && a.option == b.option &&
           std::bit_cast<Bits>(a.numbers) == std::bit_cast<Bits>(b.numbers) && a.reduced == b.reduced && a.on_host == b.on_host &&
           a.on_stream == b.on_stream && a.shape == b.shape && !is_draw(a) && keeps_nothing(a) && std::ranges::equal(a.in, b.in, same_operand) &&
           std::ranges::equal(a.out, b.out, same_output);
}

bool moves_only(const Instruction& i) {
    if (i.work != Work::elementwise || i.row != cast_row() || !i.in[0].array()) return false;
    const Array &from = *i.in[0].array(), &to = i.out[0];
    if (from.dtype != to.dtype || from.buffer == to.buffer || from.buffer->foreign()) return false;
    for (int axis = 0; axis < to.ndim(); ++axis)
        if (to.view.shape[axis] > 1 && from.view.strides[axis] != to.view.strides[axis]) return false;
    return fills_new_buffer(to);
}

bool holds(const Edits& edits, std::span<const Instruction> list) {
    return std::ranges::all_of(edits.equal, [&](const auto& pair) { return computes_alike(list[pair.first], list[pair.second]); }) &&
           std::ranges::all_of(edits.copies, [&](std::uint32_t k) { return moves_only(list[k]); }) &&
           std::ranges::all_of(edits.turned, [&](const TurnedCopy& copy) { return turned_by(list, copy.pieces) == copy.turned; });
}

Draft::Draft(std::span<Instruction> instructions, Census& census_of_it, bool counted) : list(instructions), census(census_of_it), counted_(counted) {
    dead.reserve(list.size());
    for (const Instruction& instruction : list) dead.push_back(instruction.out.empty());
}

void Draft::count(const Instruction& like, int n) const {
    if (counted_) add_pending_of(like, n);
}

void Draft::redirect(const Redirect& change) {
    edits.redirects.push_back(change);
    read_instead(change, list, counted_);
}

void Draft::accumulate(const Accumulation& change) {
    edits.sums.push_back(change);
    if (counted_) add_to_product_counted(change, list);
    else add_to_product(change, list);
    dead[change.product] = list[change.product].out.empty();
}

void repeat(const Edits& edits, std::span<Instruction> list) {
    for (const Redirect& change : edits.redirects) read_instead(change, list, true);
    for (const Accumulation& change : edits.sums) add_to_product_counted(change, list);
}

std::vector<std::uint32_t> Draft::writes() const {
    std::vector<std::uint32_t> found(census.marks().size());
    for (const Instruction& instruction : list)
        for (const Array& out : instruction.out) ++found[out.buffer->number];
    return found;
}

}  // namespace asnumpy
