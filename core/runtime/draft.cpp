// Comparisons of instructions, and the one way in which passes change what an instruction reads.
#include "runtime/draft.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "runtime/boxes.hpp"
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
    read_at(read, from, instead_of);
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

// All of a buffer in elements of the part's dtype, by the part's axes where those can be told.
Array whole_of(const Array& part) {
    if (std::optional<View> view = whole_by_axes(part)) return {part.buffer, std::move(*view), part.dtype};
    const auto bytes = static_cast<std::int64_t>(part.buffer->bytes());
    const std::int64_t item = item_bytes(part);
    if (bytes % item == 0) return {part.buffer, contiguous(Dims{bytes / item}, item), part.dtype};
    return {part.buffer, contiguous(Dims{bytes}, 1), DType::uint8};
}

}  // namespace

void read_at(Array& read, const Array& from, const Array& instead_of) {
    read.view.offset += from.view.offset - instead_of.view.offset;
    read.buffer = from.buffer;
}

bool alternates(const Alternation& alternation, std::span<const Instruction> list) {
    const Array& target = list[alternation.puts.front().position].out[0];
    if (2 * static_cast<std::size_t>(target.nbytes()) < target.buffer->bytes() || has_internal_overlap(target.view, item_bytes(target))) return false;
    return std::ranges::all_of(alternation.puts, [&](const Alternation::Put& put) {
        if (put.maker == Alternation::none) return true;
        const Array &made = list[put.maker].out[0], &moved = *list[put.position].in[0].array();
        return !made.buffer->foreign() && !made.buffer->materialised() && made.view == moved.view;
    }) && std::ranges::all_of(alternation.copies, [&](std::uint32_t k) { return moves_only(list[k]); });
}

std::vector<Buffer*> put_in_turns(std::span<const Alternation> all, std::vector<Instruction>& list, bool counted) {
    std::vector<std::pair<std::uint32_t, Instruction>> copies;
    std::vector<Buffer*> others;
    for (const Alternation& alternation : all) {
        const Instruction& put = list[alternation.puts.front().position];
        const Array from = whole_of(put.out[0]);
        Array to = from;
        to.buffer = BufferPtr(new Buffer(from.pool(), from.buffer->bytes()));
        const std::uint32_t maker = alternation.puts.front().maker;
        to.buffer->trace = maker == Alternation::none ? from.buffer->trace : list[maker].out[0].buffer->trace;
        others.push_back(to.buffer.get());
        copies.emplace_back(alternation.begin, copying(from, to));
        copies.back().second.on_stream = put.on_stream;
        copies.back().second.origin = put.origin;
    }
    list.reserve(list.size() + copies.size());
    const auto count_all = [&](const Alternation& alternation, int n) {
        for (std::uint32_t k = alternation.first(); counted && k <= alternation.last(); ++k) add_pending_of(list[k], n);
    };
    for (std::size_t a = 0; a < all.size(); ++a) {
        const BufferPtr one = list[all[a].puts.front().position].out[0].buffer, other(others[a]);
        count_all(all[a], -1);
        bool turned = false;
        auto put = all[a].puts.begin();
        auto next_copy = all[a].copies.begin();
        std::optional<Instruction> copy;  // which is read where it comes from: the next one is made when all readers of it have been met
        for (std::uint32_t k = all[a].first(); k <= all[a].last(); ++k) {
            for (Argument& in : list[k].in) {
                Array* const read = in.array();
                if (read && read->buffer == one) {
                    if (turned) read->buffer = other;
                } else if (read && copy && read->buffer == copy->out[0].buffer) {
                    read_at(*read, *copy->in[0].array(), copy->out[0]);
                }
            }
            if (next_copy != all[a].copies.end() && k == *next_copy) {
                copy = std::move(list[k]);
                list[k].in.clear();
                list[k].out.clear();
                ++next_copy;
            }
            if (k != put->position) continue;
            turned = turned != put->turns;
            Array& out = list[k].out[0];
            out.buffer = turned ? other : one;
            if (put->maker != Alternation::none) {
                list[put->maker].out[0] = std::move(out);
                list[k].in.clear();
                list[k].out.clear();
            }
            ++put;
        }
        count_all(all[a], 1);
        if (counted) add_pending_of(copies[a].second, 1);
    }
    std::ranges::sort(copies, std::greater(), &std::pair<std::uint32_t, Instruction>::first);
    for (auto& [position, copy] : copies) list.insert(list.begin() + position, std::move(copy));
    return others;
}

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
    return same_steps(to.view, from.view) && fills_new_buffer(to);
}

bool holds(const Edits& edits, std::span<const Instruction> list) {
    return std::ranges::all_of(edits.equal, [&](const auto& pair) { return computes_alike(list[pair.first], list[pair.second]); }) &&
           std::ranges::all_of(edits.copies, [&](std::uint32_t k) { return moves_only(list[k]); }) &&
           std::ranges::all_of(edits.turned, [&](const TurnedCopy& copy) { return turned_by(list, copy.pieces) == copy.turned; });
}

Draft::Draft(std::vector<Instruction>& instructions, Census& census_of_it, bool counted) : list(instructions), census(census_of_it), counted_(counted) {
    dead.reserve(list.size());
    for (const Instruction& instruction : list) dead.push_back(instruction.out.empty());
}

void Draft::count(const Instruction& like, int n) const {
    if (counted_) add_pending_of(like, n);
}

void Draft::alternate(std::vector<Alternation>&& found) {
    for (Buffer* const other : put_in_turns(found, list, counted_)) census.add(*other);
    edits.alternations = std::move(found);
    dead.clear();
    for (const Instruction& instruction : list) dead.push_back(instruction.out.empty());
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
