// Making recipes: which way a loop takes, and what each way calls.
#include <algorithm>
#include <utility>

#include "ascend/lower/term.hpp"
#include "base/error.hpp"
#include "cann/operators.hpp"

namespace asnumpy::ascend {
namespace {

constexpr int deepest = 24;  // rules that use rules: no lowering needs more

std::string signature_text(const Row& r, const Signature& s) {
    std::string text = std::string(r.name) + "(";
    for (std::size_t i = 0; i < s.nin; ++i) text += (i ? ", " : "") + std::string(name(s.in[i]));
    return text + ")";
}

int operand_of(std::string_view word) { return word == "x" ? 0 : word == "y" ? 1 : word == "z" ? 2 : -1; }
int output_of(std::string_view word) { return word == "out" ? 0 : word == "out2" ? 1 : -1; }

bool does_the_same(const Recipe::Step& a, const Recipe::Step& b) {
    if (a.op != b.op || a.writes != b.writes) return false;
    for (std::size_t i = 0; i < a.parts.size(); ++i)
        if (!(a.writes >> i & 1) && a.parts[i] != b.parts[i]) return false;
    return true;
}

// Some outputs must have the shape of one of the operands, without broadcasting.
bool gives_shape(std::span<const cann::Parameter> parameters, std::size_t operand) {
    return std::ranges::any_of(parameters, [operand](const cann::Parameter& p) {
        return p.direction == cann::Direction::out && p.same_shape == static_cast<int>(operand);
    });
}

}  // namespace

template <class F> std::optional<Terms> Builder::attempt(F&& way, std::string& reason) {
    const State before = state_;
    const int depth = depth_;
    try {
        return way();
    } catch (const Unlowerable& why) {
        state_ = before;
        depth_ = depth;
        if (reason.empty()) reason = why.what();
        return std::nullopt;
    }
}

Terms Builder::resolve(RowId id, int loop, std::span<const Term> in) {
    if (++depth_ > deepest) throw Unlowerable("rules lead back to themselves");
    const Row& r = row(id);
    const Signature& s = r.loops[static_cast<std::size_t>(loop)];
    const DType decisive = s.nin == 3 ? s.in[1] : s.in[0];
    const auto rule = [&](bool instead) -> const Rule* {
        for (const auto rules : {integer_rules(), float_rules(), complex_rules(), cast_rules()})
            for (const Rule& one : rules)
                if (one.row == r.name && one.instead == instead && holds(one.dtypes, decisive)) return &one;
        return nullptr;
    };
    std::string reason;
    std::optional<Terms> result;
    const Rule* const instead = rule(true);
    const Rule* const otherwise = instead ? nullptr : rule(false);
    const auto by_rule = [&](const Rule& one) {
        return attempt([&] {
            const bool before = std::exchange(state_.decomposed, true);
            const std::size_t steps = state_.steps.size();
            Terms out = one.decompose(in, s);
            if (state_.steps.size() <= steps + 1) state_.decomposed = before;  // another operator, or none
            return out;
        }, reason);
    };
    if (instead) result = by_rule(*instead);
    else result = attempt([&] { return operators_of(r, s, in); }, reason);
    if (!result && !instead && r.bits != Bits::values) result = attempt([&] { return r.bits == Bits::wraps ? by_bits(id, s, in) : by_words(id, s, in); }, reason);
    if (!result && otherwise) result = by_rule(*otherwise);
    if (!result) result = attempt([&] { return wider(id, s, in); }, reason);
    --depth_;
    if (!result) throw Unlowerable(reason);
    return *result;
}

Terms Builder::operators_of(const Row& r, const Signature& s, std::span<const Term> in) {
    const RowCalls& calls = calls_of(r.name);
    std::string reason;
    const bool last = in.size() == 2 && in[1].is_number() && !in[0].is_number(), first = in.size() == 2 && in[0].is_number() && !in[1].is_number();
    const std::string_view with_scalar = last ? calls.scalar_last : first ? calls.scalar_first : std::string_view();
    if (!with_scalar.empty())
        if (auto result = attempt([&] { return call(with_scalar, s, in); }, reason)) return *result;
    if (calls.elementwise.empty()) throw Unlowerable("CANN has no operator for " + signature_text(r, s));
    if (!calls.instead.empty())
        if (auto result = attempt([&] { return call(calls.elementwise, s, in); }, reason)) return *result;
    return call(calls.instead.empty() ? calls.elementwise : calls.instead, s, in);
}

// A tensor of the outputs' shape, each element of which is the same.
Term Builder::spread(Term t) {
    const Term whole = temporary(t.dtype_);
    copy(t, static_cast<std::size_t>(whole.storage_), 0);
    return whole;
}

Terms Builder::call(std::string_view text, const Signature& s, std::span<const Term> in) {
    const CallString parsed = parse_call(text);
    const int found = cann::find_operator(parsed.op);
    if (found < 0) throw Unlowerable(std::string(parsed.op) + " is not among CANN's operators");
    const auto parameters = cann::parameters(cann::operators()[static_cast<std::size_t>(found)]);
    if (parameters.size() != parsed.arguments.size())
        throw RuntimeFailure("'" + std::string(text) + "': expected " + std::to_string(parameters.size()) + " arguments");
    for (std::size_t k = 1; k < in.size(); ++k)
        if (in[k].dtype_ != in[0].dtype_ && in.size() < 3) throw Unlowerable(std::string(parsed.op) + " takes one dtype");
    Recipe::Step step{parsed.op, {}, 0};
    Terms out;
    const bool all_single = std::ranges::all_of(in, [this](const Term& t) { return single(t); });
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const cann::Parameter& parameter = parameters[i];
        const std::string_view word = parsed.arguments[i];
        const auto checked = [&](DType dtype) {
            if (cann::accepts(parameter, dtype)) return;
            throw Unlowerable(std::string(parsed.op) + " does not accept " + std::string(name(dtype)));
        };
        if (const int k = operand_of(word); k >= 0) {
            Term t = in[static_cast<std::size_t>(k)];
            checked(t.dtype_);
            const bool scalar = parameter.kind == cann::Kind::scalar;
            if (scalar && !t.is_number()) throw RuntimeFailure("'" + std::string(text) + "': " + parameter.name + " must be a number");
            if (single(t) && !all_single && gives_shape(parameters, i)) t = spread(t);
            step.parts.push_back(part_of(t, !scalar));
        } else if (const int k = output_of(word); k >= 0) {
            const DType dtype = s.out[static_cast<std::size_t>(k)];
            checked(dtype);
            if (out.size() <= static_cast<std::size_t>(k)) out.resize(static_cast<std::size_t>(k) + 1);
            out[static_cast<std::size_t>(k)] = temporary(dtype, all_single);
            step.writes = static_cast<std::uint16_t>(step.writes | 1u << i);
            step.parts.push_back(part_of(out[static_cast<std::size_t>(k)], true));
        } else if (word == "dtype") {
            step.parts.emplace_back(s.out[0]);
        } else if (word == "true" || word == "false") {
            step.parts.emplace_back(word == "true");
        } else if (word == "null") {
            step.parts.emplace_back(nullptr);
        } else {
            const std::int64_t value = std::stoll(std::string(word));
            // A factor of a complex number is real: times (1 + 0j) an infinity becomes NaN.
            const DType factor = is_complex(in[0].dtype_) ? half_of(in[0].dtype_) : in[0].dtype_;
            if (parameter.kind == cann::Kind::scalar) step.parts.push_back(part_of(add_number({-1, cast_number(Scalar::of(value), factor), {}}, factor), false));
            else step.parts.emplace_back(value);
        }
    }
    expect_offered(step, state_.numbers);
    if (!slow_cores_ && is_on_aicpu(step, state_.numbers)) throw Unlowerable(std::string(parsed.op) + " runs on the AICPU");
    const auto before = std::ranges::find_if(state_.steps, [&](const Recipe::Step& other) { return does_the_same(other, step); });
    if (before == state_.steps.end()) {
        state_.steps.push_back(std::move(step));
        return out;
    }
    for (std::size_t i = 0; i < step.parts.size(); ++i)  // its results serve again
        if (step.writes >> i & 1) {
            const auto& made_before = std::get<Recipe::Ref>(before->parts[i]);
            out[static_cast<std::size_t>(output_of(parsed.arguments[i]))] = made(made_before.storage, made_before.dtype, made_before.offset);
        }
    return out;
}

