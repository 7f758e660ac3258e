// Step by step: each looks at what made its operands, if nobody else needs that.
#include "ascend/lower/contraction.hpp"

#include <algorithm>
#include <optional>

#include "ascend/lower/term.hpp"
#include "ascend/lower/unit_writer.hpp"
#include "base/error.hpp"
#include "cann/dtypes.hpp"
#include "cann/operators.hpp"

namespace asnumpy::ascend {

void Contraction::run(Emitter& emitter, std::span<const Tensor> in, std::span<const Tensor> out) const {
    const bool joined = !fits || fits(*emitter.known(in[numbers[0]]), *emitter.known(in[numbers[1]]));
    (joined ? recipe : apart).run(emitter, in, out);
}

void Unit::run(Emitter& emitter, std::span<const Tensor> from, std::span<const Tensor> to) const {
    if (contraction) contraction->run(emitter, from, to);
    else lowering->run(emitter, from, to);
}

namespace {

Scalar negated(const Scalar& number, DType dtype) {
    return dispatch(dtype, [&]<class T>() -> Scalar {
        if constexpr (is_narrow_v<T>) throw RuntimeFailure("a number of a narrow dtype has no negative");
        else if constexpr (is_half_v<T>) return Scalar::of(static_cast<T>(-static_cast<float>(number.get<T>())));
        else if constexpr (std::is_integral_v<T>) return Scalar::of(static_cast<T>(0 - static_cast<std::uint64_t>(number.get<T>())));
        else return Scalar::of(static_cast<T>(-number.get<T>()));
    });
}

// How many bits a dtype's whole numbers have, from 0 on without a gap.
int digits(DType d) {
    switch (d) {
        case DType::boolean: return 1;
        case DType::bfloat16: return 8;
        case DType::float16: return 11;
        case DType::float32: return 24;
        case DType::float64: return 53;
        default: return static_cast<int>(itemsize(d)) * 8 - (kind(d) == 'i' ? 1 : 0);
    }
}
// Whether every number of the one is a number of the other.
bool holds_all(DType wide, DType d) {
    const bool known = d == DType::boolean || holds(integers | floats, d);
    if (!known || !holds(integers | floats, wide) || wide == d) return false;
    if (holds(halves, wide) && holds(floats, d)) return false;
    if (holds(integers, wide) && (holds(floats, d) || (kind(wide) == 'u' && kind(d) == 'i'))) return false;
    return digits(wide) >= digits(d);
}

bool holds_nan(const Scalar& s) {
    return dispatch(s.dtype, [&]<class T>() {
        if constexpr (is_half_v<T>) return static_cast<float>(s.get<T>()) != static_cast<float>(s.get<T>());
        else if constexpr (std::is_floating_point_v<T>) return s.get<T>() != s.get<T>();
        else return false;
    });
}
bool in_order(const Scalar& low, const Scalar& high) {
    if (holds_nan(low) || holds_nan(high)) return false;
    return dispatch(low.dtype, [&]<class T>() {
        if constexpr (is_half_v<T>) return static_cast<float>(low.get<T>()) <= static_cast<float>(high.get<T>());
        else if constexpr (std::is_arithmetic_v<T>) return low.get<T>() <= high.get<T>();
        else return false;
    });
}
bool is_zero(const Scalar& number, const Scalar&) {
    return std::ranges::all_of(std::span(number.bytes).first(itemsize(number.dtype)), [](std::byte b) { return b == std::byte{0}; });
}

class Contractor {
public:
    Contractor(const Program& program, const std::vector<bool>& constant, bool round_once)
        : program_(program), constant_(constant), round_once_(round_once) {
        const auto values = static_cast<std::size_t>(program.value_count());
        uses_.assign(values, 0);
        maker_.assign(values, -1);
        number_ = constant;
        number_.resize(values, false);
        for (const Step& step : program.steps)
            for (std::size_t k = 0; k < row(step.row).nin; ++k) ++uses_[step.in[k]];
        for (const Store& store : program.stores) uses_[store.value] += 2;
        for (const Reduction& reduction : program.reductions) ++uses_[reduction.value];
    }

