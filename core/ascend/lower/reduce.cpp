// Reductions along axes: by an operator of CANN's, or by the row itself, applied to neighbours.
#include <algorithm>
#include <limits>

#include "ascend/lower/lowering.hpp"
#include "ascend/lower/call.hpp"
#include "ascend/lower/term.hpp"

namespace asnumpy::ascend {
namespace {

Dims kept_shape(const Dims& shape, const std::vector<int>& axes) {
    Dims result = shape;
    for (const int axis : axes) result[axis] = 1;
    return result;
}

Tensor every_second(Tensor tensor, int axis, std::int64_t first, std::int64_t count) {
    tensor = sliced(std::move(tensor), axis, first, count);
    tensor.strides[axis] *= 2;
    return tensor;
}

// Along all axes at once, or where the operator takes one axis, one after the other.
void reduce_by(Emitter& emitter, std::string_view text, const Tensor& in, const std::vector<int>& axes, const Tensor& out) {
    const bool one_by_one = text.find(" axis ") != std::string_view::npos;
    Named named;
    if (!one_by_one) {
        named.x = &in;
        named.out = &out;
        for (const int axis : axes) named.axes.push_back(axis);
        return call(emitter, text, named);
    }
    Tensor current = in;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const Tensor next = i + 1 == axes.size() ? out : emitter.temporary(kept_shape(current.shape, {axes[i]}), out.dtype);
        named.x = &current;
        named.out = &next;
        named.axis = axes[i];
        call(emitter, text, named);
        current = next;
    }
}

}  // namespace

struct Folds {
    using Axes = std::vector<int>;

    // In the dtype `as`: the same bits, or cast and cast back.
    static void operators(const Folding& f, Emitter& emitter, const Tensor& in, const Axes& axes, const Tensor& out) {
        if (f.as_ == in.dtype || f.casts_from(in.dtype)) return reduce_by(emitter, f.call_, in, axes, out);
        if (itemsize(f.as_) == itemsize(in.dtype)) return reduce_by(emitter, f.call_, viewed(in, f.as_), axes, viewed(out, f.as_));
        const Tensor result = emitter.temporary(out.shape, f.as_);
        reduce_by(emitter, f.call_, cast_to(emitter, in, f.as_), axes, result);
        copy_to(emitter, result, out);
    }

    // uint64 in the order of int64: with the highest bit turned.
    static void turned(const Folding& f, Emitter& emitter, const Tensor& in, const Axes& axes, const Tensor& out) {
        const Scalar highest = Scalar::of(INT64_MIN);
        const Tensor values = emitter.temporary(in.shape, DType::int64), result = emitter.temporary(out.shape, DType::int64);
        apply_to(emitter, "bitwise_xor", {viewed(in, DType::int64), emitter.constant(highest)}, values);
        reduce_by(emitter, f.call_, values, axes, result);
        apply_to(emitter, "bitwise_xor", {result, emitter.constant(highest)}, viewed(out, DType::int64));
    }

    // The extreme of what is a number; NaN where nothing is.
    static void numbers(const Folding& f, Emitter& emitter, const Tensor& in, const Axes& axes, const Tensor& out) {
        const double inf = std::numeric_limits<double>::infinity();
        const Tensor missing = emitter.temporary(in.shape, DType::boolean), values = emitter.temporary(in.shape, in.dtype);
        const Tensor none = emitter.temporary(out.shape, DType::boolean), best = emitter.temporary(out.shape, in.dtype);
        const bool largest = f.call_.starts_with("aclnnAmax");
        apply_to(emitter, "isnan", {in}, missing);
        apply_to(emitter, "where", {missing, emitter.constant(cast_number(Scalar::of(largest ? -inf : inf), in.dtype)), in}, values);
        reduce_by(emitter, f.call_, values, axes, best);
        reduce_by(emitter, calls_of("logical_and").reduce, missing, axes, none);
        apply_to(emitter, "where", {none, emitter.constant(cast_number(Scalar::of(std::numeric_limits<double>::quiet_NaN()), in.dtype)), best}, out);
    }

    // Whether an odd number of them is true.
    static void parity(const Folding& f, Emitter& emitter, const Tensor& in, const Axes& axes, const Tensor& out) {
        const Tensor sum = emitter.temporary(out.shape, DType::int64), last = emitter.temporary(out.shape, DType::int64);
        reduce_by(emitter, f.call_, in, axes, sum);
        apply_to(emitter, "bitwise_and", {sum, emitter.constant(Scalar::of(std::int64_t{1}))}, last);
        copy_to(emitter, last, out);
    }

