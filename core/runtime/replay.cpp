// The arrays of a recorded function are stand-ins: for the time of a run each is lent the memory of what it stands for.
#include "runtime/replay.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "device/damage.hpp"
#include "device/trace.hpp"
#include "runtime/copies.hpp"
#include "runtime/mirror.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

// What stand-ins are lent, taken back at the end whatever happens.
class Loans {
public:
    ~Loans() {
        for (Buffer* const b : lent_) b->lend(nullptr);
        for (Buffer* const b : owned_) b->drop_memory();
    }
    void lend(Buffer& to, char* memory) {
        static char nothing = 0;  // of an array without elements
        to.lend(memory ? memory : &nothing);
        lent_.push_back(&to);
    }
    void drops_at_end(Buffer& b) { owned_.push_back(&b); }

private:
    std::vector<Buffer*> lent_, owned_;
};

}  // namespace

Replay::Replay(Traced&& traced, std::span<const std::size_t> donated) : traced_(std::move(traced)), donated_(donated.begin(), donated.end()) {
    reuse_donated();
    keep_constants();
    divide_list();
    find_results();
    find_last_uses();
    place_small();
    for (std::size_t k = 0; k < traced_.list.size(); ++k) {
        const Instruction& instruction = traced_.list[k];
        if (instruction.work == Work::structured && !instruction.out.empty() && row(instruction.row).name.starts_with("random_"))
            draws_.push_back({k, instruction.stream});
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
    beside_others_ = std::ranges::all_of(traced_.list, [](const Instruction& i) { return i.out.empty() || i.out[0].host_visible(); });
}

// What another stretch uses is held by its instructions, and so counts as seen by others.
void Replay::divide_list() {
    std::size_t first = 0;
    const auto add = [&](std::size_t end) {
        Stretch& made = stretches_.emplace_back();
        made.first = first;
        made.count = end - first;
        made.schedule = plan_list(std::span(traced_.list).subspan(first, made.count));
        first = end;
    };
    for (const Control& control : traced_.controls) add(control.before);
    add(traced_.list.size());
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
        Instruction copy;
        copy.row = cast_row();
        copy.loop = static_cast<std::uint16_t>(cast_loop(DType::uint8, DType::uint8));
        copy.shape = from.view.shape;
        copy.in.emplace_back(std::move(from));
        copy.out.emplace_back(std::move(to));
        copies.push_back(std::move(copy));
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
        stretch.last_used.resize(stretch.schedule.parts.size());
        for (std::size_t p = stretch.schedule.parts.size(); p-- > 0;)
            for (const Group& group = stretch.schedule.parts[p].group; const auto* positions : {&group.members, &group.through})
                for (const std::uint32_t position : *positions)
                    each_buffer(traced_.list[stretch.first + position], [&](Buffer& b, bool) {
                        if (!b.trace || b.materialised() || !seen.insert(&b).second) return;
                        stretch.last_used[p].push_back(dropped_.emplace_back(&b));
                    });
    }
}

bool Replay::takes(std::span<const Array> arguments) const {
    if (anything_damaged()) return false;  // what may be read is told of where operations are recorded
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const Array& a = arguments[k];
        for (const BufferPtr& b : traced_.captured)
            if (b == a.buffer || (b->foreign() && a.buffer->foreign())) return false;
        for (std::size_t j = 0; j < k; ++j)
            if (a.buffer != arguments[j].buffer && a.buffer->foreign() && may_overlap(arguments[j], a)) return false;
    }
    return true;
}

void Replay::check_ranges(const Instruction& ran) const {
    for (const RangeCheck& check : traced_.checks) {
        if (!(check.inside.buffer == ran.out[0].buffer)) continue;
        const Array answer = check.inside.host_visible() ? check.inside : downloaded(check.inside);
        if (*answer.data()) return;
        const Array indices = check.index.host_visible() ? check.index : downloaded(check.index);
        for (std::int64_t i = 0; i < indices.size(); ++i) {
            std::int64_t value;
            std::memcpy(&value, indices.data() + i * indices.view.strides[0], sizeof value);
            if (value < -check.length || value >= check.length)
                throw IndexError("index " + std::to_string(value) + " is out of bounds for axis " + std::to_string(check.axis) + " with size " +
                                 std::to_string(check.length));
        }
    }
}