    Units units() {
        for (const Step& step : program_.steps) {
            const Row& r = row(step.row);
            Unit unit;
            unit.nin = r.nin;
            unit.nout = r.nout;
            unit.out = step.out;
            unit.step = &step;
            bool numbers = true;
            for (std::size_t k = 0; k < r.nin; ++k) {
                unit.in[k] = step.in[k];
                numbers = numbers && number_[step.in[k]];
            }
            static const RowId cast = find_row("cast");
            const Signature& s = r.loops[step.loop];
            if (step.row != cast || s.in[0] != s.out[0]) unit.lowering = &expect_elementwise(step.row, step.loop);
            absorbed_.clear();
            if (!numbers && unit.lowering && r.nout == 1)
                if (std::optional<Unit> joined = join(unit)) {
                    unit = std::move(*joined);
                    for (const ValueId v : absorbed_) made_[static_cast<std::size_t>(maker_[v])].nout = 0;
                }
            for (std::size_t k = 0; k < unit.nout; ++k) {
                maker_[unit.out + k] = static_cast<int>(made_.size());
                number_[unit.out + k] = numbers;
            }
            made_.push_back(std::move(unit));
        }
        Units result;
        for (const Reduction& reduction : program_.reductions) result.reduced.push_back(read_by(reduction));
        std::erase_if(made_, [](const Unit& u) { return u.nout == 0; });
        result.units = std::move(made_);
        return result;
    }

private:
    struct Product {
        ValueId x, y;
        bool by_number;  // y is a number
    };

    bool constant(ValueId v) const { return v < constant_.size() && constant_[v]; }
    bool is(const Unit* u, std::string_view name) const { return u && row(u->step->row).name == name; }
    const Signature& loop_of(const Unit& u) const { return row(u.step->row).loops[u.step->loop]; }

    // The step by itself that made a value for one reader alone.
    const Unit* made_for_this(ValueId v) const {
        if (maker_[v] < 0 || uses_[v] != 1 || number_[v]) return nullptr;
        const Unit& unit = made_[static_cast<std::size_t>(maker_[v])];
        return unit.lowering && !unit.contraction ? &unit : nullptr;
    }
    std::optional<Product> product_of(ValueId v) const {
        const Unit* const u = made_for_this(v);
        if (is(u, "square")) return Product{u->in[0], u->in[0], false};
        if (!is(u, "multiply")) return std::nullopt;
        if (constant(u->in[0])) return Product{u->in[1], u->in[0], true};
        return Product{u->in[0], u->in[1], constant(u->in[1])};
    }
    UnitWriter writer(const Unit& last, std::string_view op) const {
        UnitWriter w(program_, last);
        w(op);
        return w;
    }

    std::optional<Unit> join(const Unit& last) {
        const std::string_view name = row(last.step->row).name;
        std::optional<Unit> made;
        if (name == "add" || name == "subtract") made = join_sum(last, name == "subtract");
        else if (name == "maximum" || name == "minimum") made = join_bounds(last, name == "maximum");
        else if (name == "cast") return join_cast_of_result(last);
        return made ? made : join_cast_of_operand(last);
    }

    // --- products and quotients that are added ---