// Unsigned integers as signed ones.
Terms Builder::by_bits(RowId id, const Signature& s, std::span<const Term> in) {
    if (!holds(unsigned_integers, s.in[0]) || (s.nin == 2 && s.in[1] != s.in[0])) throw Unlowerable("");
    Signature other = s;
    for (std::size_t i = 0; i < s.nin; ++i) other.in[i] = signed_of(s.in[i]);
    for (std::size_t i = 0; i < s.nout; ++i)
        if (is_integer(s.out[i])) other.out[i] = signed_of(s.out[i]);
    const int loop = find_loop(id, other);
    if (loop < 0) throw Unlowerable("");
    state_.reinterpreted = true;
    Terms terms;
    for (std::size_t i = 0; i < s.nin; ++i) terms.push_back(in[i].bits(other.in[i]));
    Terms out = resolve(id, loop, terms);
    for (std::size_t i = 0; i < s.nout; ++i) out[i] = out[i].bits(s.out[i]);
    return out;
}

// Elements as integers of their width, wide ones word by word.
Terms Builder::by_words(RowId id, const Signature& s, std::span<const Term> in) {
    const Row& r = row(id);
    const DType dtype = s.out[0];
    const std::size_t bytes = itemsize(dtype), words = std::max<std::size_t>(bytes / 8, 1);
    // Of 16-bit integers floats of that width.
    const DType word = dtype == DType::int16 ? DType::float16 : bytes <= 8 ? signed_of(dtype) : DType::int64;
    if (word == dtype) throw Unlowerable("");
    const std::size_t first = s.nin == 3 ? 1 : 0;  // where there is a condition before them
    Signature other = s;
    for (std::size_t i = first; i < s.nin; ++i)
        if (s.in[i] == dtype) other.in[i] = word;
    other.out[0] = word;
    state_.reinterpreted = true;
    Term result;
    for (std::size_t k = 0; k < words; ++k) {
        Terms terms(in.begin(), in.end());
        for (std::size_t i = first; i < s.nin; ++i) {
            if (s.in[i] != dtype) continue;
            if (in[i].is_number() && words > 1) throw Unlowerable("a number of " + std::string(name(dtype)) + " has no words");
            if (in[i].is_number()) terms[i] = in[i].computed(reinterpret_number, word);
            terms[i].dtype_ = word;
            if (!in[i].is_number()) terms[i].offset_ = static_cast<std::uint8_t>(in[i].offset_ + 8 * k);
        }
        std::string reason;
        std::optional<Terms> made;
        if (word == DType::int16) made = attempt([&] { return operators_of(r, other, terms); }, reason);
        if (!made) made = word == DType::int16 ? by_words(id, other, terms) : operators_of(r, other, terms);
        const Term one = (*made)[0];
        if (k == 0) result = words == 1 ? one : temporary(dtype, single(one));
        if (words > 1) take_place(one, static_cast<std::size_t>(result.storage_), static_cast<std::uint8_t>(8 * k));
    }
    result.dtype_ = dtype;
    return {result};
}