    // Neighbours meet, then neighbours among the results, until one element is left: the order stays what it was.
    static void neighbours(const Folding& f, Emitter& emitter, const Tensor& in, const Axes& axes, const Tensor& out) {
        const Lowering& meet = expect_elementwise(f.row_, f.loop_);
        Tensor current = in;
        bool own = false;
        for (const int axis : axes) {
            for (std::int64_t n = in.shape[axis]; n > 1; n -= n / 2) {
                const std::int64_t pairs = n / 2;
                const std::array<Tensor, 2> both{every_second(current, axis, 0, pairs), every_second(current, axis, 1, pairs)};
                Tensor target = both[0];
                const Tensor before = current;
                if (own) {
                    current = every_second(current, axis, 0, n - pairs);
                } else {
                    Dims shape = current.shape;
                    shape[axis] = n - pairs;
                    current = emitter.temporary(shape, in.dtype);
                    if (n % 2) copy_to(emitter, sliced(before, axis, n - 1, 1), sliced(current, axis, pairs, 1));
                    target = sliced(current, axis, 0, pairs);
                    own = true;
                }
                meet.run(emitter, both, {&target, 1});
            }
        }
        copy_to(emitter, current, out);
    }

    static std::string_view reduce_of(std::string_view name) { return calls_of(name).reduce; }

    static void choose(Folding& f) {
        const Row& r = row(f.row_);
        const DType d = r.loops[static_cast<std::size_t>(f.loop_)].in[0];
        const auto by = [&](Path path, std::string_view call, DType as, Folding::Run run) {
            f.call_ = call;
            f.as_ = as;
            f.run_ = run;
            f.explanation_ = {path, std::string(parse_call(call).op)};
        };
        std::string_view name = r.name;
        if (d == DType::boolean) {
            const auto is = [&](std::initializer_list<std::string_view> names) { return std::ranges::find(names, name) != names.end(); };
            const auto offered = [d](std::string_view call, DType out) { return accepts_dtypes(call, d, out); };
            const std::string_view any = reduce_of("logical_or"), all = reduce_of("logical_and"), sum = reduce_of("add");
            if (is({"add", "maximum", "fmax", "logical_or", "bitwise_or"}) && offered(any, d)) return by(Path::native, any, d, operators);
            if (is({"multiply", "minimum", "fmin", "logical_and", "bitwise_and"}) && offered(all, d)) return by(Path::native, all, d, operators);
            if (is({"logical_xor", "bitwise_xor"}) && offered(sum, DType::int64)) return by(Path::decomposed, sum, d, parity);
        }
        std::string_view call = calls_of(r.name).reduce;
        const bool ignores = name == "fmax" || name == "fmin";
        if (ignores) call = reduce_of(name == "fmax" ? "maximum" : "minimum");
        for (const bool slow : {false, true}) {  // what the AI cores have comes first
            const auto accepted = [&](DType as) { return !call.empty() && accepts_dtypes(call, as, as) && is_on_aicpu(call, as) == slow; };
            if (ignores && is_float(d) && accepted(d)) return by(Path::decomposed, call, d, numbers);
            if (accepted(d) && !(ignores && is_float(d))) return by(Path::native, call, d, operators);
            if (r.bits == Bits::wraps && kind(d) == 'u' && accepted(signed_of(d))) return by(Path::reinterpreted, call, signed_of(d), operators);
            if (r.low_bits && is_integer(d) && itemsize(d) < 8)
                for (const DType wide : {DType::int32, DType::int64})
                    if (itemsize(wide) > itemsize(d) && accepted(wide)) return by(Path::wider, call, wide, operators);
            if (d == DType::uint64 && r.bits == Bits::values && accepted(DType::int64)) return by(Path::decomposed, call, d, turned);
        }
        const Lowering* const meet = elementwise(f.row_, f.loop_);
        if (!meet) {
            f.explanation_ = explain(f.row_, f.loop_);
            return;
        }
        f.run_ = neighbours;
        f.explanation_ = {Path::decomposed, "by neighbours: " + meet->explanation().text};
    }
};

Folding::Folding(RowId id, int loop) : row_(id), loop_(loop) {
    const Row& r = row(id);
    const Signature& s = r.loops[static_cast<std::size_t>(loop)];
    const bool folds = r.reducible && s.nin == 2 && s.nout == 1 && s.in[0] == s.in[1] && s.in[0] == s.out[0];
    if (any_demoted() && is_demoted(reduction_of(id, loop))) explanation_ = {Path::host, why_demoted(reduction_of(id, loop))};
    else if (folds) Folds::choose(*this);
    else explanation_ = {Path::host, "not a reduction"};
    if (possible() && !call_.empty() && is_on_aicpu(call_, as_)) explanation_.aicpu = true;
}

bool Folding::casts_from(DType from) const {
    const DType d = row(row_).loops[static_cast<std::size_t>(loop_)].in[0];
    return run_ == Folds::operators && as_ == d && call_.find(" dtype ") != std::string_view::npos && accepts_dtypes(call_, from, d);
}

void Folding::run(Emitter& emitter, const Tensor& in, std::uint64_t reduced, const Tensor& out) const {
    std::vector<int> axes;
    Tensor target = out;
    for (int axis = 0; axis < in.shape.size(); ++axis) {
        if (!(reduced >> axis & 1)) continue;
        axes.push_back(axis);
        target.shape[axis] = 1;
        target.strides[axis] = static_cast<std::int64_t>(itemsize(out.dtype));
    }
    if (count(target.shape) == 0) return;
    if (axes.empty()) return copy_to(emitter, in, target);
    run_(*this, emitter, in, axes, target);
}

}  // namespace asnumpy::ascend