    std::optional<Unit> join_sum(const Unit& last, bool subtract) {
        const DType dtype = program_.dtype(last.out);
        const bool whole = holds(integers, dtype);
        if (!whole && !(round_once_ && holds(floats, dtype))) return std::nullopt;
        // Sums and products of integers have the same bits with a sign and without.
        const DType as = whole ? signed_of(dtype) : dtype;
        for (const std::size_t side : {1u, 0u}) {
            absorbed_.assign(1, last.in[side]);
            const ValueId other = last.in[1 - side];
            std::optional<Unit> made;
            if (const auto p = product_of(last.in[side])) {
                if (p->by_number) made = with_factor(last, *p, other, subtract, side, as);
                else if (!subtract || side == 1) made = with_product(last, *p, other, subtract, as);
            } else if (const Unit* const quotient = made_for_this(last.in[side]); is(quotient, "divide") && (!subtract || side == 1)) {
                made = writer(last, "aclnnAddcdiv").tensor(other, as).tensor(quotient->in[0], as).tensor(quotient->in[1], as).fixed(subtract ? -1 : 1, as).output(as).done();
            }
            if (made) return made;
        }
        return std::nullopt;
    }
    // n * x on the side given, and the other operand.
    std::optional<Unit> with_factor(const Unit& last, const Product& p, ValueId other, bool subtract, std::size_t side, DType as) const {
        if (constant(other)) {  // other - alpha * self, of the numbers' negatives where that is needed
            const bool negative = subtract && side == 0;
            return writer(last, "aclnnRsubs").tensor(p.x, as).number(other, as, negative ? negated : nullptr)
                .number(p.y, as, !subtract || negative ? negated : nullptr).output(as).done();
        }
        if (subtract && side == 0) return std::nullopt;
        return writer(last, subtract ? "aclnnSub" : "aclnnAdd").tensor(other, as).tensor(p.x, as).number(p.y, as).output(as).done();
    }
    std::optional<Unit> with_product(const Unit& last, Product p, ValueId other, bool subtract, DType as) {
        // n * x * y in one: the operator has a factor. Long integers may not fit into the number that it is read as.
        std::optional<ValueId> factor;
        for (ValueId* const one : {&p.x, &p.y}) {
            if (p.x == p.y || factor || (holds(integers, as) && itemsize(as) > 4)) break;
            const auto inner = product_of(*one);
            if (!inner || !inner->by_number) continue;
            absorbed_.push_back(*one);
            factor = inner->y;
            *one = inner->x;
        }
        UnitWriter w = writer(last, "aclnnAddcmul");
        w.tensor(other, as).tensor(p.x, as).tensor(p.y, as);
        if (factor) w.number(*factor, as, subtract ? negated : nullptr);
        else w.fixed(subtract ? -1 : 1, as);
        return w.output(as).done();
    }

    // --- bounds ---

    std::optional<Unit> join_bounds(const Unit& last, bool maximum) {
        const Unit* const first = made_for_this(last.in[0]);
        const ValueId bound = last.in[1];
        if (!first || !constant(bound)) return std::nullopt;
        const DType d = program_.dtype(last.out);
        absorbed_.assign(1, last.in[0]);
        if (is(first, maximum ? "minimum" : "maximum") && constant(first->in[1]) && !constant(first->in[0])) {
            const ValueId x = first->in[0], low = maximum ? bound : first->in[1], high = maximum ? first->in[1] : bound;
            const auto half = [&](UnitWriter& w, bool upper) -> UnitWriter& { return w(upper ? "aclnnMinimum" : "aclnnMaximum"); };
            UnitWriter w = writer(last, "aclnnClamp");
            w.tensor(x, d).number(low, d).number(high, d).output(d).unless(in_order, low, high);
            half(w, maximum).tensor(x, d).number(maximum ? high : low, d, nullptr, true).output(d);
            half(w, !maximum).again(d).number(maximum ? low : high, d, nullptr, true).output(d);
            return w.done();
        }
        if (maximum && is(first, "add") && holds(floats, d) && !constant(first->in[0]) && !constant(first->in[1])) {
            UnitWriter w = writer(last, "aclnnAddRelu");
            w.tensor(first->in[0], d).tensor(first->in[1], d).fixed(1, d).output(d).unless(is_zero, bound, bound);
            w("aclnnAdd").tensor(first->in[0], d).tensor(first->in[1], d).fixed(1, d).output(d);
            w("aclnnMaximum").again(d).number(bound, d, nullptr, true).output(d);
            return w.done();
        }
        return std::nullopt;
    }

    // --- casts ---