// 16-bit floats as float32, in which they are defined; integers as wider ones, where the low bits are the result.
Terms Builder::wider(RowId id, const Signature& s, std::span<const Term> in) {
    const Row& r = row(id);
    Signature other = s;
    bool changed = false;
    std::size_t widest = 0;
    for (std::size_t i = 0; i < s.nin; ++i)
        if (is_integer(s.in[i])) widest = std::max(widest, itemsize(s.in[i]) + (kind(s.in[i]) == 'u' && itemsize(s.in[i]) >= 4 ? 4 : 0));
    const auto widen = [&](DType d) {
        DType result = d;
        if (is_half(d) && !r.stored_halves) result = DType::float32;
        if (is_integer(d) && r.low_bits && widest && itemsize(d) < 8) result = widest <= 2 ? DType::int32 : DType::int64;
        changed |= result != d;
        return result;
    };
    for (std::size_t i = 0; i < s.nin; ++i) other.in[i] = widen(s.in[i]);
    if (!changed) throw Unlowerable("");
    int loop = -1;
    for (std::size_t i = 0; i < r.loops.size() && loop < 0; ++i)
        if (r.loops[i].nin == s.nin && std::equal(other.in.begin(), other.in.begin() + s.nin, r.loops[i].in.begin())) loop = static_cast<int>(i);
    if (loop < 0 || r.name == "cast") throw Unlowerable("");
    state_.widened = true;
    Terms terms;
    for (std::size_t i = 0; i < s.nin; ++i) terms.push_back(in[i].as(other.in[i]));
    Terms out = resolve(id, loop, terms);
    for (std::size_t i = 0; i < s.nout; ++i) out[i] = out[i].as(s.out[i]);
    return out;
}

