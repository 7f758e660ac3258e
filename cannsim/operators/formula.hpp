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

inline Dims joined_shape(const Call& call, std::span<const Tensor> tensors) {
    Dims shape;
    for (const Tensor& tensor : tensors) {
        Tensor so_far = tensor;
        so_far.view.shape = shape;
        shape = call.broadcast({&so_far, &tensor});
    }
    return shape;
}
inline DType promoted(const Call& call, std::span<const Tensor> tensors) {
    DType dtype = tensors[0].dtype;
    for (const Tensor& tensor : tensors) dtype = call.promote(dtype, tensor.dtype, tensor.name);
    return dtype;
}

template <class> using AlwaysExpr = Expr;
template <class F, std::size_t... K> constexpr bool takes_expressions(std::index_sequence<K...>) {
    return std::is_invocable_r_v<Expr, F, AlwaysExpr<std::integral_constant<std::size_t, K>>...>;
}

// Outputs have the inputs' broadcast shape, and dtypes that `result` can be stored as.
inline void expect_results(const Call& call, std::span<const Tensor> ins, std::span<const Tensor> outs, DType result) {
    const Dims shape = joined_shape(call, ins);
    for (const Tensor& out : outs) {
        call.expect_shape(out, shape);
        call.expect_castable(result, out);
    }
}

// Outputs of the inputs' broadcast shape. `result` is the dtype that CANN gives the results before it stores them, `inner` the one in which
// expressions are computed.
template <class T, std::size_t N, std::size_t M, class F>
Work formula(const Call& call, const std::array<Tensor, N>& ins, const std::array<Tensor, M>& outs, DType result, F f, DType inner = DType::float64) {
    expect_results(call, ins, outs, result);
    if constexpr (std::is_same_v<T, double> && M == 1 && takes_expressions<F>(std::make_index_sequence<N>{})) {
        Pipeline p(call);
        std::array<Expr, N> values;
        for (std::size_t k = 0; k < N; ++k) values[k] = {&p, p.in(ins[k], inner)};
        p.out(std::apply(f, values).value, outs[0]);
        return p.work();
    }
    return tiles({ins.begin(), ins.end()}, {outs.begin(), outs.end()}, asnumpy::dtype_of_v<T>, tile_function<T, N, M>(f));
}

// A parameter that is a number in any of its C types; a scalar that is null counts as 1.
inline double number(const Call& call, std::string_view name) {
    const int parameter = call.index(name);
    const Kind kind = call.params[static_cast<std::size_t>(parameter)].kind;
    if (kind == Kind::scalar) return call.given(name) ? call.real(name) : 1;
    return kind == Kind::real ? call.argument(parameter).real : static_cast<double>(call.argument(parameter).integer);
}

// The first N tensors that are read, and the first that is written.
template <std::size_t N> std::array<Tensor, N> first_inputs(const Call& call) {
    std::array<Tensor, N> result;
    std::size_t count = 0;
    for (int i = 0; i < static_cast<int>(call.params.size()) && count < N; ++i)
        if (const Parameter& param = call.params[static_cast<std::size_t>(i)]; param.kind == Kind::tensor && param.direction != Direction::out)
            result[count++] = call.tensor_at(i);
    return result;
}
inline Tensor first_output(const Call& call) {
    for (const Direction wanted : {Direction::out, Direction::inout})
        for (int i = 0; i < static_cast<int>(call.params.size()); ++i)
            if (const Parameter& param = call.params[static_cast<std::size_t>(i)]; param.kind == Kind::tensor && param.direction == wanted) return call.tensor_at(i);
    call.refuse(call.facts.name, "an output", ACLNN_ERR_INNER);
}

// Operators f(tensors..., numbers): the first N tensors in the order of the parameters, and the named parameters as an array.
// `real_operator` computes in float64 and gives floats; `number_operator` computes whole numbers in int64 and keeps them so,
// unless a scalar is a float. Expressions of plain
// arithmetic do with the tensors' own precision.
enum class Precision : std::uint8_t { wide, own };
template <class T, std::size_t N, std::size_t K, class F>
Work formula_of(const Call& call, const std::array<Tensor, N>& ins, DType result, std::array<double, K> numbers, F f, Precision precision) {
    std::array<T, K> p{};
    for (std::size_t k = 0; k < K; ++k) p[k] = static_cast<T>(numbers[k]);
    const DType inner = precision == Precision::own && result != DType::float64 ? DType::float32 : DType::float64;
    return formula<T, N, 1>(call, ins, {first_output(call)}, result, [f, p](auto... x) -> decltype(f(x..., p)) { return f(x..., p); }, inner);
}
template <std::size_t N, Precision precision = Precision::wide, std::size_t K, class F>
Operator real_operator(std::string_view name, const std::array<const char*, K>& names, F f, std::vector<std::string_view> nullable = {}) {
    return {name, [names, f](Call& call) {
        const std::array<Tensor, N> ins = first_inputs<N>(call);
        for (const Tensor& tensor : ins) expect_floats(call, tensor);
        std::array<double, K> numbers{};
        for (std::size_t k = 0; k < K; ++k) numbers[k] = number(call, names[k]);
        const DType dtype = promoted(call, ins);
        return formula_of<double>(call, ins, asnumpy::is_float(dtype) ? dtype : DType::float32, numbers, f, precision);
    }, std::move(nullable)};
}
template <std::size_t N, Precision precision = Precision::wide, std::size_t K, class F>
Operator number_operator(std::string_view name, const std::array<const char*, K>& names, F f, std::vector<std::string_view> nullable = {}) {
    return {name, [names, f](Call& call) {
        const std::array<Tensor, N> ins = first_inputs<N>(call);
        for (const Tensor& tensor : ins)
            call.expect(!asnumpy::is_complex(tensor.dtype), tensor.name, text("real numbers, got ", asnumpy::name(tensor.dtype)));
        const DType dtype = promoted(call, ins);
        bool floating = asnumpy::is_float(dtype);
        std::array<double, K> numbers{};
        for (std::size_t k = 0; k < K; ++k) {
            numbers[k] = number(call, names[k]);
            floating = floating || numbers[k] != std::trunc(numbers[k]);
        }
        return floating ? formula_of<double>(call, ins, dtype, numbers, f, precision) : formula_of<std::int64_t>(call, ins, dtype, numbers, f, precision);
    }, std::move(nullable)};
}

template <std::size_t K> using Numbers = std::array<double, K>;
inline constexpr std::array<const char*, 0> no_names{};
inline constexpr std::array<const char*, 1> alpha_name{"alpha"};

}  // namespace cannsim
