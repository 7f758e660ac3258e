// What decompositions are written with: values to which rows are applied, and that remember the calls this takes.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ascend/lower/calls.hpp"
#include "ascend/lower/lowering.hpp"
#include "ascend/lower/recipe.hpp"

namespace asnumpy::ascend {

// Thrown while a recipe is made, with the reason why there is none; never leaves the lowering.
struct Unlowerable : std::runtime_error { using runtime_error::runtime_error; };

class Builder;

class Term {
public:
    DType dtype() const { return dtype_; }
    bool is_number() const { return number_ >= 0; }  // the host knows it
    Term as(DType) const;                     // cast
    Term bits(DType) const;                   // the same bits as another dtype of the same width
    Term part(int which) const;               // of a complex number: 0 real, 1 imaginary
    Term computed(Compute, DType) const;      // of a number
    Term like(double value) const;            // a number of this dtype
    Term like(std::int64_t value) const;
    Builder& builder() const { return *builder_; }

private:
    friend class Builder;
    Builder* builder_ = nullptr;
    std::int16_t storage_ = -1, number_ = -1;
    std::uint8_t offset_ = 0;
    DType dtype_{};
};

using Terms = std::vector<Term>;

// The row's loop for exactly these dtypes; Unlowerable when it cannot run.
Terms apply_all(std::string_view row, std::span<const Term> in);
inline Term apply(std::string_view row, std::initializer_list<Term> in) { return apply_all(row, {in.begin(), in.size()})[0]; }
// The row's own operator, without the rules that replace it.
Term direct(std::string_view row, std::initializer_list<Term> in);
Term joined(Term real, Term imaginary);

inline Term operator+(Term x, Term y) { return apply("add", {x, y}); }
inline Term operator-(Term x, Term y) { return apply("subtract", {x, y}); }
inline Term operator*(Term x, Term y) { return apply("multiply", {x, y}); }
inline Term operator/(Term x, Term y) { return apply("divide", {x, y}); }
inline Term operator-(Term x) { return apply("negative", {x}); }
inline Term operator==(Term x, Term y) { return apply("equal", {x, y}); }
inline Term operator!=(Term x, Term y) { return apply("not_equal", {x, y}); }
inline Term operator<(Term x, Term y) { return apply("less", {x, y}); }
inline Term operator>(Term x, Term y) { return apply("greater", {x, y}); }
inline Term operator<=(Term x, Term y) { return apply("less_equal", {x, y}); }
inline Term operator>=(Term x, Term y) { return apply("greater_equal", {x, y}); }
inline Term operator&(Term x, Term y) { return apply("bitwise_and", {x, y}); }
inline Term operator|(Term x, Term y) { return apply("bitwise_or", {x, y}); }
inline Term operator!(Term x) { return apply("logical_not", {x}); }
inline Term where(Term condition, Term x, Term y) { return apply("where", {condition, x, y}); }
inline Term absolute(Term x) { return apply("absolute", {x}); }
inline Term is_nan(Term x) { return x != x; }

// With a plain number of the other operand's dtype.
template <class N> concept Plain = std::is_arithmetic_v<N>;
template <Plain N> Term number(Term like, N n) {
    if constexpr (std::is_integral_v<N>) return like.like(static_cast<std::int64_t>(n));
    else return like.like(static_cast<double>(n));
}
template <Plain N> Term operator+(Term x, N n) { return x + number(x, n); }
template <Plain N> Term operator-(Term x, N n) { return x - number(x, n); }
template <Plain N> Term operator-(N n, Term x) { return number(x, n) - x; }
template <Plain N> Term operator*(Term x, N n) { return x * number(x, n); }
template <Plain N> Term operator/(Term x, N n) { return x / number(x, n); }
template <Plain N> Term operator==(Term x, N n) { return x == number(x, n); }
template <Plain N> Term operator!=(Term x, N n) { return x != number(x, n); }
template <Plain N> Term operator<(Term x, N n) { return x < number(x, n); }
template <Plain N> Term operator>(Term x, N n) { return x > number(x, n); }
template <Plain N> Term operator<=(Term x, N n) { return x <= number(x, n); }
template <Plain N> Term operator>=(Term x, N n) { return x >= number(x, n); }
template <Plain N> Term operator&(Term x, N n) { return x & number(x, n); }
template <Plain N> Term where(Term condition, Term x, N n) { return where(condition, x, number(x, n)); }
template <Plain N> Term where(Term condition, N n, Term y) { return where(condition, number(y, n), y); }

// Sets of dtypes.
using DTypes = std::uint32_t;
constexpr DTypes set_of(std::initializer_list<DType> all) {
    DTypes result = 0;
    for (const DType d : all) result |= DTypes{1} << static_cast<int>(d);
    return result;
}
constexpr bool holds(DTypes set, DType d) { return set >> static_cast<int>(d) & 1; }
inline constexpr DTypes booleans = set_of({DType::boolean});
inline constexpr DTypes signed_integers = set_of({DType::int8, DType::int16, DType::int32, DType::int64});
inline constexpr DTypes unsigned_integers = set_of({DType::uint8, DType::uint16, DType::uint32, DType::uint64});
inline constexpr DTypes integers = signed_integers | unsigned_integers;
inline constexpr DTypes halves = set_of({DType::float16, DType::bfloat16});
inline constexpr DTypes singles = set_of({DType::float32, DType::float64});
inline constexpr DTypes floats = halves | singles;
inline constexpr DTypes complexes = set_of({DType::complex64, DType::complex128});
inline constexpr DTypes long_floats = set_of({DType::longdouble, DType::clongdouble});
inline constexpr DTypes every = ~DTypes{0};

DType signed_of(DType);    // the signed integer of the same width, of any dtype of at most 8 bytes
DType unsigned_of(DType);  // likewise
DType half_of(DType);      // the dtype of a complex number's parts

// A decomposition of some loops of a row: those whose second input (where there is a condition first) or first one is of `dtypes`.
struct Rule {
    std::string_view row;
    DTypes dtypes;
    bool instead;  // even where the row's own operator accepts the dtype: it does not promise NumPy's values
    Terms (*decompose)(std::span<const Term> in, const Signature&);
};
std::span<const Rule> integer_rules();
std::span<const Rule> float_rules();
std::span<const Rule> complex_rules();
std::span<const Rule> cast_rules();

// What is needed of the emitter while recipes are made: nothing; of the row: its loops. Makes one recipe.
class Builder {
public:
    // `numbers`: a bit per input that is a number of the host's. Without slow cores: Unlowerable if any way needs the AICPU.
    Builder(RowId, int loop, unsigned numbers, bool slow_cores);
    Recipe finish();
    Path path() const;

