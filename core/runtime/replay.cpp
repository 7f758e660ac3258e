// The plan of a recorded function: its list divided, which arrays are stand-ins, when their memory goes back.
#include "runtime/replay.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "runtime/damaged.hpp"
#include "runtime/explain.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

Replay::Replay(Traced&& traced, std::span<const std::size_t> donated) : traced_(std::move(traced)), donated_(donated.begin(), donated.end()) {
    reuse_donated();
    keep_constants();
    divide_list();
    find_results();
    find_last_uses();
    place_small();
    for (std::size_t k = 0; k < traced_.list.size(); ++k) {
        const Instruction& instruction = traced_.list[k];
        if (is_draw(instruction) && !instruction.out.empty()) draws_.push_back({k, instruction.stream});
    }
    const auto is_written = [&](const BufferPtr& b) {
        bool found = false;
        for (const Instruction& instruction : traced_.list)
            for (const Array& out : instruction.out) found = found || out.buffer == b;
        for (const Control& control : traced_.controls) {
            for (const auto& function : {control.test, control.first, control.second})
                if (function) function->each_captured([&](const Buffer& c, bool written) { found = found || (written && &c == b.get()); });
            for (std::size_t k = 0; k < control.in.size(); ++k)
                found = found || (control.in[k].buffer == b && control.writes(k));
        }
        return found;
    };
    for (const BufferPtr& b : traced_.captured) captured_written_.push_back(is_written(b));
    for (const Array& argument : traced_.arguments) argument_written_.push_back(is_written(argument.buffer));
    const bool on_host = std::ranges::all_of(traced_.list, [](const Instruction& i) { return i.out.empty() || i.out[0].host_visible(); });
    beside_others_ = traced_.controls.empty() && on_host;
    if (beside_others_) find_constants();
    if (!on_host) find_recurring();
    find_rounds();
}

void Replay::find_rounds() {
    for (Stretch& stretch : stretches_) {
        stretch.again.rounds = Rounds::find(std::span(traced_.list).subspan(stretch.first, stretch.count), *stretch.schedule, stretch.again.roots,
                                             [&](std::size_t part) { return !stretch.drops[part].empty(); });
        // What runs together with the parts before it is no round of theirs. Doubles, which share the schedule, find it so.
        for (const Rounds& rounds : stretch.again.rounds)
            if (bool& follows = stretch.schedule->parts[rounds.first()].follows) follows = false;
    }
}

// What another stretch uses is held by its instructions, and so counts as seen by others.
void Replay::divide_list() {
    std::vector<Instruction> all = std::exchange(traced_.list, {});
    std::size_t done = 0;
    const auto add = [&](std::size_t end) {
        const auto at = [&](std::size_t k) { return std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(k)); };
        std::vector<Instruction> list(at(done), at(end));
        done = end;
        Stretch& made = stretches_.emplace_back();
        made.schedule = std::make_shared<Schedule>(plan_list(list));
        made.first = traced_.list.size();
        made.count = list.size();
        traced_.list.insert(traced_.list.end(), std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
    };
    for (Control& control : traced_.controls) {
        add(control.before);
        control.before = traced_.list.size();
    }
    add(all.size());
}

void Replay::rename(const BufferPtr& from, const BufferPtr& to) {
    const auto change = [&](Array& a) {
        if (a.buffer == from) a.buffer = to;
    };
    for (Instruction& instruction : traced_.list) {
        for (Argument& in : instruction.in)
            if (in.array()) change(*in.array());
        for (Array& out : instruction.out) change(out);
    }
    for (Array& result : traced_.results) change(result);
    for (RangeCheck& check : traced_.checks) change(check.index);
    std::ranges::replace(traced_.captured, from, to);
    for (Control& control : traced_.controls) {
        for (Array& in : control.in) change(in);
        for (Array& out : control.out) change(out);
        change(control.chosen);
        for (const auto& function : {control.test, control.first, control.second})
            if (function) function->rename(from, to);
    }
}

bool Replay::is_argument(const Buffer& b) const {
    return std::ranges::any_of(traced_.arguments, [&](const Array& a) { return a.buffer.get() == &b; });
}

// What the host made while the function was traced is a constant. Where the function writes it, or gives it back, each call gets its own:
// a copy at the start.
void Replay::keep_constants() {
    std::vector<BufferPtr> changing;
    const auto add = [&](const BufferPtr& b) {
        if (b->trace && b->materialised() && !is_argument(*b) && std::ranges::find(changing, b) == changing.end() &&
            std::ranges::find(traced_.captured, b) == traced_.captured.end())
            changing.push_back(b);
    };
    for (const Instruction& instruction : traced_.list)
        for (const Array& out : instruction.out) add(out.buffer);
    for (const Array& result : traced_.results) add(result.buffer);
    for (const Control& control : traced_.controls) {
        for (std::size_t k = 0; k < control.in.size(); ++k)
            if (control.kind != Control::Kind::call || control.writes(k)) add(control.in[k].buffer);
        for (const auto& function : {control.test, control.first, control.second})
            if (function)
                for (const BufferPtr& b : function->traced_.captured) add(b);
    }
    std::vector<Instruction> copies;
    for (const BufferPtr& constant : changing) {
        Array from;
        from.buffer = constant;
        from.dtype = DType::uint8;
        from.view = contiguous(Dims{static_cast<std::int64_t>(constant->bytes())}, 1);
        Array to = from;
        to.buffer = BufferPtr(new Buffer(constant->pool(), constant->bytes()));
        to.buffer->trace = constant->trace;
        rename(constant, to.buffer);
        if (constant->bytes() == 0) continue;
        copies.push_back(copying(from, to));
    }
    for (Control& control : traced_.controls) control.before += copies.size();
    traced_.list.insert(traced_.list.begin(), std::make_move_iterator(copies.begin()), std::make_move_iterator(copies.end()));
}

