// A call of a recorded function, whose arrays are stand-ins: for the time of a run each is lent the memory of what it stands for.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "device/trace.hpp"
#include "runtime/copies.hpp"
#include "runtime/mirror.hpp"
#include "runtime/record.hpp"
#include "runtime/replay.hpp"
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

void Replay::run_stretch(const Run& run, Stretch& stretch, bool watched) {
    stretch.again.watched = watched;
    const std::span<Instruction> list = std::span(traced_.list).subspan(stretch.first, stretch.count);
    run_list(run, list, *stretch.schedule, stretch.again, [&](std::size_t part, std::size_t count) {
        for (std::size_t p = part; p < part + count; ++p) {
            const Group& group = stretch.schedule->parts[p].group;
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
    if (!traced_.controls.empty()) {
        const std::lock_guard one_run(one_run_);
        execute_here(arguments, results, streams, nullptr);
    } else if (uses && beside_others_) {
        const Run run(*uses, seats_);
        at_seat(run.seat()).execute_here(arguments, results, streams, &run);
    } else {
        const Run run{Run::ByItself{}};
        execute_here(arguments, results, streams, &run);
    }
}

// run: null where each stretch is one.
void Replay::execute_here(std::span<const Array> arguments, std::span<const Array> results, std::span<const Stream> streams, const Run* run) {
    const bool watched = trace::active();  // asked once: others may begin to watch meanwhile
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
    }
    find_bases(arguments, results);
    bool as_before = settled_;
    for (Stretch& stretch : stretches_)
        for (Rounds& rounds : stretch.again.rounds) as_before = rounds.decide(stretch.again.bases) && as_before;
    const auto lend = [&](const Placed& placed) { loans.lend(*placed.buffer, block_->data() + placed.offset); };
    if (as_before && !watched) std::ranges::for_each(asked_, lend, [&](std::size_t which) -> const Placed& { return placed_[which]; });
    else std::ranges::for_each(placed_, lend);
    for (const Draw& draw : draws_) traced_.list[draw.instruction].stream = streams[draw.traced.key] + draw.traced.low;
    if (run) {
        run_stretch(*run, stretches_[0], watched);
        if (!as_before) find_asked();
        settled_ = true;
        return;
    }
    for (std::size_t k = 0; k < stretches_.size(); ++k) {
        {
            const Run now{Run::ByItself{}};
            run_stretch(now, stretches_[k], watched);
        }
        if (k < traced_.controls.size()) run_control(traced_.controls[k]);
    }
}

std::vector<Array> Replay::run(std::span<const Array> given, std::span<const Stream> streams) {
    std::array<std::byte, 512> room;  // enough for most
    std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
    std::pmr::vector<BufferUse> uses(&memory);
    add_uses(given, uses);
    settle(uses);
    const std::vector<Array> own = reused_.empty() ? std::vector<Array>() : with_memory_of_their_own(given);
    const std::span arguments = reused_.empty() ? given : std::span(own);
    TakenForRun taken;
    for (std::size_t k = 0; k < arguments.size(); ++k) taken.add(*arguments[k].buffer, argument_written_[k]);
    for (std::size_t k = 0; k < traced_.captured.size(); ++k) taken.add(*traced_.captured[k], captured_written_[k]);
    std::vector<Array> made = new_results(arguments);
    if (!has_run_.exchange(true)) make_code_of_all(false);
    if (!own.empty()) {
        uses.clear();
        add_uses(own, uses);
    }
    const std::span<const BufferUse> used = uses;
    without_lock([&] { execute(arguments, made, streams, &used); });
    taken.bring_up();
    after_run();
    return made;
}

}  // namespace asnumpy