std::vector<Array> Replay::new_results(std::span<const Array> arguments) const {
    std::vector<Array> made;
    for (std::size_t k = 0; k < results_.size(); ++k) {
        Array& result = made.emplace_back(traced_.results[k]);
        const Result& is = results_[k];
        if (!is.fresh) {
            result.buffer = arguments[is.which].buffer;
            result.view.offset = arguments[is.which].view.offset + is.moved;
        } else {
            const Buffer& like = *traced_.results[k].buffer;
            result.buffer = is.which < k ? made[is.which].buffer : BufferPtr(new Buffer(like.pool(), like.bytes()));
        }
    }
    return made;
}

void Replay::run_stretch(const Run& run, Stretch& stretch) {
    const std::span<Instruction> list = std::span(traced_.list).subspan(stretch.first, stretch.count);
    run_list(run, list, stretch.schedule, stretch.again, [&](std::size_t part, std::size_t count) {
        for (std::size_t p = part; p < part + count; ++p) {
            const Group& group = stretch.schedule.parts[p].group;
            if (!traced_.checks.empty() && group.alone) check_ranges(list[group.members.front()]);
            for (const BufferPtr& b : stretch.drops[p]) b->drop_memory();
        }
    });
}

void Replay::run_control(const Control& control) {
    if (control.kind == Control::Kind::call) {
        control.call.run(control.in, control.out);
        for (std::size_t k = 0; k < control.in.size(); ++k)
            if (control.writes(k)) flush_for(control.in[k]);
        for (const Array& out : control.out) flush_for(out);
        return;
    }
    const auto truth = [](const Array& number) { return *(number.host_visible() ? number : downloaded(number)).data() != 0; };
    std::vector<Array> state = control.in;
    if (control.kind == Control::Kind::choice) {
        state = (truth(control.chosen) ? control.first : control.second)->call(state);
    } else {
        constexpr std::chrono::milliseconds between_checks{10};
        for (auto checked = std::chrono::steady_clock::now(); truth(control.test->call(state)[0]);) {
            state = control.first->call(state);
            if (const auto now = std::chrono::steady_clock::now(); now - checked > between_checks) {
                ask_for_interrupt();
                checked = now;
            }
        }
    }
    const Run run{Run::ByItself{}};
    for (std::size_t k = 0; k < state.size(); ++k) {
        if (state[k].size() == 0) continue;
        Instruction copy;
        copy.row = cast_row();
        copy.loop = static_cast<std::uint16_t>(cast_loop(state[k].dtype, state[k].dtype));
        copy.shape = state[k].shape();
        copy.in.emplace_back(state[k]);
        copy.out.emplace_back(control.out[k]);
        run_now(copy);
    }
}

std::vector<Array> Replay::call(std::span<const Array> arguments) {
    std::vector<Array> made = new_results(arguments);
    execute(arguments, made, {}, nullptr);
    return made;
}

void Replay::add_uses(std::span<const Array> arguments, std::pmr::vector<BufferUse>& uses) const {
    uses.reserve(arguments.size() + traced_.captured.size());
    for (std::size_t k = 0; k < arguments.size(); ++k) uses.push_back({arguments[k].buffer.get(), argument_written_[k]});
    for (std::size_t k = 0; k < traced_.captured.size(); ++k) uses.push_back({traced_.captured[k].get(), captured_written_[k]});
}

