// What a term is turned into, and rows applied to terms: all of it goes to the builder that the terms belong to.
#include "ascend/lower/term.hpp"

#include <string>

#include "base/error.hpp"

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

DType half_of(DType d) {
    return d == DType::complex64 ? DType::float32 : d == DType::complex128 ? DType::float64 : DType::longdouble;
}

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
Term Term::like(double value) const { return builder_->add_number({-1, cast_number(Scalar::of(value), dtype_), {}}, dtype_); }
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

}  // namespace asnumpy::ascend
