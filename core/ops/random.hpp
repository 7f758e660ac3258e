// The rows of the random distributions that give each element words of its own, and what is derived from their classes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/dtype.hpp"
#include "ops/random_discrete.hpp"

namespace asnumpy {

// How the runtime and the kernels see such a row. Element i of a draw depends on the words
// [first + i * words, first + (i + 1) * words), on its parameters, and on nothing else.
struct RandomRow {
    std::string_view name;
    std::uint64_t words;
    std::span<const DType> parameters;
    DType result;  // stored as it, as another float, or as any integer
};

namespace {
namespace draws {

template <class S, class... P> struct Draw {
    using Sampler = S;
    static constexpr std::array<DType, sizeof...(P)> parameters{dtype_of_v<P>...};
};
template <class... D> struct List {};

// One line per distribution: its class and the types of its parameters.
using All = List<
    Draw<Random>, Draw<RandomSingle>, Draw<Uniform, double, double>, Draw<Normal, double, double>,
    Draw<LogNormal, double, double>, Draw<Exponential, double>, Draw<Laplace, double, double>,
    Draw<Logistic, double, double>, Draw<Gumbel, double, double>, Draw<Rayleigh, double>, Draw<Weibull, double>,
    Draw<Pareto, double>, Draw<Power, double>, Draw<StandardCauchy>, Draw<Triangular, double, double, double>,
    Draw<Gamma, double, double>, Draw<ChiSquare, double>, Draw<Beta, double, double>, Draw<F, double, double>,
    Draw<StandardT, double>, Draw<Wald, double, double>, Draw<VonMises, double, double>,
    Draw<NoncentralChiSquare, double, double>, Draw<NoncentralF, double, double, double>,
    Draw<Integers, std::uint64_t, std::uint64_t>, Draw<Geometric, double>, Draw<Poisson, double>,
    Draw<Binomial, std::int64_t, double>, Draw<NegativeBinomial, double, double>,
    Draw<Hypergeometric, std::int64_t, std::int64_t, std::int64_t>, Draw<LogSeries, double>, Draw<Zipf, double>>;

// What the sampler's call takes: one word, a normal number, or a source of words.
template <class S> concept OfWord = std::is_invocable_v<const S&, std::uint64_t>;
template <class S> concept OfNormal = requires(const S& s) { s.of_normal(0.0); };

template <class S> concept StartsNormal = requires { S::starts_normal; };

struct AnyWords {
    std::uint64_t operator()();
    double normal();
};
template <class S> struct ResultOf { using type = std::invoke_result_t<const S&, AnyWords&>; };
template <OfWord S> struct ResultOf<S> { using type = std::invoke_result_t<const S&, std::uint64_t>; };
template <OfNormal S> struct ResultOf<S> { using type = double; };
template <class S> using Result = typename ResultOf<S>::type;

template <class S> constexpr std::uint64_t words_of = [] {
    if constexpr (requires { S::words; }) return S::words;
    else return std::uint64_t{1};
}();

template <class... D> constexpr std::array<RandomRow, sizeof...(D)> rows_of(List<D...>) {
    return {RandomRow{D::Sampler::name, words_of<typename D::Sampler>, D::parameters, dtype_of_v<Result<typename D::Sampler>>}...};
}

}  // namespace draws

constexpr auto random_rows = draws::rows_of(draws::All{});

}  // namespace
}  // namespace asnumpy
