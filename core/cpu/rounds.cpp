// What rounds may have, and what they call.
#include "cpu/rounds.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "cpu/strands.hpp"
#include "kernels/kernels.hpp"

namespace asnumpy::cpu {

bool is_common(DType dtype) {
    return dispatch(dtype, []<class T> { return in_strands<T>; });
}

std::size_t Round::hash() const {
    std::uint64_t h = parts.size();
    for (const Part& part : parts) {
        h = mixed(h, part.program ? part.program->hash() : part.product ? 2 + static_cast<std::uint64_t>(part.product->dtype) : 1);
        h = mixed(h, static_cast<std::uint64_t>(part.axes));
        for (const Strides& strides : part.strides)
            for (const Stride stride : strides) h = mixed(h, static_cast<std::uint64_t>(stride));
    }
    for (const std::int32_t column : columns) h = mixed(h, static_cast<std::uint32_t>(column));
    return h;
}

DType dtype_of(const Program& program, std::size_t operand) {
    if (operand < program.inputs.size()) return program.inputs[operand];
    operand -= program.inputs.size();
    return program.dtype(operand < program.stores.size() ? program.stores[operand].value : program.reductions[0].value);
}

bool is_called(const Step& step) { return !is_plain(step.row, step.loop); }

std::vector<Loop> called_loops(const Round& round) {
    std::vector<Loop> found;
    for (const Round::Part& part : round.parts)
        if (part.program)
            for (const Step& step : part.program->steps)
                if (is_called(step))
                    if (const Loop called = loop(step.row, step.loop); std::ranges::find(found, called) == found.end()) found.push_back(called);
    return found;
}

std::vector<RunProduct> called_products(const Round& round) {
    std::vector<RunProduct> found;
    for (const Round::Part& part : round.parts)
        if (part.product)
            if (const RunProduct called = product_of(*part.product); std::ranges::find(found, called) == found.end()) found.push_back(called);
    return found;
}

bool may_be_in_round(const Program& program, bool single) {
    if (program.reductions.size() > 1 || program.steps.size() > most_steps) return false;
    for (const Reduction& one : program.reductions)
        if (!is_plain(one.row, one.loop) || !fold(one.row, one.loop) || !is_common(program.dtype(one.value))) return false;
    return std::ranges::all_of(program.inputs, is_common) && std::ranges::all_of(program.steps, [single](const Step& step) {
        const Signature& signature = row(step.row).loops[step.loop];
        return is_called(step) ? single && std::all_of(signature.out.begin(), signature.out.begin() + signature.nout, is_common) : true;
    });
}

}  // namespace asnumpy::cpu