    // The operator that computes this step by itself; empty where there is none, or more than one.
    std::string_view own_operator(const Unit& u) const {
        const std::string_view text = calls_of(u.step->row).elementwise;
        if (text.empty() || u.lowering->explanation().path != Path::native) return {};
        const CallString call = parse_call(text);
        return u.lowering->explanation().text == call.op ? text : std::string_view();
    }
    // Calls by the text, with inputs of dtypes of their own; the words are those of rows that own_operator() knows.
    std::optional<Unit> called(const Unit& last, const Unit& what, std::string_view text, std::span<const ValueId> in, DType out) const {
        const CallString call = parse_call(text);
        const auto parameters = parameters_of(call.op);
        UnitWriter w = writer(last, call.op);
        for (std::size_t i = 0; i < call.arguments.size(); ++i) {
            const std::string_view word = call.arguments[i];
            if (parameters[i].same_dtype >= 0) return std::nullopt;
            if (word == "x" || word == "y") {
                const ValueId v = in[word == "y"];
                const bool scalar = parameters[i].kind == cann::Kind::scalar;
                if (scalar != constant(v)) return std::nullopt;
                if (scalar) w.number(v, program_.dtype(v));
                else w.tensor(v, program_.dtype(v));
            } else if (word == "out") {
                w.output(out);
            } else if (word == "true" || word == "false" || word == "null" || word == "dtype" || word == "z" || word == "out2") {
                return std::nullopt;
            } else {
                const std::int64_t value = std::stoll(std::string(word));
                if (parameters[i].kind == cann::Kind::scalar) w.fixed(value, loop_of(what).in[0]);
                else w.plain(value);
            }
        }
        return w.done();
    }

    // An operand that is cast to what the operator would cast it to.
    std::optional<Unit> join_cast_of_operand(const Unit& last) {
        if (last.nin != 2 || loop_of(last).in[0] != loop_of(last).in[1]) return std::nullopt;
        const std::string_view text = own_operator(last);
        if (text.empty()) return std::nullopt;
        const DType d = loop_of(last).in[0];
        for (const std::size_t side : {0u, 1u}) {
            const Unit* const cast = made_for_this(last.in[side]);
            if (!is(cast, "cast") || number_[last.in[1 - side]]) continue;
            const DType from = loop_of(*cast).in[0];
            if (!holds_all(d, from) || cann::tensor_tensor[cann::letter_of(from)][cann::letter_of(d)] != cann::letter_of(d)) continue;
            std::array<ValueId, 2> in{last.in[0], last.in[1]};
            in[side] = cast->in[0];
            absorbed_.assign(1, last.in[side]);
            if (auto made = called(last, last, text, in, program_.dtype(last.out))) return made;
        }
        return std::nullopt;
    }
    // Likewise the value of a reduction.
    ValueId read_by(const Reduction& reduction) {
        const Unit* const cast = made_for_this(reduction.value);
        if (!is(cast, "cast")) return reduction.value;
        const ValueId from = cast->in[0];
        const Folding* const folding = asnumpy::ascend::reduction(reduction.row, reduction.loop);
        if (!folding || !holds_all(program_.dtype(reduction.value), program_.dtype(from)) || !folding->casts_from(program_.dtype(from))) return reduction.value;
        made_[static_cast<std::size_t>(maker_[reduction.value])].nout = 0;
        return from;
    }
    // A result that is rounded to a narrower float as it is written.
    std::optional<Unit> join_cast_of_result(const Unit& last) {
        const Unit* const first = made_for_this(last.in[0]);
        const DType from = program_.dtype(last.in[0]), to = program_.dtype(last.out);
        if (!first || !holds(floats, from) || !holds(floats, to) || itemsize(to) >= itemsize(from)) return std::nullopt;
        std::string_view text = own_operator(*first);
        for (std::size_t k = 0; k < first->nin; ++k)
            if (loop_of(*first).in[k] != from) return std::nullopt;
        if (text.empty()) return std::nullopt;
        const RowCalls& calls = calls_of(first->step->row);
        if (first->nin == 2 && constant(first->in[1])) text = calls.scalar_last;
        else if (first->nin == 2 && constant(first->in[0])) text = calls.scalar_first;
        if (text.empty()) return std::nullopt;
        absorbed_.assign(1, last.in[0]);
        return called(last, *first, text, first->in, to);
    }

    const Program& program_;
    const std::vector<bool>& constant_;
    const bool round_once_;
    std::vector<int> uses_, maker_;   // by value: how often it is read, where a store counts twice; its unit, -1 for inputs
    std::vector<bool> number_;        // by value: made of numbers alone
    std::vector<ValueId> absorbed_;   // values that the unit under way makes unnecessary
    std::vector<Unit> made_;
};

}  // namespace

Units contract(const Program& program, const std::vector<bool>& constant, bool round_once) {
    return Contractor(program, constant, round_once).units();
}

}  // namespace asnumpy::ascend