void Replay::find_results() {
    for (std::size_t k = 0; k < traced_.results.size(); ++k) {
        const Array& result = traced_.results[k];
        const auto argument = std::ranges::find(traced_.arguments, result.buffer, &Array::buffer);
        if (argument != traced_.arguments.end()) {
            results_.push_back({false, static_cast<std::size_t>(argument - traced_.arguments.begin()), result.view.offset - argument->view.offset});
        } else {
            const auto first = std::ranges::find(traced_.results, result.buffer, &Array::buffer);
            results_.push_back({true, static_cast<std::size_t>(first - traced_.results.begin())});
        }
    }
}

std::optional<std::size_t> Replay::argument_of(std::size_t result) const {
    const Result& is = results_[result];
    return is.fresh || std::ranges::find(donated_, is.which) != donated_.end() ? std::nullopt : std::optional(is.which);
}

// Memory goes back after the last part that uses it; that of loops and choices, and of what lies between stretches, at the end.
void Replay::find_last_uses() {
    std::unordered_set<const Buffer*> seen;
    for (const Array& argument : traced_.arguments) seen.insert(argument.buffer.get());
    for (const Array& result : traced_.results) seen.insert(result.buffer.get());
    for (const BufferPtr& b : traced_.captured) seen.insert(b.get());
    const auto at_end = [&](const BufferPtr& b) {
        if (b && b->trace && !b->materialised() && seen.insert(b.get()).second) dropped_.push_back(b);
    };
    for (const Control& control : traced_.controls) {
        for (const Array& in : control.in) at_end(in.buffer);
        for (const Array& out : control.out) at_end(out.buffer);
        at_end(control.chosen.buffer);
        for (const auto& function : {control.test, control.first, control.second})
            if (function)
                for (const BufferPtr& b : function->traced_.captured) at_end(b);
    }
    for (std::size_t s = stretches_.size(); s-- > 0;) {
        Stretch& stretch = stretches_[s];
        stretch.last_used.resize(stretch.schedule->parts.size());
        for (std::size_t p = stretch.schedule->parts.size(); p-- > 0;)
            for (const Group& group = stretch.schedule->parts[p].group; const auto* positions : {&group.members, &group.through})
                for (const std::uint32_t position : *positions)
                    each_buffer(traced_.list[stretch.first + position], [&](Buffer& b, bool) {
                        if (!b.trace || b.materialised() || !seen.insert(&b).second) return;
                        stretch.last_used[p].push_back(dropped_.emplace_back(&b));
                    });
    }
}

bool Replay::finds_all_whole(std::span<const Array> arguments) const {
    try {
        for (const Array& a : arguments) settle(std::array{BufferUse{a.buffer.get(), false}});
        for (const BufferPtr& b : traced_.captured) settle(std::array{BufferUse{b.get(), false}});
    } catch (const DeviceFailure&) {
        return false;
    }
    return std::ranges::none_of(arguments, [](const Array& a) { return is_damaged(a); }) &&
           std::ranges::none_of(traced_.captured, [](const BufferPtr& b) { return is_damaged(*b); });
}

bool Replay::takes(std::span<const Array> arguments) const {
    if (anything_damaged() && !finds_all_whole(arguments)) return false;  // who reads what is damaged is told where operations are recorded
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const Array& a = arguments[k];
        for (const BufferPtr& b : traced_.captured)
            if (b == a.buffer || (b->foreign() && a.buffer->foreign())) return false;
        for (std::size_t j = 0; j < k; ++j)
            if (a.buffer != arguments[j].buffer && a.buffer->foreign() && may_overlap(arguments[j], a)) return false;
    }
    return true;
}

void Replay::make_code_of_all(bool asked) {
    without_lock([&] {
        for (const Stretch& stretch : stretches_)
            make_code(std::span(traced_.list).subspan(stretch.first, stretch.count), *stretch.schedule, stretch.again, asked);
    });
    for (const Control& control : traced_.controls)
        for (const auto& function : {control.test, control.first, control.second})
            if (function) function->make_code_of_all(asked);
}

std::string Replay::text() const {
    ArrayNames names;
    return text(names);
}

std::string Replay::text(ArrayNames& names) const {
    std::string text;
    for (std::size_t k = 0; k < stretches_.size(); ++k) {
        const Stretch& stretch = stretches_[k];
        if (!stretch.schedule->parts.empty()) text += explain_list(std::span(traced_.list).subspan(stretch.first, stretch.count), *stretch.schedule, stretch.again, names);
        if (k == traced_.controls.size()) continue;
        const Control& control = traced_.controls[k];
        text += control.kind == Control::Kind::call ? control.call.name + ", on the host\n" : control.kind == Control::Kind::loop ? "loop while\n" : "where true\n";
        for (const Array& in : control.in) text += "  reads " + std::string(name(in.dtype)) + " " + names(in) + "\n";
        for (const Array& out : control.out) text += "  writes " + std::string(name(out.dtype)) + " " + names(out) + "\n";
        if (control.kind == Control::Kind::loop) text += control.test->text(names) + "repeat\n" + control.first->text(names) + "end of the loop\n";
        else if (control.kind == Control::Kind::choice) text += control.first->text(names) + "otherwise\n" + control.second->text(names) + "end of the choice\n";
    }
    return text;
}

}  // namespace asnumpy