    // For Term and the functions above.
    Terms resolve(RowId, int loop, std::span<const Term> in);
    Terms operators_of(const Row&, const Signature&, std::span<const Term> in);
    Term input(int k, DType) const;
    Term add_number(Recipe::Number, DType);
    Term reinterpreted(Term, DType);
    Term part(Term, int which);
    Term join(Term real, Term imaginary);
    const Recipe::Number& number(Term t) const { return state_.numbers[static_cast<std::size_t>(t.number_)]; }

private:
    struct Storage {
        Recipe::Storage memory;
        int alias = -1;  // the storage that took its place
        std::uint8_t alias_offset = 0;
        bool made = false;  // a step writes it
    };
    struct State {
        std::vector<Storage> storages;
        std::vector<Recipe::Number> numbers;
        std::vector<Recipe::Step> steps;
        bool reinterpreted = false, widened = false, decomposed = false;
    };

    template <class F> std::optional<Terms> attempt(F&&, std::string& reason);
    Term made(std::size_t storage, DType, std::uint8_t offset = 0);
    Term temporary(DType, bool single = false);
    bool single(const Term&) const;  // the same for all elements
    std::size_t add_storage(Recipe::Storage);
    Terms call(std::string_view call_string, const Signature&, std::span<const Term> in);
    Terms by_bits(RowId, const Signature&, std::span<const Term> in);
    Terms by_words(RowId, const Signature&, std::span<const Term> in);
    Terms wider(RowId, const Signature&, std::span<const Term> in);
    void bind(Term, int output, DType);
    Term spread(Term);
    bool take_place(Term, std::size_t storage, std::uint8_t offset);
    void copy(Term, std::size_t storage, std::uint8_t offset);
    Recipe::Ref ref(std::size_t storage, std::uint8_t offset, DType) const;
    Recipe::Part part_of(Term, bool tensor);

    State state_;
    int depth_ = 0;
    bool slow_cores_;
};

// The recipe that keeps to the AI cores, even if it takes more calls; where there is none, one that does not.
struct Made {
    Recipe recipe;
    Path path;
};
Made make_recipe(RowId, int loop, unsigned numbers);

}  // namespace asnumpy::ascend
