// From parts of a schedule to launches: programs one by one or several together, structured operations, the host.
#include "runtime/runner.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <string>

#include "base/error.hpp"
#include "device/trace.hpp"
#include "runtime/fallback.hpp"
#include "runtime/recorded_at.hpp"
#include "runtime/single.hpp"
#include "runtime/traffic.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t most_programs = 4096;  // kept for each device

std::string names_of(const Program& program) {
    std::string text;
    for (const Step& step : program.steps) text += " " + std::string(row(step.row).name);
    for (const Reduction& reduction : program.reductions) text += " reduce:" + std::string(row(reduction.row).name);
    return text;
}

Backend& backend_of(std::span<const Instruction> list, const Schedule::Part& part) { return list[part.group.members.front()].out[0].pool().backend(); }

void run_together(std::span<const Instruction> list, const Schedule& schedule, std::size_t first, Together& together) {
    trace::Span span("programs", "run");
    place_operands(list, schedule, first, together.stages);
    if (span.listening()) {
        std::vector<std::uint32_t> members;
        std::string steps;
        for (const Schedule::Part& part : std::span(schedule.parts).subspan(first, together.parts)) {
            members.insert(members.end(), part.group.members.begin(), part.group.members.end());
            steps += names_of(part.fused.program);
        }
        span.set_bytes(traffic_of(list, schedule, first, together.stages));
        span.set_detail(std::to_string(together.parts) + " programs, " + std::to_string(together.lines()) + " lines at a time:" + steps);
        span.set_lines(lines_of(list, members));
    }
    backend_of(list, schedule.parts[first]).run_stages(together.stages, *together.way);
}

// How the operands of parts are viewed, and which of them have memory: what the key of a schedule does not tell. Where one lies whose memory is
// somebody else's: two of these may have some in common.
void describe_views(std::span<const Instruction> list, const Schedule& schedule, std::size_t first, std::size_t count, std::vector<std::int64_t>& views) {
    views.clear();
    for (const Schedule::Part& part : std::span(schedule.parts).subspan(first, count))
        each_operand(list, part, [&](const Array& array) {
            views.push_back(array.view.offset * 2 + (array.buffer->materialised() ? 1 : 0));
            views.insert(views.end(), array.view.strides.begin(), array.view.strides.end());
            if (array.buffer->foreign()) views.push_back(reinterpret_cast<std::intptr_t>(array.buffer->data()));
        });
}

}  // namespace

std::shared_ptr<const Executable> Runner::compiled(const Pool& pool, const Program& program) {
    if (programs_.size() <= pool.number()) programs_.resize(pool.number() + 1);
    auto& programs = programs_[pool.number()];
    const auto found = programs.find(program);
    if (found != programs.end()) return found->second;
#ifndef NDEBUG
    check(program);
#endif
    if (programs.size() >= most_programs) programs.clear();
    return programs.emplace(program, pool.backend().compile(program)).first->second;
}