// uses: null within a run of what it is a part of, by whose stand-ins nobody knows which memory they are lent.
void Replay::execute(std::span<const Array> arguments, std::span<const Array> results, std::span<const Stream> streams,
                     const std::span<const BufferUse>* uses) {
    std::unique_lock one_run(one_run_, std::defer_lock);
    std::optional<Run> run;
    if (!traced_.controls.empty()) one_run.lock();
    else if (uses && beside_others_) run.emplace(*uses, running_);
    else run.emplace(Run::ByItself{});
    Loans loans;  // taken back before others run
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        arguments[k].buffer->materialise();
        loans.lend(*traced_.arguments[k].buffer, arguments[k].data() - traced_.arguments[k].view.offset);
    }
    for (std::size_t k = 0; k < results_.size(); ++k) {
        if (!results_[k].fresh || results_[k].which < k) continue;
        results[k].buffer->materialise();
        loans.lend(*traced_.results[k].buffer, results[k].buffer->data());
    }
    for (const BufferPtr& b : dropped_) loans.drops_at_end(*b);
    if (block_) {
        loans.drops_at_end(*block_);
        block_->materialise();
        const bool all = !settled_ || trace::active();
        for (const Placed& placed : placed_)
            if (all || placed.asked) loans.lend(*placed.buffer, block_->data() + placed.offset);
    }
    find_bases(arguments, results);
    for (const Draw& draw : draws_) traced_.list[draw.instruction].stream = streams[draw.traced.key] + draw.traced.low;
    if (run) {
        run_stretch(*run, stretches_[0]);
        if (!settled_) find_asked();
        settled_ = true;
        return;
    }
    for (std::size_t k = 0; k < stretches_.size(); ++k) {
        {
            const Run now{Run::ByItself{}};
            run_stretch(now, stretches_[k]);
        }
        if (k < traced_.controls.size()) run_control(traced_.controls[k]);
    }
}

void Replay::make_code_of_all(bool asked) {
    without_lock([&] {
        for (const Stretch& stretch : stretches_)
            make_code(std::span(traced_.list).subspan(stretch.first, stretch.count), stretch.schedule, asked);
    });
    for (const Control& control : traced_.controls)
        for (const auto& function : {control.test, control.first, control.second})
            if (function) function->make_code_of_all(asked);
}

std::vector<Array> Replay::run(std::span<const Array> given, std::span<const Stream> streams) {
    std::array<std::byte, 512> room;  // enough for most
    std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
    std::pmr::vector<BufferUse> uses(&memory);
    add_uses(given, uses);
    settle(uses);
    const std::vector<Array> own = reused_.empty() ? std::vector<Array>() : with_memory_of_their_own(given);
    const std::span arguments = reused_.empty() ? given : std::span(own);
    for (std::size_t k = 0; k < arguments.size(); ++k) take_back(*arguments[k].buffer, argument_written_[k]);
    for (std::size_t k = 0; k < traced_.captured.size(); ++k) take_back(*traced_.captured[k], captured_written_[k]);
    std::vector<Array> made = new_results(arguments);
    if (!has_run_.exchange(true)) make_code_of_all(false);
    if (!own.empty()) {
        uses.clear();
        add_uses(own, uses);
    }
    const std::span<const BufferUse> used = uses;
    without_lock([&] { execute(arguments, made, streams, &used); });
    const auto written = [](Buffer& b) {
        b.elements_alone = 0;
        if (b.mirror) bring_up(b);
    };
    for (std::size_t k = 0; k < arguments.size(); ++k)
        if (argument_written_[k]) written(*arguments[k].buffer);
    for (std::size_t k = 0; k < traced_.captured.size(); ++k)
        if (captured_written_[k]) written(*traced_.captured[k]);
    after_run();
    return made;
}

std::string Replay::text() const {
    std::string text;
    for (std::size_t k = 0; k < stretches_.size(); ++k) {
        const Stretch& stretch = stretches_[k];
        if (!stretch.schedule.parts.empty()) text += explain_list(std::span(traced_.list).subspan(stretch.first, stretch.count), stretch.schedule);
        if (k == traced_.controls.size()) continue;
        const Control& control = traced_.controls[k];
        if (control.kind == Control::Kind::call) text += control.call.name + ", on the host\n";
        else if (control.kind == Control::Kind::loop) text += "loop while\n" + control.test->text() + "repeat\n" + control.first->text() + "end of the loop\n";
        else text += "where true\n" + control.first->text() + "otherwise\n" + control.second->text() + "end of the choice\n";
    }
    return text;
}

}  // namespace asnumpy
