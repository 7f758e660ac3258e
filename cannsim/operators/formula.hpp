// Elementwise operators of one formula: computed in float64, or whole numbers in int64, a tile at a time, and rounded once.
// A formula that takes Expr as well as numbers runs as a pipeline of rows, whose loops use vectors; others take number by number.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclnn/expression.hpp"
#include "aclnn/parallel.hpp"
#include "aclnn/rows.hpp"
#include "aclnn/strided.hpp"

namespace cannsim {

// --- the loop: out... = f(in...), where all arrays have one shape

// Computes n values of each output from n of each input, none of which is an output, all of one dtype.
using TileFunction = std::function<void(void* const* out, const void* const* in, std::int64_t n)>;
// Tiles of all arrays; `inner` is the dtype of what the function sees. Inputs broadcast to the outputs.
void apply_tiles(std::span<const Array> ins, std::span<const Array> outs, DType inner, const TileFunction&);
// `last` is a number that the function finds as one more input.
Work tiles(std::vector<Tensor> ins, std::vector<Tensor> outs, DType inner, TileFunction, std::optional<double> last = std::nullopt);

// What is compiled for each formula is this loop alone.
template <class T, std::size_t N, std::size_t M, class F> TileFunction tile_function(F f) {
    return [f](void* const* out, const void* const* in, std::int64_t n) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            if constexpr (M == 1) {
                [&](T* __restrict to, const auto* __restrict... from) {
                    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(f(from[i]...));
                }(static_cast<T*>(out[0]), static_cast<const T*>(in[K])...);
            } else {
                for (std::int64_t i = 0; i < n; ++i) {
                    const auto result = f(static_cast<const T*>(in[K])[i]...);
                    for (std::size_t m = 0; m < M; ++m) static_cast<T*>(out[m])[i] = static_cast<T>(result[m]);
                }
            }
        }(std::make_index_sequence<N>{});
    };
}

template <class T, std::size_t N, std::size_t M, class F>
void apply_formula(const std::array<Array, N>& ins, const std::array<Array, M>& outs, const F& f) {
    apply_tiles(ins, outs, asnumpy::dtype_of_v<T>, tile_function<T, N, M>(f));
}

// --- planning

inline bool is_plain_float(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32; }

// For parameters of whose dtypes the data file says nothing: what the vector unit computes with.
inline void expect_floats(const Call& call, const Tensor& tensor) {
    if (call.params[static_cast<std::size_t>(call.index(tensor.name))].dtypes) return;
    call.expect(is_plain_float(tensor.dtype), tensor.name, text("float16, bfloat16 or float32, got ", asnumpy::name(tensor.dtype)));
}

Dims joined_shape(const Call&, std::span<const Tensor>);
DType promoted(const Call&, std::span<const Tensor>);

template <class> using AlwaysExpr = Expr;
template <class F, std::size_t... K> constexpr bool takes_expressions(std::index_sequence<K...>) {
    return std::is_invocable_r_v<Expr, F, AlwaysExpr<std::integral_constant<std::size_t, K>>...>;
}

// Outputs have the inputs' broadcast shape, and dtypes that `result` can be stored as.
void expect_results(const Call&, std::span<const Tensor> ins, std::span<const Tensor> outs, DType result);

// A formula over values of a pipeline, which are computed in `inner`.
using ExprFunction = std::function<Expr(const Expr* values)>;
Work expression(const Call&, std::span<const Tensor> ins, const Tensor& out, DType inner, const ExprFunction&);

// Outputs of the inputs' broadcast shape. `result` is the dtype that CANN gives the results before it stores them, `inner` the one in which
// expressions are computed.
template <class T, std::size_t N, std::size_t M, class F>
Work formula_over(const Call& call, std::span<const Tensor> ins, std::span<const Tensor> outs, DType result, F f, DType inner = DType::float64) {
    expect_results(call, ins, outs, result);
    if constexpr (std::is_same_v<T, double> && M == 1 && takes_expressions<F>(std::make_index_sequence<N>{})) {
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return expression(call, ins, outs[0], inner, [&f](const Expr* x) -> Expr { return f(x[K]...); });
        }(std::make_index_sequence<N>{});
    } else {
        return tiles({ins.begin(), ins.end()}, {outs.begin(), outs.end()}, asnumpy::dtype_of_v<T>, tile_function<T, N, M>(f));
    }
}
template <class T, std::size_t N, std::size_t M, class F>
Work formula(const Call& call, const std::array<Tensor, N>& ins, const std::array<Tensor, M>& outs, DType result, F f) {
    return formula_over<T, N, M>(call, ins, outs, result, f);
}

// A parameter that is a number in any of its C types; a scalar that is null counts as 1.
double number(const Call&, std::string_view name);

Tensor first_output(const Call&);  // the first tensor that is written

// Operators f(tensors..., numbers): the first N tensors in the order of the parameters, and the named parameters as an array.
// `real_operator` computes in float64 and gives floats; `number_operator` computes whole numbers in int64 and keeps them so,
// unless a scalar is a float. Expressions of plain arithmetic do with the tensors' own precision.
enum class Precision : std::uint8_t { wide, own };

// What a call of such an operator says, whatever its formula.
struct Given {
    std::vector<Tensor> ins;
    std::vector<double> numbers;
    DType dtype;    // of the tensors together
    bool floating;  // a tensor or a number is no whole one
};
Given given_reals(const Call&, std::size_t tensors, std::span<const char* const> names);
Given given_numbers(const Call&, std::size_t tensors, std::span<const char* const> names);

template <class T, std::size_t N, std::size_t K, class F>
Work formula_of(const Call& call, const Given& given, DType result, F f, Precision precision) {
    std::array<T, K> p{};
    for (std::size_t k = 0; k < K; ++k) p[k] = static_cast<T>(given.numbers[k]);
    const DType inner = precision == Precision::own && result != DType::float64 ? DType::float32 : DType::float64;
    const std::array outs{first_output(call)};
    return formula_over<T, N, 1>(call, given.ins, outs, result, [f, p](auto... x) -> decltype(f(x..., p)) { return f(x..., p); }, inner);
}
template <std::size_t N, Precision precision = Precision::wide, std::size_t K, class F>
Operator real_operator(std::string_view name, const std::array<const char*, K>& names, F f, std::vector<std::string_view> nullable = {}) {
    return {name, [names, f](Call& call) {
        const Given given = given_reals(call, N, names);
        return formula_of<double, N, K>(call, given, given.floating ? given.dtype : DType::float32, f, precision);
    }, std::move(nullable)};
}
template <std::size_t N, Precision precision = Precision::wide, std::size_t K, class F>
Operator number_operator(std::string_view name, const std::array<const char*, K>& names, F f, std::vector<std::string_view> nullable = {}) {
    return {name, [names, f](Call& call) {
        const Given given = given_numbers(call, N, names);
        return given.floating ? formula_of<double, N, K>(call, given, given.dtype, f, precision) : formula_of<std::int64_t, N, K>(call, given, given.dtype, f, precision);
    }, std::move(nullable)};
}

template <std::size_t K> using Numbers = std::array<double, K>;
inline constexpr std::array<const char*, 0> no_names{};
inline constexpr std::array<const char*, 1> alpha_name{"alpha"};

}  // namespace cannsim
