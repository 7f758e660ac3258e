// Formulas over pipelines: written as over numbers, each operator and function appends a row.
#pragma once

#include "aclnn/elementwise.hpp"

namespace cannsim {

// A value of a pipeline. Functions of numbers that are templates serve it too; they name what they use without std::.
struct Expr {
    Pipeline* pipeline;
    Pipeline::Value value;
};

namespace detail {
inline Expr applied(std::string_view row, Expr x) { return {x.pipeline, x.pipeline->apply(row, x.value)}; }
inline Expr applied(std::string_view row, Expr x, Expr y) { return {x.pipeline, x.pipeline->apply(row, x.value, y.value)}; }
inline Expr applied(std::string_view row, Expr x, double y) { return applied(row, x, Expr{x.pipeline, x.pipeline->constant(y, x.value.dtype)}); }
inline Expr applied(std::string_view row, double x, Expr y) { return applied(row, Expr{y.pipeline, y.pipeline->constant(x, y.value.dtype)}, y); }
}  // namespace detail

template <class X, class Y> concept Expressions = (std::is_same_v<X, Expr> && (std::is_same_v<Y, Expr> || std::is_arithmetic_v<Y>)) ||
                                                  (std::is_arithmetic_v<X> && std::is_same_v<Y, Expr>);

template <class X, class Y> requires Expressions<X, Y> Expr operator+(X x, Y y) { return detail::applied("add", x, y); }
template <class X, class Y> requires Expressions<X, Y> Expr operator-(X x, Y y) { return detail::applied("subtract", x, y); }
template <class X, class Y> requires Expressions<X, Y> Expr operator*(X x, Y y) { return detail::applied("multiply", x, y); }
template <class X, class Y> requires Expressions<X, Y> Expr operator/(X x, Y y) { return detail::applied("divide", x, y); }
template <class X, class Y> requires Expressions<X, Y> Expr operator>(X x, Y y) { return detail::applied("greater", x, y); }
template <class X, class Y> requires Expressions<X, Y> Expr operator>=(X x, Y y) { return detail::applied("greater_equal", x, y); }
template <class X, class Y> requires Expressions<X, Y> Expr operator<(X x, Y y) { return detail::applied("less", x, y); }
template <class X, class Y> requires Expressions<X, Y> Expr operator<=(X x, Y y) { return detail::applied("less_equal", x, y); }
template <class X, class Y> requires Expressions<X, Y> Expr operator==(X x, Y y) { return detail::applied("equal", x, y); }
inline Expr operator&(Expr x, Expr y) { return detail::applied("logical_and", x, y); }
inline Expr operator|(Expr x, Expr y) { return detail::applied("logical_or", x, y); }
inline Expr operator-(Expr x) { return detail::applied("negative", x); }

inline Expr abs(Expr x) { return detail::applied("absolute", x); }
inline Expr exp(Expr x) { return detail::applied("exp", x); }
inline Expr expm1(Expr x) { return detail::applied("expm1", x); }
inline Expr log(Expr x) { return detail::applied("log", x); }
inline Expr log1p(Expr x) { return detail::applied("log1p", x); }
inline Expr sqrt(Expr x) { return detail::applied("sqrt", x); }
inline Expr sin(Expr x) { return detail::applied("sin", x); }
inline Expr tanh(Expr x) { return detail::applied("tanh", x); }
inline Expr erf(Expr x) { return detail::applied("erf", x); }
inline Expr erfc(Expr x) { return detail::applied("erfc", x); }
inline Expr trunc(Expr x) { return detail::applied("trunc", x); }
inline Expr nearbyint(Expr x) { return detail::applied("rint", x); }
inline Expr copysign(Expr x, Expr y) { return detail::applied("copysign", x, y); }
// NaN wins.
template <class X, class Y> requires Expressions<X, Y> Expr larger(X x, Y y) { return detail::applied("maximum", x, y); }
template <class X, class Y> requires Expressions<X, Y> Expr smaller(X x, Y y) { return detail::applied("minimum", x, y); }
template <class T> requires std::is_arithmetic_v<T> T larger(T x, T y) { return x > y || x != x ? x : y; }
template <class T> requires std::is_arithmetic_v<T> T smaller(T x, T y) { return x < y || x != x ? x : y; }

// x where the condition holds, else y.
inline Expr choose(Expr condition, Expr x, Expr y) { return {x.pipeline, x.pipeline->apply("where", condition.value, x.value, y.value)}; }
inline Expr choose(Expr condition, Expr x, double y) { return choose(condition, x, Expr{x.pipeline, x.pipeline->constant(y, x.value.dtype)}); }
inline Expr choose(Expr condition, double x, Expr y) { return choose(condition, Expr{y.pipeline, y.pipeline->constant(x, y.value.dtype)}, y); }
template <class T> requires std::is_arithmetic_v<T> T choose(bool condition, T x, T y) { return condition ? x : y; }

}  // namespace cannsim