// --- from the row to its recipe ---

Builder::Builder(RowId id, int loop, unsigned numbers, bool slow_cores) : slow_cores_(slow_cores) {
    const Row& r = row(id);
    const Signature& s = r.loops[static_cast<std::size_t>(loop)];
    for (std::uint8_t k = 0; k < s.nin; ++k) add_storage({Recipe::Place::input, k, static_cast<std::uint8_t>(itemsize(s.in[k]))});
    for (std::uint8_t k = 0; k < s.nout; ++k) add_storage({Recipe::Place::output, k, static_cast<std::uint8_t>(itemsize(s.out[k]))});
    Terms in;
    for (std::uint8_t k = 0; k < s.nin; ++k) in.push_back(numbers >> k & 1 ? add_number({k, Scalar{s.in[k], {}}, {}}, s.in[k]) : made(k, s.in[k]));
    const Terms out = resolve(id, loop, in);
    for (std::size_t k = 0; k < s.nout; ++k) {
        if (out[k].dtype() != s.out[k]) throw RuntimeFailure(signature_text(r, s) + ": its rule gives " + std::string(name(out[k].dtype())));
        if (!take_place(out[k], s.nin + k, 0)) copy(out[k], s.nin + k, 0);
    }
}

Path Builder::path() const {
    const bool one = state_.steps.size() <= 1;
    if (!one && state_.decomposed) return Path::decomposed;
    if (!one && state_.widened) return Path::wider;
    return state_.reinterpreted ? Path::reinterpreted : Path::native;
}

Recipe Builder::finish() {
    Recipe recipe;
    recipe.steps = std::move(state_.steps);
    recipe.numbers = std::move(state_.numbers);
    for (const Storage& one : state_.storages) recipe.storages.push_back(one.memory);
    for (Recipe::Step& step : recipe.steps) {
        for (Recipe::Part& part : step.parts) {
            auto* const ref = std::get_if<Recipe::Ref>(&part);
            if (!ref) continue;
            std::size_t storage = ref->storage, offset = ref->offset;
            while (state_.storages[storage].alias >= 0) {
                offset += state_.storages[storage].alias_offset;
                storage = static_cast<std::size_t>(state_.storages[storage].alias);
            }
            *ref = {static_cast<std::uint8_t>(storage), static_cast<std::uint8_t>(offset), ref->dtype};
        }
    }
    assign_memory(recipe);
    return recipe;
}

Made make_recipe(RowId id, int loop, unsigned numbers) {
    const auto made = [&](bool slow_cores) {
        Builder builder(id, loop, numbers, slow_cores);
        const Path path = builder.path();
        return Made{builder.finish(), path};
    };
    try {
        return made(false);
    } catch (const Unlowerable&) {
        return made(true);
    }
}

}  // namespace asnumpy::ascend
