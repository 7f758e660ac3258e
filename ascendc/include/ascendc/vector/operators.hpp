// dst = a + b and its like: an expression of two tensors runs its instruction over the whole tensor that it is assigned to.
#pragma once

#include "ascendc/vector/arithmetic.hpp"
#include "ascendc/vector/compare.hpp"

namespace ascendc {

// An operator has no defaulted argument that could say where it stands; its right operand's conversion has one.
template <class T>
struct Located {
    Located(const AscendC::LocalTensor<T>& tensor, Where where = {__builtin_FILE(), __builtin_LINE()}) : tensor(tensor), where(where) {}
    AscendC::LocalTensor<T> tensor;
    Where where;
};

template <class T, class Run>
struct Expression {
    AscendC::LocalTensor<T> left;
    Located<T> right;
    Run instruction;

    template <class D>
    auto run(const AscendC::LocalTensor<D>& dst) const -> decltype(instruction(dst, left, right.tensor, right.where)) {
        return instruction(dst, left, right.tensor, right.where);
    }
};
template <class T, class Run>
Expression<T, Run> expression(const AscendC::LocalTensor<T>& left, const Located<T>& right, Run run) { return {left, right, run}; }

}  // namespace ascendc

namespace AscendC {

#define ASCENDC_OPERATOR(symbol, Name)                                                                                             \
    template <class T>                                                                                                             \
    auto operator symbol(const LocalTensor<T>& left, const ascendc::Located<ascendc::same_t<T>>& right) {                          \
        return ascendc::expression<T>(left, right, [](const LocalTensor<T>& dst, const auto& a, const auto& b, ascendc::Where where) { \
            Name(dst, a, b, static_cast<std::int32_t>(dst.GetSize()), where);                                                      \
        });                                                                                                                        \
    }
ASCENDC_OPERATOR(+, Add)
ASCENDC_OPERATOR(-, Sub)
ASCENDC_OPERATOR(*, Mul)
ASCENDC_OPERATOR(/, Div)
ASCENDC_OPERATOR(&, And)
ASCENDC_OPERATOR(|, Or)
#undef ASCENDC_OPERATOR

// A bit an element of the sources.
#define ASCENDC_OPERATOR(symbol, mode)                                                                                             \
    template <class T>                                                                                                             \
    auto operator symbol(const LocalTensor<T>& left, const ascendc::Located<ascendc::same_t<T>>& right) {                          \
        return ascendc::expression<T>(left, right, [](const auto& dst, const auto& a, const auto& b, ascendc::Where where) {       \
            Compare(dst, a, b, CMPMODE::mode, a.GetSize(), where);                                                                 \
        });                                                                                                                        \
    }
ASCENDC_OPERATOR(<, LT)
ASCENDC_OPERATOR(>, GT)
ASCENDC_OPERATOR(==, EQ)
ASCENDC_OPERATOR(<=, LE)
ASCENDC_OPERATOR(>=, GE)
ASCENDC_OPERATOR(!=, NE)
#undef ASCENDC_OPERATOR

}  // namespace AscendC
