// The table of call strings. A row that is not here is made of others (the rules of this folder), or the host computes it.
#include "ascend/lower/calls.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/immortal.hpp"

namespace asnumpy::ascend {
namespace {

struct Entry {
    std::string_view row;
    RowCalls calls;
};

constexpr Entry entries[] = {
    // arithmetic
    {"add", {.elementwise = "aclnnAdd x y 1 -> out", .scalar_last = "aclnnAdds x y 1 -> out",
             .scalar_first = "aclnnAdds y x 1 -> out", .reduce = "aclnnReduceSum x axes true dtype -> out",
             .scan = "aclnnCumsum x axis dtype -> out"}},
    {"subtract", {.elementwise = "aclnnSub x y 1 -> out", .scalar_last = "aclnnSubs x y 1 -> out",
                  .scalar_first = "aclnnRsubs y x 1 -> out"}},
    {"multiply", {.elementwise = "aclnnMul x y -> out", .scalar_last = "aclnnMuls x y -> out",
                  .scalar_first = "aclnnMuls y x -> out", .reduce = "aclnnProdDim x axis true dtype -> out",
                  .scan = "aclnnCumprod x axis dtype -> out"}},
    {"negative", {.elementwise = "aclnnNeg x -> out"}},
    {"positive", {.elementwise = "aclnnInplaceCopy out x"}},
    {"absolute", {.elementwise = "aclnnAbs x -> out"}},
    {"square", {.elementwise = "aclnnMul x x -> out"}},
    {"sign", {.elementwise = "aclnnSign x -> out"}},
    {"real", {.elementwise = "aclnnReal x -> out"}},
    // division
    {"divide", {.elementwise = "aclnnDiv x y -> out", .scalar_last = "aclnnDivs x y -> out"}},
    {"floor_divide", {.elementwise = "aclnnFloorDivide x y -> out", .scalar_last = "aclnnFloorDivides x y -> out"}},
    {"remainder", {.elementwise = "aclnnRemainderTensorTensor x y -> out",
                   .scalar_last = "aclnnRemainderTensorScalar x y -> out",
                   .scalar_first = "aclnnRemainderScalarTensor x y -> out"}},
    {"fmod", {.elementwise = "aclnnFmodTensor x y -> out", .scalar_last = "aclnnFmodScalar x y -> out"}},
    {"reciprocal", {.elementwise = "aclnnReciprocal x -> out"}},
    {"power", {.elementwise = "aclnnPowTensorTensor x y -> out", .scalar_last = "aclnnPowTensorScalar x y -> out",
               .scalar_first = "aclnnPowScalarTensor x y -> out"}},
    {"float_power", {.elementwise = "aclnnPowTensorTensor x y -> out", .scalar_last = "aclnnPowTensorScalar x y -> out",
                     .scalar_first = "aclnnPowScalarTensor x y -> out"}},
    // comparison
    {"equal", {.elementwise = "aclnnEqTensor x y -> out", .scalar_last = "aclnnEqScalar x y -> out",
               .scalar_first = "aclnnEqScalar y x -> out"}},
    {"not_equal", {.elementwise = "aclnnNeTensor x y -> out", .scalar_last = "aclnnNeScalar x y -> out",
                   .scalar_first = "aclnnNeScalar y x -> out"}},
    {"less", {.elementwise = "aclnnLtTensor x y -> out", .scalar_last = "aclnnLtScalar x y -> out",
              .scalar_first = "aclnnGtScalar y x -> out"}},
    {"less_equal", {.elementwise = "aclnnLeTensor x y -> out", .scalar_last = "aclnnLeScalar x y -> out",
                    .scalar_first = "aclnnGeScalar y x -> out"}},
    {"greater", {.elementwise = "aclnnGtTensor x y -> out", .scalar_last = "aclnnGtScalar x y -> out",
                 .scalar_first = "aclnnLtScalar y x -> out"}},
    {"greater_equal", {.elementwise = "aclnnGeTensor x y -> out", .scalar_last = "aclnnGeScalar x y -> out",
                       .scalar_first = "aclnnLeScalar y x -> out"}},
    // logic
    {"logical_and", {.elementwise = "aclnnLogicalAnd x y -> out", .reduce = "aclnnAll x axes true -> out"}},
    {"logical_or", {.elementwise = "aclnnLogicalOr x y -> out", .reduce = "aclnnAny x axes true -> out"}},
    {"logical_xor", {.elementwise = "aclnnLogicalXor x y -> out"}},
    {"logical_not", {.elementwise = "aclnnLogicalNot x -> out"}},
    {"isnan", {.elementwise = "aclnnNeTensor x x -> out"}},
    {"isinf", {.elementwise = "aclnnIsInf x -> out"}},
    {"isfinite", {.elementwise = "aclnnIsFinite x -> out"}},
    {"signbit", {.elementwise = "aclnnSignbit x -> out"}},
    {"where", {.elementwise = "aclnnSWhere x y z -> out"}},
    // extremum
    {"maximum", {.elementwise = "aclnnMaximum x y -> out", .reduce = "aclnnAmax x axes true -> out",
                 .scan = "aclnnCummax x axis -> out index"}},
    {"minimum", {.elementwise = "aclnnMinimum x y -> out", .reduce = "aclnnAmin x axes true -> out",
                 .scan = "aclnnCummin x axis -> out index"}},
    // bitwise
    {"bitwise_and", {.elementwise = "aclnnBitwiseAndTensor x y -> out", .scalar_last = "aclnnBitwiseAndScalar x y -> out",
                     .scalar_first = "aclnnBitwiseAndScalar y x -> out"}},
    {"bitwise_or", {.elementwise = "aclnnBitwiseOrTensor x y -> out", .scalar_last = "aclnnBitwiseOrScalar x y -> out",
                    .scalar_first = "aclnnBitwiseOrScalar y x -> out"}},
    {"bitwise_xor", {.elementwise = "aclnnBitwiseXorTensor x y -> out", .scalar_last = "aclnnBitwiseXorScalar x y -> out",
                     .scalar_first = "aclnnBitwiseXorScalar y x -> out"}},
    {"invert", {.elementwise = "aclnnBitwiseNot x -> out"}},
    {"gcd", {.elementwise = "aclnnGcd x y -> out"}},
    // rounding
    {"floor", {.elementwise = "aclnnFloor x -> out"}},
    {"ceil", {.elementwise = "aclnnCeil x -> out"}},
    {"trunc", {.elementwise = "aclnnTrunc x -> out"}},
    {"rint", {.elementwise = "aclnnRound x -> out"}},
    {"fabs", {.elementwise = "aclnnAbs x -> out"}},
    // exponential
    {"sqrt", {.elementwise = "aclnnSqrt x -> out"}},
    {"exp", {.elementwise = "aclnnExp x -> out"}},
    {"exp2", {.elementwise = "aclnnExp2 x -> out"}},
    {"expm1", {.elementwise = "aclnnExpm1 x -> out"}},
    {"log", {.elementwise = "aclnnLog x -> out"}},
    {"log2", {.elementwise = "aclnnLog2 x -> out"}},
    {"log10", {.elementwise = "aclnnLog10 x -> out"}},
    {"log1p", {.elementwise = "aclnnLog1p x -> out"}},
    {"logaddexp", {.elementwise = "aclnnLogAddExp x y -> out", .reduce = "aclnnLogSumExp x axes true -> out"}},
    {"logaddexp2", {.elementwise = "aclnnLogAddExp2 x y -> out"}},
    {"erf", {.elementwise = "aclnnErf x -> out"}},
    {"erfc", {.elementwise = "aclnnErfc x -> out"}},
    // trigonometric
    {"sin", {.elementwise = "aclnnSin x -> out"}},
    {"cos", {.elementwise = "aclnnCos x -> out"}},
    {"tan", {.elementwise = "aclnnTan x -> out"}},
    {"arcsin", {.elementwise = "aclnnAsin x -> out"}},
    {"arccos", {.elementwise = "aclnnAcos x -> out"}},
    {"arctan", {.elementwise = "aclnnAtan x -> out"}},
    {"arctan2", {.elementwise = "aclnnAtan2 x y -> out"}},
    {"sinh", {.elementwise = "aclnnSinh x -> out"}},
    {"cosh", {.elementwise = "aclnnCosh x -> out"}},
    {"tanh", {.elementwise = "aclnnTanh x -> out"}},
    {"arcsinh", {.elementwise = "aclnnAsinh x -> out"}},
    {"arccosh", {.elementwise = "aclnnAcosh x -> out"}},
    {"arctanh", {.elementwise = "aclnnAtanh x -> out"}},
    // cast
    {"cast", {.elementwise = "aclnnCast x dtype -> out", .instead = "aclnnInplaceCopy out x"}},
    // by themselves
    {"matmul", {.elementwise = "aclnnMatmul x y -> out option"}},
    {"argmax", {.elementwise = "aclnnArgMax x axis false -> out"}},
    {"argmin", {.elementwise = "aclnnArgMin x axis false -> out"}},
    {"take", {.elementwise = "aclnnIndexSelect x axis y -> out"}},
    {"scatter", {.elementwise = "aclnnInplaceIndexCopy out axis y x"}},
    {"compress", {.elementwise = "aclnnMaskedSelect x y -> out"}},
    {"flatnonzero", {.elementwise = "aclnnNonzero x -> out"}},
    {"bincount", {.elementwise = "aclnnBincount x null 0 -> out"}},
    // activations
    {"softmax", {.elementwise = "aclnnSoftmax x axis -> out"}},
    {"log_softmax", {.elementwise = "aclnnLogSoftmax x axis -> out"}},
    {"sigmoid", {.elementwise = "aclnnSigmoid x -> out"}},
    {"log_sigmoid", {.elementwise = "aclnnLogSigmoid x -> out"}},
    {"silu", {.elementwise = "aclnnSilu x -> out"}},
    {"gelu", {.elementwise = "aclnnGeluV2 x option -> out"}},
    {"softplus", {.elementwise = "aclnnSoftplus x n m -> out"}},
    {"elu", {.elementwise = "aclnnElu x n 1 1 -> out"}},
    {"leaky_relu", {.elementwise = "aclnnLeakyRelu x n -> out"}},
    // normalisations
    {"layer_norm", {.elementwise = "aclnnLayerNorm x axes y z n -> out null null"}},
    {"rms_norm", {.elementwise = "aclnnRmsNorm x y n -> out out2"}},
};

// By the rows' ids. find_row refuses an entry whose row does not exist.
const std::vector<RowCalls>& table() {
    static Immortal<const std::vector<RowCalls>> instance([] {
        std::vector<RowCalls> all(rows().size());
        for (const Entry& entry : entries) all[find_row(entry.row)] = entry.calls;
        return all;
    }());
    return *instance;
}

}  // namespace

const RowCalls& calls_of(RowId id) { return table()[id]; }
const RowCalls& calls_of(std::string_view row) { return calls_of(find_row(row)); }

std::span<const cann::Parameter> parameters_of(std::string_view op) {
    const int found = cann::find_operator(op);
    if (found < 0) throw RuntimeFailure(std::string(op) + " is not among CANN's operators");
    return cann::parameters(cann::operators()[static_cast<std::size_t>(found)]);
}

CallString parse_call(std::string_view text) {
    CallString call;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find(' ', start), text.size());
        const std::string_view word = text.substr(start, end - start);
        if (call.op.empty()) call.op = word;
        else if (!word.empty() && word != "->") call.arguments.push_back(word);
        start = end + 1;
    }
    return call;
}

}  // namespace asnumpy::ascend
