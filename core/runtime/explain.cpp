// The text of a schedule: one line for each program, its operands and its steps.
#include "runtime/explain.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <sstream>
#include <vector>

#include "runtime/passes.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

// Walks back from the array through everything that its value needs.
std::vector<bool> needed_parts(std::span<const Instruction> list, const std::vector<Schedule::Part>& parts, const Array* array) {
    std::vector<bool> shown(parts.size(), array == nullptr);
    std::vector<const Instruction*> needed;
    for (std::size_t p = parts.size(); array && p-- > 0;) {
        for (const std::uint32_t member : parts[p].group.members) {
            const Instruction& instruction = list[member];
            bool writes_it = false;
            each_buffer(instruction, [&](Buffer& b, bool written) { writes_it = writes_it || (written && &b == array->buffer.get()); });
            for (const Instruction* later : needed) writes_it = writes_it || conflicts(instruction, *later);
            if (writes_it) shown[p] = true;
        }
        if (!shown[p]) continue;
        for (const auto* positions : {&parts[p].group.members, &parts[p].group.through})
            for (const std::uint32_t position : *positions) needed.push_back(&list[position]);
    }
    return shown;
}

template <class T> std::string digits(T value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value ? "True" : "False";
    } else if constexpr (is_narrow_v<T>) {
        return digits(static_cast<typename T::wide>(value));
    } else if constexpr (is_half_v<T>) {
        return digits(static_cast<float>(value));
    } else if constexpr (is_complex_v<T>) {
        const std::string imaginary = digits(value.imag());
        return "(" + digits(value.real()) + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j)";
    } else {
        std::array<char, 64> text{};
        return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
    }
}

std::string value_text(const Scalar& s) {
    return dispatch(s.dtype, [&]<class T>() { return digits(s.get<T>()); });
}

std::string argument_text(const Argument& argument, ArrayNames& names) {
    return argument.array() ? names(*argument.array()) : value_text(*argument.scalar());
}

// The program's text, with what each operand is behind its line: inputs come first, stores and reductions last.
std::string program_text(std::span<const Instruction> list, const Fused& fused, ArrayNames& names) {
    const std::size_t inputs = fused.inputs.size(), steps = fused.program.steps.size(), stores = fused.program.stores.size();
    std::istringstream lines(to_string(fused.program));
    std::string text, line;
    for (std::size_t k = 0; std::getline(lines, line); ++k) {
        text += line;
        if (k < inputs) {
            const Place& place = fused.inputs[k];
            const Instruction& reader = list[place.instruction];
            text += " " + (place.output ? names(reader.out[place.slot]) : argument_text(reader.in[place.slot], names));
        } else if (k >= inputs + steps) {
            const std::size_t output = k - inputs - steps;
            text += " " + names(*operand_array(list, fused.outputs[output]), output < stores ? 0 : fused.reduced);
        }
        text += "\n";
    }
    return text;
}

std::string structured_text(const Instruction& only, ArrayNames& names) {
    std::string text = std::string(row(only.row).name) + " -> " + std::string(name(only.out[0].dtype)) + to_string(only.out[0].view.shape) +
                       (only.on_host ? ", on the host\n" : "\n");
    for (const Argument& in : only.in) text += "  reads " + std::string(name(in.dtype())) + " " + argument_text(in, names) + "\n";
    for (const Array& out : only.out) text += "  writes " + std::string(name(out.dtype)) + " " + names(out, only.reduced) + "\n";
    return text;
}

}  // namespace

std::string ArrayNames::operator()(const Array& array, std::uint64_t reduced) {
    const std::size_t number = numbers_.try_emplace(array.buffer.get(), numbers_.size()).first->second;
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < array.ndim(); ++axis) {
        const std::size_t k = static_cast<std::size_t>(axis);
        if (!(reduced >> axis & 1)) shape.push_back(array.view.strides[k] == 0 ? std::min<std::int64_t>(array.view.shape[k], 1) : array.view.shape[k]);
    }
    return "a" + std::to_string(number) + to_string(shape) + (array.view.offset ? " from byte " + std::to_string(array.view.offset) : "");
}

Explanation explanation_of(std::span<const Instruction> list, const Schedule& schedule, Runner& runner, const Array* array, ArrayNames& names) {
    const std::vector<Schedule::Part>& parts = schedule.parts;
    const std::vector<bool> shown = needed_parts(list, parts, array);
    Explanation found;
    std::string& text = found.text;
    std::size_t number = 0, together_end = 0;
    std::int64_t lines = 0;
    std::size_t sharing = 0;  // instructions of programs that run together
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (p >= together_end) {
            const Together together = runner.find_together(list, schedule, p);
            lines = together.lines();
            together_end = lines > 0 ? p + together.parts : p + std::max<std::size_t>(together.parts, 2) - 1;
            for (std::size_t k = p; lines > 0 && k < together_end; ++k) sharing += parts[k].group.members.size();
        }
        if (!shown[p]) continue;
        const Instruction& first = list[parts[p].group.members.front()];
        if (parts[p].group.alone) {
            text += "program " + std::to_string(number++) + ": " + structured_text(first, names);
        } else {
            found.programs.push_back(parts[p].fused.program);
            text += "program " + std::to_string(number++) + ": over " + to_string(first.shape) + ", " + std::to_string(parts[p].group.members.size()) +
                    " instructions" + (lines && p + 1 < together_end ? ", " + std::to_string(lines) + " lines at a time with the next\n" : "\n") + program_text(list, parts[p].fused, names);
        }
    }
    if (text.empty()) text = "nothing is pending\n";
    std::vector<Done> done = schedule.done;
    if (sharing > 0) done.push_back(shared_lines(sharing));
    text.insert(0, to_string(done, list.size()));
    return found;
}

Explanation explain(const Array* array) {
    Queue& q = queue();
    Explanation found;
    ArrayNames names;
    without_lock([&] {
        const std::unique_lock planning = lock_planning(q);
        const std::lock_guard lock(q.recording);
        q.census.take(q.recorded);
        std::vector<Instruction> list = q.recorded;  // which stays as it was recorded
        Draft draft(list, q.census, false);
        run_passes(draft, q.passes);
        found = explanation_of(list, divide(draft), q.runner, array, names);
    });
    return found;
}

}  // namespace asnumpy
