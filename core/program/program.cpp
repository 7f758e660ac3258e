// The program's own properties: value types, hash, grammar check, text.
#include "program/program.hpp"

#include "base/error.hpp"

namespace asnumpy {

int Program::value_count() const {
    if (steps.empty()) return static_cast<int>(inputs.size());
    return steps.back().out + row(steps.back().row).nout;
}

DType Program::dtype(ValueId value) const {
    if (value < inputs.size()) return inputs[value];
    for (const Step& step : steps) {
        const Row& r = row(step.row);
        if (value >= step.out && value < step.out + r.nout)
            return r.loops[step.loop].out[static_cast<std::size_t>(value - step.out)];
    }
    throw RuntimeFailure("program: value %" + std::to_string(value) + " is not defined");
}

std::size_t Program::hash() const {
    std::size_t h = 0x9e3779b97f4a7c15u;
    const auto mix = [&h](std::size_t word) { h = (h ^ word) * 0xff51afd7ed558ccdu; h ^= h >> 32; };
    for (const DType d : inputs) mix(static_cast<std::size_t>(d) + 1);
    for (const Step& s : steps) {
        mix(static_cast<std::size_t>(s.row) << 16 | s.loop);
        mix(static_cast<std::size_t>(s.in[0]) << 48 | static_cast<std::size_t>(s.in[1]) << 32 |
            static_cast<std::size_t>(s.in[2]) << 16 | s.out);
    }
    for (const Store& s : stores) mix(static_cast<std::size_t>(s.value) | 1u << 20);
    for (const Reduction& r : reductions)
        mix(static_cast<std::size_t>(r.value) << 32 | static_cast<std::size_t>(r.row) << 16 | r.loop | std::size_t{1} << 60);
    return h;
}

void check(const Program& p) {
    const auto fail = [&p](const std::string& rule) { throw RuntimeFailure("program breaks its grammar: " + rule + "\n" + to_string(p)); };
    std::vector<DType> values(p.inputs);
    for (const Step& step : p.steps) {
        const Row& r = row(step.row);
        if (r.kind != RowKind::elementwise) fail(std::string(r.name) + " is not elementwise");
        if (step.loop >= r.loops.size()) fail(std::string(r.name) + " has no loop " + std::to_string(step.loop));
        if (step.out != values.size()) fail("a step defines %" + std::to_string(step.out) + ", the next value is %" + std::to_string(values.size()));
        const Signature& s = r.loops[step.loop];
        for (std::size_t i = 0; i < r.nin; ++i) {
            if (step.in[i] >= values.size()) fail(std::string(r.name) + " uses a value before it is defined");
            if (values[step.in[i]] != s.in[i]) fail(std::string(r.name) + " takes " + std::string(name(s.in[i])) + ", got " + std::string(name(values[step.in[i]])));
        }
        for (std::size_t i = 0; i < r.nout; ++i) values.push_back(s.out[i]);
    }
    for (const Store& s : p.stores)
        if (s.value >= values.size()) fail("a store of an undefined value");
    for (const Reduction& reduction : p.reductions) {
        const Row& r = row(reduction.row);
        if (reduction.value >= values.size()) fail("a reduction of an undefined value");
        if (!r.reducible || reduction.loop >= r.loops.size()) fail(std::string(r.name) + " cannot reduce");
        const Signature& s = r.loops[reduction.loop];
        const DType d = values[reduction.value];
        if (s.in[0] != d || s.in[1] != d || s.out[0] != d) fail(std::string(r.name) + " does not reduce " + std::string(name(d)) + " to itself");
    }
    if (p.stores.empty() && p.reductions.empty()) fail("it has no output");
}

std::string to_string(const Program& p) {
    std::string text;
    const auto value = [](ValueId id) { return "%" + std::to_string(id); };
    for (std::size_t i = 0; i < p.inputs.size(); ++i)
        text += "  " + value(static_cast<ValueId>(i)) + " = input " + std::string(name(p.inputs[i])) + "\n";
    for (const Step& step : p.steps) {
        const Row& r = row(step.row);
        text += "  ";
        for (int i = 0; i < r.nout; ++i) text += (i ? ", " : "") + value(static_cast<ValueId>(step.out + i));
        text += " = " + std::string(r.name);
        for (std::size_t i = 0; i < r.nin; ++i) text += (i ? ", " : " ") + value(step.in[i]);
        text += " : " + std::string(name(r.loops[step.loop].out[0])) + "\n";
    }
    for (const Store& s : p.stores) text += "  store " + value(s.value) + "\n";
    for (const Reduction& r : p.reductions) text += "  reduce " + std::string(row(r.row).name) + " " + value(r.value) + "\n";
    return text;
}

}  // namespace asnumpy
