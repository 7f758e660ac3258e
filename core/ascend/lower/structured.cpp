// Structured rows: which operators run them, and with what around them.
#include <algorithm>

#include "ascend/lower/lowering.hpp"
#include "ascend/lower/activation.hpp"
#include "ascend/launch/refused.hpp"
#include "ascend/lower/call.hpp"
#include "ascend/lower/order.hpp"
#include "ascend/lower/product.hpp"
#include "ascend/lower/term.hpp"
#include "ascend/lower/whole.hpp"
#include "base/error.hpp"
#include "ops/structured.hpp"

namespace asnumpy::ascend {
namespace {

Explanation native(std::string_view call) { return {Path::native, std::string(parse_call(call).op)}; }
Explanation refused(std::string_view call, DType d) {
    return {Path::host, std::string(parse_call(call).op) + " does not accept " + std::string(name(d))};
}

// --- scans ---

// The row that gives the same results for these dtypes and may have an operator: of bools an "or" is the larger one,
// of integers there is no NaN to ignore.
std::string_view alike(std::string_view name, DType d) {
    const auto is = [name](std::initializer_list<std::string_view> names) { return std::ranges::find(names, name) != names.end(); };
    if (d == DType::boolean && is({"add", "fmax", "logical_or", "bitwise_or"})) return "maximum";
    if (d == DType::boolean && is({"multiply", "fmin", "logical_and", "bitwise_and"})) return "minimum";
    if (is_integer(d) && name == "fmax") return "maximum";
    if (is_integer(d) && name == "fmin") return "minimum";
    return name;
}

struct Scan {
    std::string_view call;  // empty: by doubling steps
    DType as{};
    Path path = Path::host;
};
Scan scan_of(const StructuredCall& c) {
    const DType d = c.in[0].dtype;
    const Row& r = row(find_row(alike(row(c.op).name, d)));
    const std::string_view call = calls_of(r.name).scan;
    if (!call.empty()) {
        if (accepts_dtypes(call, d, d)) return {call, d, Path::native};
        if (r.bits == Bits::wraps && kind(d) == 'u' && accepts_dtypes(call, signed_of(d), signed_of(d))) return {call, signed_of(d), Path::reinterpreted};
        if (r.low_bits && is_integer(d))
            for (const DType wide : {DType::int32, DType::int64})
                if (itemsize(wide) > itemsize(d) && accepts_dtypes(call, wide, wide)) return {call, wide, Path::wider};
    }
    // A product of a part may overflow where the running product has reached zero: only CANN's own operator will do.
    const bool by_parts = row(c.op).reducible && !(row(c.op).name == "multiply" && !is_integer(d));
    const int loop = by_parts ? loop_for(c.op, d) : -1;
    return {{}, d, loop >= 0 && elementwise(c.op, loop) ? Path::decomposed : Path::host};
}
Explanation explain_scan(const StructuredCall& c) {
    const Scan scan = scan_of(c);
    if (!scan.call.empty()) return {scan.path, std::string(parse_call(scan.call).op)};
    if (scan.path == Path::decomposed) return {scan.path, "by doubling steps: " + explain(c.op, loop_for(c.op, c.in[0].dtype)).text};
    const int loop = loop_for(c.op, c.in[0].dtype);
    if (loop < 0) return {Path::host, "not a scan"};
    if (elementwise(c.op, loop)) return refused(calls_of(c.op).scan, c.in[0].dtype);
    return {Path::host, explain(c.op, loop).text};
}
// Each step joins an element with the one `step` before it, which stands for as many.
void doubling(Emitter& emitter, const StructuredCall& c) {
    const Lowering& join = expect_elementwise(c.op, loop_for(c.op, c.in[0].dtype));
    const int axis = static_cast<int>(c.axis);
    const std::int64_t n = c.in[0].shape[axis];
    Tensor current = c.in[0], other;
    for (std::int64_t step = 1; step < n; step *= 2) {
        const Tensor next = step * 2 >= n ? c.out[0] : other.data ? other : emitter.temporary(current.shape, current.dtype);
        const std::array<Tensor, 2> both{sliced(current, axis, 0, n - step), sliced(current, axis, step, n - step)};
        const Tensor target = sliced(next, axis, step, n - step);
        copy_to(emitter, sliced(current, axis, 0, step), sliced(next, axis, 0, step));
        join.run(emitter, both, {&target, 1});
        other = step == 1 ? Tensor{} : current;
        current = next;
    }
    if (n == 1) copy_to(emitter, current, c.out[0]);
}
void run_scan(Emitter& emitter, const StructuredCall& c) {
    const Scan scan = scan_of(c);
    if (scan.call.empty()) return doubling(emitter, c);
    const bool same_width = itemsize(scan.as) == itemsize(c.in[0].dtype);
    const Tensor x = same_width ? viewed(c.in[0], scan.as) : cast_to(emitter, c.in[0], scan.as);
    const Tensor out = same_width ? viewed(c.out[0], scan.as) : emitter.temporary(x.shape, scan.as);
    Tensor index;
    if (scan.call.find("index") != std::string_view::npos) index = emitter.temporary(x.shape, DType::int32);
    call(emitter, scan.call, {.x = &x, .out = &out, .index = &index, .axis = c.axis});
    if (!same_width) copy_to(emitter, out, c.out[0]);
}

// --- the place of an extreme ---

RowId extreme_of(const StructuredCall& c) { return find_row(row(c.row).name == "argmax" ? "maximum" : "minimum"); }

struct Placing {
    std::string_view call;
    Ordering how;
    std::string_view opposite{};  // the row that gives the opposite order first: the largest is the smallest there
};
Placing placing_of(std::string_view name, DType d) {
    const Placing own{calls_of(name).elementwise, ordering_of(calls_of(name).elementwise, d, DType::int64)};
    const bool possible = own.how.path != Path::host;
    if ((possible && !own.how.slow) || holds(complexes, d)) return own;
    const std::string_view other = calls_of(name == "argmax" ? "argmin" : "argmax").elementwise;
    const Ordering how = ordering_of(other, d, DType::int64);
    if (how.path == Path::host || (possible && how.slow)) return own;
    return {other, how, is_integer(how.as) ? "invert" : "negative"};
}
Explanation explain_place(const StructuredCall& c) {
    const DType d = c.in[0].dtype;
    const Placing place = placing_of(row(c.row).name, d);
    const Explanation how = explain_ordered(place.call, d, place.how);
    if (!place.opposite.empty()) return {Path::decomposed, std::string(place.opposite == "invert" ? "aclnnBitwiseNot, " : "aclnnNeg, ") + how.text};
    if (how.path != Path::host || !holds(complexes, d)) return how;
    return {Path::decomposed, explain_reduction(extreme_of(c), loop_for(extreme_of(c), d)).text + ", aclnnSWhere, " + native(placing_of("argmax", DType::boolean).call).text};
}
void put_place(Emitter& emitter, const Placing& place, const Tensor& in, std::int64_t axis, const Tensor& out) {
    Tensor x = ordered(emitter, in, place.how);
    if (!place.opposite.empty()) {
        const Tensor opposite = emitter.temporary(x.shape, x.dtype);
        apply_to(emitter, place.opposite, {x}, opposite);
        x = opposite;
    }
    call(emitter, place.call, {.x = &x, .out = &out, .axis = axis});
}
// The first that equals the extreme, or the first that is not a number where the extreme is none.
void run_complex_place(Emitter& emitter, const StructuredCall& c) {
    const Tensor& x = c.in[0];
    const int axis = static_cast<int>(c.axis);
    Dims kept = x.shape;
    kept[axis] = 1;
    const auto made = [&](const Dims& shape, DType d) { return emitter.temporary(shape, d); };
    const Tensor extreme = made(kept, x.dtype), none = made(kept, DType::boolean), equal = made(x.shape, DType::boolean), missing = made(x.shape, DType::boolean), found = made(x.shape, DType::boolean);
    const auto everywhere = [&](Tensor t) {
        t.shape = x.shape;
        t.strides[axis] = 0;
        return t;
    };
    const Folding* const fold = reduction(extreme_of(c), loop_for(extreme_of(c), x.dtype));
    if (!fold) throw NoWay(operation_of(c) + " has no extreme on the device");
    fold->run(emitter, x, std::uint64_t{1} << axis, extreme);
    apply_to(emitter, "isnan", {extreme}, none);
    apply_to(emitter, "isnan", {x}, missing);
    apply_to(emitter, "equal", {x, everywhere(extreme)}, equal);
    apply_to(emitter, "where", {everywhere(none), missing, equal}, found);
    put_place(emitter, placing_of("argmax", DType::boolean), found, c.axis, c.out[0]);
}
void run_place(Emitter& emitter, const StructuredCall& c) {
    if (holds(complexes, c.in[0].dtype)) return run_complex_place(emitter, c);
    put_place(emitter, placing_of(row(c.row).name, c.in[0].dtype), c.in[0], c.axis, c.out[0]);
}

// --- elements moved: any dtype as itself or as integers of its width ---

DType carrier(std::string_view call, DType d, DType y) {  // the dtype as which its elements, or their words, are moved
    if (accepts_dtypes(call, d, y, d) && !is_on_aicpu(call, d)) return d;
    return itemsize(d) > 8 ? DType::int64 : signed_of(d);
}
// By which its elements are chosen: a mask, or indices, whatever their dtype was.
DType moved_by(const StructuredCall& c) { return c.in[1].dtype == DType::boolean ? DType::boolean : DType::int64; }
Explanation explain_moved(const StructuredCall& c) {
    const DType d = c.in[0].dtype, as = carrier(text_of(c), d, moved_by(c));
    return {as == d ? Path::native : Path::reinterpreted, native(text_of(c)).text};
}
// Calls f(word of x, word of out) for each part that is moved by itself.
template <class F> void each_part(const StructuredCall& c, F f) {
    const Tensor &x = c.in[0], &out = c.out[0];
    const DType d = x.dtype, as = carrier(text_of(c), d, moved_by(c));
    const std::size_t parts = as == d ? 1 : words_in(d);
    for (std::size_t k = 0; k < parts; ++k)
        f(parts > 1 ? word_of(x, k) : viewed(x, as), parts > 1 ? word_of(out, k) : viewed(out, as));
}

Tensor counted_from_start(Emitter& emitter, const Tensor& index, std::int64_t length) {
    const Tensor result = emitter.temporary(index.shape, DType::int64);
    apply_to(emitter, "remainder", {index, emitter.constant(Scalar::of(length))}, result);
    return result;
}
void run_take(Emitter& emitter, const StructuredCall& c) {
    const Tensor index = counted_from_start(emitter, c.in[1], c.in[0].shape[static_cast<int>(c.axis)]);
    each_part(c, [&](const Tensor& x, const Tensor& out) {
        call(emitter, text_of(c), {.x = &x, .y = &index, .out = &out, .axis = c.axis});
    });
}

// For each index the last place where the same index stands; all are below `length`.
Tensor last_of_equals(Emitter& emitter, const Tensor& index, std::int64_t length) {
    const auto made = [&] { return emitter.temporary(index.shape, DType::int64); };
    const Tensor sorted = made(), order = made(), found = made(), last = made(), result = made();
    sort_places(emitter, index, length, sorted, order);
    emitter.call("aclnnSearchSorted", {sorted, index, false, true, nullptr, found});
    apply_to(emitter, "subtract", {found, emitter.constant(Scalar::of(std::int64_t{1}))}, last);
    emitter.call("aclnnIndexSelect", {order, std::int64_t{0}, last, result});
    return result;
}
// Where an index stands more than once, all write what the last one writes: so the order does not matter.
void run_scatter(Emitter& emitter, const StructuredCall& c) {
    const int axis = static_cast<int>(c.axis);
    const Tensor index = counted_from_start(emitter, c.in[1], c.out[0].shape[axis]);
    const std::string_view take = calls_of("take").elementwise;
    const bool several = index.shape[0] > 1;
    const Tensor winners = several ? last_of_equals(emitter, index, c.out[0].shape[axis]) : Tensor{};
    each_part(c, [&](const Tensor& x, const Tensor& out) {
        Tensor source = x;
        if (several) {
            source = emitter.temporary(x.shape, x.dtype);
            call(emitter, take, {.x = &x, .y = &winners, .out = &source, .axis = c.axis});
        }
        call(emitter, text_of(c), {.x = &source, .y = &index, .out = &out, .axis = c.axis});
    });
}

// The operator's output has room for all elements; the first ones, whose number is known, are the result.
void run_compress(Emitter& emitter, const StructuredCall& c) {
    const std::int64_t found = c.out[0].shape[0];
    each_part(c, [&](const Tensor& x, const Tensor& out) {
        const Tensor room = emitter.temporary(x.shape, x.dtype);
        call(emitter, text_of(c), {.x = &x, .y = &c.in[1], .out = &room});
        copy_to(emitter, sliced(room, 0, 0, found), out);
    });
}
void run_flatnonzero(Emitter& emitter, const StructuredCall& c) {
    const std::int64_t n = c.in[0].shape[0], found = c.out[0].shape[0];
    const Tensor room = emitter.temporary(Dims{n, 1}, DType::int64);
    call(emitter, text_of(c), {.x = &c.in[0], .out = &room});
    Tensor first = room;
    first.shape = Dims{found};
    first.strides = Dims{8};
    copy_to(emitter, first, c.out[0]);
}
void run_bincount(Emitter& emitter, const StructuredCall& c) {
    const Tensor counts = emitter.temporary(c.out[0].shape, DType::int64);
    call(emitter, text_of(c), {.x = &c.in[0], .out = &counts});
    copy_to(emitter, counts, c.out[0]);
}
void run_in_range(Emitter& emitter, const StructuredCall& c) {
    const Tensor& index = c.in[0];
    const auto made = [&] { return emitter.temporary(index.shape, DType::boolean); };
    const Tensor not_below = made(), below = made(), inside = made();
    apply_to(emitter, "greater_equal", {index, emitter.constant(Scalar::of(-c.option))}, not_below);
    apply_to(emitter, "less", {index, emitter.constant(Scalar::of(c.option))}, below);
    apply_to(emitter, "logical_and", {not_below, below}, inside);
    emitter.call("aclnnAll", {inside, Dims{0}, false, c.out[0]});
}

Explanation simple(const StructuredCall& c) { return native(text_of(c)); }
constexpr std::array ways{
    Way{"matmul", explain_product, run_product},
    Way{"scan", explain_scan, run_scan},
    Way{"argmax", explain_place, run_place},
    Way{"argmin", explain_place, run_place},
    Way{"take", explain_moved, run_take},
    Way{"scatter", [](const StructuredCall& c) { return Explanation{Path::decomposed, "aclnnSort, aclnnSearchSorted, aclnnIndexSelect, " + explain_moved(c).text}; }, run_scatter},
    Way{"compress", explain_moved, run_compress},
    Way{"flatnonzero", simple, run_flatnonzero},
    Way{"bincount", simple, run_bincount},
    Way{"in_range", [](const StructuredCall&) { return Explanation{Path::decomposed, "aclnnGeScalar, aclnnLtScalar, aclnnLogicalAnd, aclnnAll"}; }, run_in_range},
    Way{"overlapping_copy", [](const StructuredCall&) { return Explanation{Path::host, "the elements that it writes overlap each other"}; }, nullptr},
};
constexpr Way activation{"", explain_activation, run_activation}, normalisation{"", explain_normalisation, run_normalisation};
const Way* way_of(RowId id) {
    if (row(id).name.starts_with("random_")) return &draw_way;
    if (is_activation(row(id).name)) return &activation;
    if (is_normalisation(row(id).name)) return &normalisation;
    const auto found = std::ranges::find(ways, row(id).name, &Way::row);
    return found == ways.end() ? whole_way(row(id).name) : &*found;
}

}  // namespace

std::string operation_of(const StructuredCall& c) {
    static const RowId scan = find_row("scan"), matmul = find_row("matmul");
    std::string name(row(c.row).name);
    if (c.row == scan) name += "." + std::string(row(c.op).name);
    if (c.row == matmul && c.option) name += "[" + std::to_string(c.option) + "]";
    DemotionKey key(name);
    for (const Tensor& t : c.in) key.add(t.dtype);
    for (const Tensor& t : c.out) key.add(t.dtype);
    return key.text();
}

Explanation explain(const StructuredCall& c) {
    if (any_demoted()) {
        const std::string operation = operation_of(c);
        if (is_demoted(operation)) return {Path::host, why_demoted(operation)};
    }
    const Way* const way = way_of(c.row);
    if (!way) return {Path::host, "CANN has no such operator"};
    Explanation how = way->explain(c);
    if (how.path == Path::native && way != &draw_way) how.aicpu |= is_on_aicpu(std::string_view(how.text).substr(0, how.text.find(',')), c.in[0].dtype);
    return how;
}

void run(Emitter& emitter, const StructuredCall& c) {
    const Way* const way = way_of(c.row);
    if (!way || !way->run) throw RuntimeFailure(std::string(row(c.row).name) + " does not run on the device");
    way->run(emitter, c);
}

}  // namespace asnumpy::ascend
