// The rows by name, chosen for this machine's instruction set, and the operators that are rows.
#include "aclnn/rows.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "aclnn/elementwise.hpp"
#include "base/immortal.hpp"
#include "kernels/table.hpp"
#include "kernels/vector_math.hpp"
#include "rows/activation.hpp"
#include "rows/sets.hpp"

namespace cannsim {
namespace {

bool on_device(const Signature& signature) {
    const auto is = [](DType dtype) { return dtype != DType::longdouble && dtype != DType::clongdouble; };
    return std::all_of(signature.in.begin(), signature.in.begin() + signature.nin, is) &&
           std::all_of(signature.out.begin(), signature.out.begin() + signature.nout, is);
}

struct Index {
    std::unordered_map<std::string_view, RowLoops> by_name;
    std::array<std::array<Loop, asnumpy::dtype_count>, asnumpy::dtype_count> casts{};

    Index() {
        asnumpy::cpu::load_vector_math(asnumpy::cpu::instruction_set());
        for (asnumpy::RowId id = 0; id < asnumpy::rows().size(); ++id) {
            const asnumpy::Row& row = asnumpy::row(id);
            if (row.kind == asnumpy::RowKind::elementwise) add(row.name, row.loops, [id](int k) { return asnumpy::cpu::loop(id, k); });
        }
        const auto own = asnumpy::cpu::choose(rows::instruction_sets(), asnumpy::cpu::instruction_set()).tables[0]->rows;
        std::apply([&](const auto&... definition) { (add_own(definition, own), ...); }, rows::activation);
        const RowLoops& cast = by_name.at("cast");
        for (std::size_t i = 0; i < cast.signatures.size(); ++i)
            casts[static_cast<std::size_t>(cast.signatures[i].in[0])][static_cast<std::size_t>(cast.signatures[i].out[0])] = cast.loops[i];
    }

    void add(std::string_view name, std::span<const Signature> signatures, auto loop) {
        RowLoops& row = by_name[name];
        row = {name, signatures, {}};
        for (std::size_t k = 0; k < signatures.size(); ++k) row.loops.push_back(on_device(signatures[k]) ? loop(static_cast<int>(k)) : nullptr);
    }
    template <class Definition> void add_own(const Definition& definition, std::span<const asnumpy::cpu::RowKernels> kernels) {
        const auto& of_row = *std::ranges::find(kernels, definition.name, &asnumpy::cpu::RowKernels::row);
        add(definition.name, asnumpy::ops::SignaturesOf<typename Definition::loops>::value, [&](int k) { return of_row.loops[static_cast<std::size_t>(k)]; });
    }
};
const Index& index() {
    static asnumpy::Immortal<Index> instance;
    return *instance;
}

// The operators that are a row of their tensors and nothing else, and each one's row.
constexpr std::pair<std::string_view, std::string_view> row_operators[] = {
    {"aclnnMul", "multiply"}, {"aclnnNeg", "negative"}, {"aclnnAbs", "absolute"}, {"aclnnSign", "sign"}, {"aclnnReal", "real"},
    {"aclnnDiv", "divide"}, {"aclnnFloorDivide", "floor_divide"}, {"aclnnRemainderTensorTensor", "remainder"},
    {"aclnnFmodTensor", "fmod"}, {"aclnnPowTensorTensor", "power"},
    {"aclnnEqTensor", "equal"}, {"aclnnNeTensor", "not_equal"}, {"aclnnLtTensor", "less"}, {"aclnnLeTensor", "less_equal"},
    {"aclnnGtTensor", "greater"}, {"aclnnGeTensor", "greater_equal"}, {"aclnnLogicalAnd", "logical_and"},
    {"aclnnLogicalOr", "logical_or"}, {"aclnnLogicalXor", "logical_xor"}, {"aclnnLogicalNot", "logical_not"},
    {"aclnnIsInf", "isinf"}, {"aclnnIsFinite", "isfinite"}, {"aclnnSignbit", "signbit"}, {"aclnnMaximum", "maximum"},
    {"aclnnMinimum", "minimum"}, {"aclnnBitwiseAndTensor", "bitwise_and"}, {"aclnnBitwiseOrTensor", "bitwise_or"},
    {"aclnnBitwiseXorTensor", "bitwise_xor"}, {"aclnnLeftShift", "left_shift"}, {"aclnnRightShift", "right_shift"}, {"aclnnBitwiseNot", "invert"}, {"aclnnGcd", "gcd"}, {"aclnnFloor", "floor"},
    {"aclnnCeil", "ceil"}, {"aclnnTrunc", "trunc"}, {"aclnnSqrt", "sqrt"}, {"aclnnExp", "exp"}, {"aclnnExp2", "exp2"},
    {"aclnnExpm1", "expm1"}, {"aclnnLog", "log"}, {"aclnnLog2", "log2"}, {"aclnnLog10", "log10"}, {"aclnnLog1p", "log1p"},
    {"aclnnLogAddExp", "logaddexp"}, {"aclnnLogAddExp2", "logaddexp2"}, {"aclnnErf", "erf"}, {"aclnnErfc", "erfc"},
    {"aclnnSin", "sin"}, {"aclnnCos", "cos"}, {"aclnnTan", "tan"}, {"aclnnAsin", "arcsin"}, {"aclnnAcos", "arccos"},
    {"aclnnAtan", "arctan"}, {"aclnnAtan2", "arctan2"}, {"aclnnSinh", "sinh"}, {"aclnnCosh", "cosh"}, {"aclnnTanh", "tanh"},
    {"aclnnAsinh", "arcsinh"}, {"aclnnAcosh", "arccosh"}, {"aclnnAtanh", "arctanh"}, {"aclnnRelu", "relu"},
    {"aclnnSigmoid", "sigmoid"}, {"aclnnSilu", "silu"}, {"aclnnLeakyRelu", "leaky_relu"},
};

}  // namespace

const RowLoops& find_row(std::string_view name) {
    const auto found = index().by_name.find(name);
    if (found == index().by_name.end()) throw Refusal{ACLNN_ERR_INNER, text("the simulator has no row '", name, "'")};
    return found->second;
}

int find_loop(const RowLoops& row, std::span<const DType> inputs) {
    for (std::size_t i = 0; i < row.signatures.size(); ++i) {
        const Signature& s = row.signatures[i];
        if (row.loops[i] && s.nin == inputs.size() && std::equal(inputs.begin(), inputs.end(), s.in.begin())) return static_cast<int>(i);
    }
    return -1;
}

Loop converter(DType from, DType to) { return index().casts[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)]; }

void add_row_operators() {
    for (const auto& [name, row] : row_operators) {
        add_elementwise(name, row);
        add_elementwise(text("aclnnInplace", name.substr(5)), row);
    }
}

}  // namespace cannsim