const Executable& Runner::executable(std::span<const Instruction> list, const Schedule::Part& part) {
    const std::atomic_ref<const Executable*> ready(part.ready);
    if (const Executable* const made = ready.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(making_);
    if (!part.held) part.held = compiled(list[part.group.members.front()].out[0].pool(), part.fused.program);
    ready.store(part.held.get(), std::memory_order_release);
    return *part.held;
}

Together Runner::find_together(std::span<const Instruction> list, const Schedule& schedule, std::size_t first) {
    Backend& backend = backend_of(list, schedule.parts[first]);
    const auto measured = [&](Stages&& stages) {
        Together made;
        made.stages = std::move(stages);
        made.parts = made.stages.stages.size();
        for (std::size_t s = 0; s < made.parts; ++s) made.stages.stages[s].executable = &executable(list, schedule.parts[first + s]);
        made.way = backend.way_of(made.stages);
        return made;
    };
    // Fewer stages have less that is to stay in a cache.
    const auto fewer = [](const Together& all) { return all.parts - std::max<std::size_t>(1, all.parts / 4); };
    Together apart, ordered;
    std::size_t longest = 0;
    const std::size_t apart_looked_at = find_stages(list, schedule, first, Lines::apart, [&](Stages&& some) -> std::size_t {
        apart = measured(std::move(some));
        longest = std::max(longest, apart.parts);
        return apart.way ? 0 : fewer(apart);
    });
    if (!apart.way) apart.parts = longest;
    const std::size_t beat = apart.way ? apart.parts : 1;
    const std::size_t ordered_looked_at = find_stages(list, schedule, first, Lines::in_order, [&](Stages&& some) -> std::size_t {
        if (some.stages.size() <= beat) return 0;
        ordered = measured(std::move(some));
        return ordered.way ? 0 : fewer(ordered);
    });
    Together& found = ordered.way ? ordered : apart;
    found.looked_at = std::max(apart_looked_at, ordered_looked_at);
    return std::move(found);
}

// What was found is lent to one run at a time: two that follow one schedule at the same time find it each for itself.
std::shared_ptr<FoundTogether> Runner::found_together(std::span<const Instruction> list, const Schedule& schedule, std::size_t first, bool stays) {
    const std::uint64_t known = backend_of(list, schedule.parts[first]).ways_known();
    std::shared_ptr<FoundTogether> found;
    {
        const std::lock_guard lock(making_);
        found = std::move(schedule.parts[first].together);
    }
    thread_local std::vector<std::int64_t> views;
    if (found && found->known == known) {
        if (stays) return found;
        describe_views(list, schedule, first, found->together.looked_at, views);
        if (found->views == views) return found;
    }
    Together together = find_together(list, schedule, first);
    describe_views(list, schedule, first, together.looked_at, views);
    return std::make_shared<FoundTogether>(FoundTogether{std::move(together), known, views});
}

void Runner::run_fused(std::span<const Instruction> list, const Schedule::Part& part) {
    const Fused& fused = part.fused;
    if (fused.outputs.empty()) return;
    trace::Span span("program", "run");
    thread_local Launch launch;  // kept for its storage
    set_launch(launch, list, part);
    if (span.listening()) {
        span.set_bytes(traffic_of(list, part));
        span.set_detail(to_string(launch.shape) + " " + std::to_string(fused.program.steps.size()) + " steps:" + names_of(fused.program));
        span.set_lines(lines_of(list, part.group.members));
    }
    executable(list, part).run(launch);
}

bool Runner::awaits_code(std::span<const Instruction> list, const Schedule& schedule, bool asked, const std::vector<bool>& without) {
    const auto each_program = [&](auto&& f) {
        for (std::size_t p = 0; p < schedule.parts.size(); ++p) {
            const Schedule::Part& part = schedule.parts[p];
            if (!part.group.alone && !part.fused.outputs.empty() && (without.empty() || !without[p])) f(part, executable(list, part));
        }
    };
    Launch launch;
    each_program([&](const Schedule::Part& part, const Executable& program) {
        lay_out_launch(launch, list, part);
        program.look_at(launch);
    });
    bool awaits = false;
    each_program([&](const Schedule::Part&, const Executable& program) {
        if (program.awaits_code(asked)) awaits = true;
    });
    return awaits;
}

KeptLaunch Runner::keep(std::span<const Instruction> list, const Schedule::Part& part, const Roots& roots) {
    const bool is_program = !part.group.alone && !part.fused.outputs.empty();
    return {list, part, is_program ? &executable(list, part) : nullptr, roots};
}

void Runner::run_part(std::span<const Instruction> list, const Schedule::Part& part) {
    const Instruction& first = list[part.group.members.front()];
    const OnStream stream(first.out[0].pool().number(), first.on_stream);
    if (!part.group.alone) run_fused(list, part);
    else if (first.on_host) run_on_host(first);
    else run_now(first);
}

std::size_t Runner::run_from(std::span<const Instruction> list, const Schedule& schedule, std::size_t p, std::size_t& apart, bool stays) {
    if (p >= apart && p + 1 < schedule.parts.size() && schedule.parts[p + 1].follows) {
        std::shared_ptr<FoundTogether> found = found_together(list, schedule, p, stays);
        const std::size_t parts = found->together.parts;
        const bool together = found->together.way != nullptr;
        try {
            if (together) run_together(list, schedule, p, found->together);
            else apart = p + std::max<std::size_t>(parts, 2) - 1;  // the last of a chain may begin another one
            const std::lock_guard lock(making_);
            schedule.parts[p].together = std::move(found);
            if (together) return parts;
        } catch (const MemoryError&) {
            apart = schedule.parts.size();  // nothing that these need was overwritten: those run for which there is memory
        } catch (const std::bad_alloc&) {
            apart = schedule.parts.size();  // likewise
        }
    }
    run_part(list, schedule.parts[p]);
    return 1;
}

}  // namespace asnumpy
