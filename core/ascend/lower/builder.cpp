// Making recipes: which way a loop takes, and what each way calls.
#include <algorithm>
#include <cstring>
#include <utility>

#include "ascend/lower/term.hpp"
#include "base/error.hpp"
#include "cann/operators.hpp"

namespace asnumpy::ascend {

DType signed_of(DType d) {
    switch (itemsize(d)) {
        case 1: return DType::int8;
        case 2: return DType::int16;
        case 4: return DType::int32;
        default: return DType::int64;
    }
}
DType unsigned_of(DType d) {
    switch (itemsize(d)) {
        case 1: return DType::uint8;
        case 2: return DType::uint16;
        case 4: return DType::uint32;
        default: return DType::uint64;
    }
}

namespace {

constexpr int deepest = 24;  // rules that use rules: no lowering needs more

DType half_of(DType d) {  // the dtype of a complex number's parts
    return d == DType::complex64 ? DType::float32 : d == DType::complex128 ? DType::float64 : DType::longdouble;
}

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

Scalar number_from(DType dtype, double value) { return cast_number(Scalar::of(value), dtype); }

}  // namespace

// --- terms ---

Term Term::as(DType to) const {
    if (to == dtype_) return *this;
    if (is_number()) return computed(cast_number, to);
    const RowId cast = find_row("cast");
    const int loop = cast_loop(dtype_, to);
    if (loop < 0) throw Unlowerable("there is no cast from " + std::string(name(dtype_)) + " to " + std::string(name(to)));
    const Term self = *this;
    return builder_->resolve(cast, loop, {&self, 1})[0];
}
Term Term::bits(DType to) const { return builder_->reinterpreted(*this, to); }
Term Term::part(int which) const { return builder_->part(*this, which); }
Term Term::computed(Compute compute, DType to) const {
    Recipe::Number made = builder_->number(*this);
    made.computations.emplace_back(compute, to);
    return builder_->add_number(std::move(made), to);
}
Term Term::like(double value) const { return builder_->add_number({-1, number_from(dtype_, value), {}}, dtype_); }
Term Term::like(std::int64_t value) const { return builder_->add_number({-1, cast_number(Scalar::of(value), dtype_), {}}, dtype_); }

Terms apply_all(std::string_view name, std::span<const Term> in) {
    const RowId id = find_row(name);
    const Row& r = row(id);
    for (std::size_t loop = 0; loop < r.loops.size(); ++loop) {
        const Signature& s = r.loops[loop];
        if (s.nin != in.size()) continue;
        bool fits = true;
        for (std::size_t i = 0; i < in.size(); ++i) fits &= s.in[i] == in[i].dtype();
        if (fits) return in[0].builder().resolve(id, static_cast<int>(loop), in);
    }
    throw Unlowerable(std::string(name) + " has no loop for " + std::string(asnumpy::name(in[0].dtype())));
}

Term direct(std::string_view name, std::initializer_list<Term> in) {
    const Row& r = row(find_row(name));
    for (const Signature& s : r.loops)
        if (s.in[0] == in.begin()->dtype()) return in.begin()->builder().operators_of(r, s, {in.begin(), in.size()})[0];
    throw Unlowerable(std::string(name) + " has no loop for " + std::string(asnumpy::name(in.begin()->dtype())));
}

Term joined(Term real, Term imaginary) { return real.builder().join(real, imaginary); }

// --- values ---

std::size_t Builder::add_storage(Recipe::Storage memory) {
    if (state_.storages.size() == 250) throw Unlowerable("too many steps");
    state_.storages.push_back({memory});
    return state_.storages.size() - 1;
}

Term Builder::made(std::size_t storage, DType dtype, std::uint8_t offset) {
    Term t;
    t.builder_ = this;
    t.storage_ = static_cast<std::int16_t>(storage);
    t.offset_ = offset;
    t.dtype_ = dtype;
    return t;
}

Term Builder::temporary(DType dtype, bool single) {
    const std::size_t storage = add_storage({Recipe::Place::temporary, 0, static_cast<std::uint8_t>(itemsize(dtype)), single});
    state_.storages[storage].made = true;
    return made(storage, dtype);
}

bool Builder::single(const Term& t) const {
    return t.is_number() || state_.storages[static_cast<std::size_t>(t.storage_)].memory.single;
}

Term Builder::add_number(Recipe::Number number, DType dtype) {
    const auto found = std::ranges::find(state_.numbers, number);
    Term t;
    t.builder_ = this;
    t.number_ = static_cast<std::int16_t>(found - state_.numbers.begin());
    if (found == state_.numbers.end()) state_.numbers.push_back(std::move(number));
    t.dtype_ = dtype;
    return t;
}

Term Builder::reinterpreted(Term t, DType to) {
    if (itemsize(t.dtype_) != itemsize(to)) throw RuntimeFailure("only dtypes of one width have the same bits");
    if (t.is_number()) return t.dtype_ == to ? t : t.computed(reinterpret_number, to);
    t.dtype_ = to;
    return t;
}

Term Builder::part(Term t, int which) {
    const DType half = half_of(t.dtype_);
    if (t.is_number()) {
        if (which == 0) return t.computed(cast_number, half);
        return t.computed([](const Scalar& value, DType to) {
            Scalar result;
            result.dtype = to;
            std::memcpy(result.bytes.data(), value.bytes.data() + itemsize(to), itemsize(to));
            return result;
        }, half);
    }
    t.offset_ = static_cast<std::uint8_t>(t.offset_ + static_cast<std::size_t>(which) * itemsize(half));
    t.dtype_ = half;
    return t;
}

Term Builder::join(Term real, Term imaginary) {
    const DType whole = real.dtype_ == DType::float32 ? DType::complex64 : DType::complex128;
    const Term result = temporary(whole, single(real) && single(imaginary));
    int which = 0;
    for (const Term& t : {real, imaginary}) {
        const auto storage = static_cast<std::size_t>(result.storage_);
        const auto offset = static_cast<std::uint8_t>(static_cast<std::size_t>(which++) * itemsize(t.dtype_));
        if (!take_place(t, storage, offset)) copy(t, storage, offset);
    }
    return result;
}

// Makes the storage of a term, which a step of its own wrote, part of another storage. False where it is something else.
bool Builder::take_place(Term t, std::size_t storage, std::uint8_t offset) {
    if (t.is_number()) return false;
    Storage& own = state_.storages[static_cast<std::size_t>(t.storage_)];
    if (own.memory.place != Recipe::Place::temporary || own.alias >= 0 || !own.made || t.offset_ != 0 || own.memory.item != itemsize(t.dtype_)) return false;
    if (own.memory.single != state_.storages[storage].memory.single) return false;
    own.alias = static_cast<int>(storage);
    own.alias_offset = offset;
    return true;
}

void Builder::copy(Term t, std::size_t storage, std::uint8_t offset) {
    if (t.is_number()) {
        state_.steps.push_back({"aclnnInplaceFillScalar", {ref(storage, offset, t.dtype_), Recipe::NumberRef{static_cast<std::uint8_t>(t.number_), false}}, 1});
        return;
    }
    const bool whole = cann::accepts("aclnnInplaceCopy", "src", t.dtype_);
    const DType dtype = whole ? t.dtype_ : itemsize(t.dtype_) <= 8 ? signed_of(t.dtype_) : DType::int64;
    for (std::size_t word = 0; word < itemsize(t.dtype_); word += itemsize(dtype)) {
        const auto at = [&](std::size_t start) { return static_cast<std::uint8_t>(start + word); };
        state_.steps.push_back({"aclnnInplaceCopy", {ref(storage, at(offset), dtype), ref(static_cast<std::size_t>(t.storage_), at(t.offset_), dtype)}, 1});
    }
}

Recipe::Ref Builder::ref(std::size_t storage, std::uint8_t offset, DType dtype) const {
    return {static_cast<std::uint8_t>(storage), offset, dtype};
}

Recipe::Part Builder::part_of(Term t, bool tensor) {
    if (t.is_number()) {
        if (state_.numbers.size() > 250) throw Unlowerable("too many numbers");
        return Recipe::NumberRef{static_cast<std::uint8_t>(t.number_), tensor};
    }
    return ref(static_cast<std::size_t>(t.storage_), t.offset_, t.dtype_);
}

// --- the ways ---

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
    return call(calls.elementwise, s, in);
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
    const DType word = bytes <= 8 ? signed_of(dtype) : DType::int64;
    if (word == dtype) throw Unlowerable("");
    Signature other = s;
    for (std::size_t i = 0; i < s.nin; ++i)
        if (s.in[i] == dtype) other.in[i] = word;
    other.out[0] = word;
    state_.reinterpreted = true;
    Term result;
    for (std::size_t k = 0; k < words; ++k) {
        Terms terms(in.begin(), in.end());
        for (std::size_t i = 0; i < s.nin; ++i) {
            if (s.in[i] != dtype) continue;
            if (in[i].is_number() && words > 1) throw Unlowerable("a number of " + std::string(name(dtype)) + " has no words");
            if (in[i].is_number()) terms[i] = in[i].computed(reinterpret_number, word);
            terms[i].dtype_ = word;
            if (!in[i].is_number()) terms[i].offset_ = static_cast<std::uint8_t>(in[i].offset_ + 8 * k);
        }
        const Term one = operators_of(r, other, terms)[0];
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

Builder::Builder(RowId id, int loop, unsigned numbers) {
    const Row& r = row(id);
    const Signature& s = r.loops[static_cast<std::size_t>(loop)];
    for (std::uint8_t k = 0; k < s.nin; ++k) add_storage({Recipe::Place::input, k, static_cast<std::uint8_t>(itemsize(s.in[k]))});
    for (std::uint8_t k = 0; k < s.nout; ++k) add_storage({Recipe::Place::output, k, static_cast<std::uint8_t>(itemsize(s.out[k]))});
    Terms in;
    for (std::uint8_t k = 0; k < s.nin; ++k) in.push_back(numbers >> k & 1 ? add_number({k, {}, {}}, s.in[k]) : made(k, s.in[k]));
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
    drop_unused(recipe);
    assign_registers(recipe);
    find_hazards(recipe);
    return recipe;
}

void Builder::drop_unused(Recipe& recipe) const {
    std::vector<bool> read(recipe.storages.size(), false);
    std::vector<Recipe::Step> kept;
    for (auto step = recipe.steps.rbegin(); step != recipe.steps.rend(); ++step) {
        bool needed = false;
        for (std::size_t p = 0; p < step->parts.size(); ++p)
            if (const auto* const ref = std::get_if<Recipe::Ref>(&step->parts[p]); ref && step->writes >> p & 1)
                needed |= read[ref->storage] || recipe.storages[ref->storage].place == Recipe::Place::output;
        if (!needed) continue;
        for (std::size_t p = 0; p < step->parts.size(); ++p)
            if (const auto* const ref = std::get_if<Recipe::Ref>(&step->parts[p]); ref && !(step->writes >> p & 1)) read[ref->storage] = true;
        kept.push_back(std::move(*step));
    }
    std::ranges::reverse(kept);
    recipe.steps = std::move(kept);
}

// A temporary's memory serves another one after its last use.
void Builder::assign_registers(Recipe& recipe) const {
    std::vector<std::size_t> last(recipe.storages.size(), 0);
    const auto each = [&](const Recipe::Step& step, auto f) {
        for (const Recipe::Part& part : step.parts)
            if (const auto* const ref = std::get_if<Recipe::Ref>(&part); ref && recipe.storages[ref->storage].place == Recipe::Place::temporary) f(ref->storage);
    };
    for (std::size_t i = 0; i < recipe.steps.size(); ++i) each(recipe.steps[i], [&](std::uint8_t storage) { last[storage] = i; });
    std::vector<bool> placed(recipe.storages.size(), false), busy;
    for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
        each(recipe.steps[i], [&](std::uint8_t storage) {
            if (placed[storage]) return;
            placed[storage] = true;
            const Recipe::Register wanted{recipe.storages[storage].item, recipe.storages[storage].single};
            std::size_t k = 0;
            while (k < busy.size() && (busy[k] || recipe.registers[k] != wanted)) ++k;
            if (k == busy.size()) {
                busy.push_back(false);
                recipe.registers.push_back(wanted);
            }
            busy[k] = true;
            recipe.storages[storage].index = static_cast<std::uint8_t>(k);
        });
        each(recipe.steps[i], [&](std::uint8_t storage) {
            if (last[storage] == i) busy[recipe.storages[storage].index] = false;
        });
    }
}

void Builder::find_hazards(Recipe& recipe) const {
    const auto place = [&](const Recipe::Ref& ref) { return recipe.storages[ref.storage].place; };
    for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
        for (std::size_t p = 0; p < recipe.steps[i].parts.size(); ++p) {
            const auto* const written = std::get_if<Recipe::Ref>(&recipe.steps[i].parts[p]);
            if (!written || !(recipe.steps[i].writes >> p & 1) || place(*written) != Recipe::Place::output) continue;
            for (std::size_t j = i + 1; j < recipe.steps.size(); ++j) {
                for (const Recipe::Part& part : recipe.steps[j].parts) {
                    const auto* const read = std::get_if<Recipe::Ref>(&part);
                    if (!read || place(*read) != Recipe::Place::input) continue;
                    if (read->offset >= written->offset + itemsize(written->dtype) || written->offset >= read->offset + itemsize(read->dtype)) continue;
                    const Recipe::Hazard hazard{recipe.storages[read->storage].index, recipe.storages[written->storage].index};
                    const bool known = std::ranges::any_of(recipe.hazards, [&](const Recipe::Hazard& h) { return h.in == hazard.in && h.out == hazard.out; });
                    if (!known) recipe.hazards.push_back(hazard);
                }
            }
        }
    }
}

}  // namespace asnumpy::ascend
