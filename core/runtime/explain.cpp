// The text of a schedule: one line for each program, and its steps.
#include "runtime/explain.hpp"

#include <algorithm>
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

}  // namespace

Explanation explanation_of(std::span<const Instruction> list, const Schedule& schedule, Runner& runner, const Array* array) {
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
            lines = together.lines;
            together_end = lines > 0 ? p + together.parts : p + std::max<std::size_t>(together.parts, 2) - 1;
            for (std::size_t k = p; lines > 0 && k < together_end; ++k) sharing += parts[k].group.members.size();
        }
        if (!shown[p]) continue;
        const Instruction& first = list[parts[p].group.members.front()];
        if (parts[p].group.alone) {
            text += "program " + std::to_string(number++) + ": " + std::string(row(first.row).name) + " -> " +
                    std::string(name(first.out[0].dtype)) + to_string(first.out[0].view.shape) + (first.on_host ? ", on the host\n" : "\n");
        } else {
            found.programs.push_back(parts[p].fused.program);
            text += "program " + std::to_string(number++) + ": over " + to_string(first.shape) + ", " + std::to_string(parts[p].group.members.size()) +
                    " instructions" + (lines && p + 1 < together_end ? ", " + std::to_string(lines) + " lines at a time with the next\n" : "\n") + to_string(parts[p].fused.program);
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
    without_lock([&] {
        const std::unique_lock planning = lock_planning(q);
        const std::lock_guard lock(q.recording);
        q.census.take(q.recorded);
        std::vector<Instruction> list = q.recorded;  // which stays as it was recorded
        Draft draft(list, q.census, false);
        run_passes(draft, q.passes);
        found = explanation_of(list, divide(draft), q.runner, array);
    });
    return found;
}

}  // namespace asnumpy
