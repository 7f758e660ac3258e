// A thread's trace: stand-ins for the arguments, the recorded list, and what of other arrays it meets.
#include "runtime/tracing.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/documentation.hpp"
#include "base/error.hpp"
#include "runtime/record.hpp"
#include "runtime/replay.hpp"

namespace asnumpy {

namespace {

thread_local Trace* of_thread = nullptr;
std::atomic<std::uint64_t> traces{0};

}  // namespace

Trace* detail::trace_of_thread() { return of_thread; }
std::uint64_t trace_number(const Trace& trace) { return trace.number(); }

bool Control::writes(std::size_t operand) const {
    if (kind == Kind::call) return call.written[operand];
    return first->writes_argument(operand) || (second && second->writes_argument(operand));
}

Trace::Trace(std::span<const Array> arguments) : number_(++traces), outer_(of_thread) {
    struct Stand { std::int64_t low, high; BufferPtr buffer; };
    std::vector<Stand> stands;  // by the first argument of each buffer
    std::vector<std::size_t> stand_of;
    for (const Array& real : arguments) {
        real_.push_back(real.buffer);
        const auto first = std::ranges::find(real_, real.buffer);
        const auto [low, high] = extent(real.view, item_bytes(real.dtype));
        if (first == real_.end() - 1) {
            stand_of.push_back(stands.size());
            stands.push_back({low, high, {}});
        } else {
            stand_of.push_back(stand_of[static_cast<std::size_t>(first - real_.begin())]);
            Stand& stand = stands[stand_of.back()];
            stand.low = std::min(stand.low, low);
            stand.high = std::max(stand.high, high);
        }
    }
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        Stand& stand = stands[stand_of[k]];
        if (!stand.buffer) {
            stand.buffer = BufferPtr(new Buffer(arguments[k].pool(), static_cast<std::size_t>(stand.high - stand.low)));
            stand.buffer->trace = number_;
            add_pending_write(*stand.buffer, 1);
        }
        Array& made = traced_.arguments.emplace_back(arguments[k]);
        made.buffer = stand.buffer;
        made.view.offset -= stand.low;
    }
    of_thread = this;
    detail::traces_under_way.fetch_add(1, std::memory_order_relaxed);
}

Trace::~Trace() { leave(); }

// Nothing that is recorded waits in the queue: its arrays are free again.
void Trace::leave() {
    if (!std::exchange(under_way_, false)) return;
    of_thread = outer_;
    detail::traces_under_way.fetch_sub(1, std::memory_order_relaxed);
    for (const Instruction& instruction : traced_.list) count_pending(instruction, -1);
    for (const Control& control : traced_.controls)
        for (const Array& out : control.out) add_pending_write(*out.buffer, -1);
    std::vector<const Buffer*> done;
    for (const Array& argument : traced_.arguments) {
        if (std::ranges::find(done, argument.buffer.get()) != done.end()) continue;
        done.push_back(argument.buffer.get());
        add_pending_write(*argument.buffer, -1);
    }
}

void Trace::touch(Buffer& b, bool written) {
    const auto [found, first] = touched_.try_emplace(&b, written);
    found->second = found->second || written;
    if (first && !is_new(b)) traced_.captured.emplace_back(&b);
}

void Trace::add(Instruction&& instruction) {
    each_buffer(instruction, [this](Buffer& b, bool written) { touch(b, written); });
    count_pending(instruction, 1);
    traced_.list.push_back(std::move(instruction));
}

std::vector<Array> Trace::add_control(Control&& control, std::span<const Array> like) {
    for (const auto& function : {control.test, control.first, control.second})
        if (function) function->each_captured([this](Buffer& b, bool written) { touch(b, written); });
    for (std::size_t k = 0; k < control.in.size(); ++k)
        touch(*control.in[k].buffer, control.writes(k));
    if (control.chosen.buffer) touch(*control.chosen.buffer, false);
    for (const Array& one : like) {
        Array& out = control.out.emplace_back(new_array(one.shape(), one.dtype, one.pool()));
        touch(*out.buffer, true);
        add_pending_write(*out.buffer, 1);
    }
    control.before = traced_.list.size();
    return traced_.controls.emplace_back(std::move(control)).out;
}

void Trace::expect_value(const Buffer& b, Access access) const {
    const auto found = touched_.find(&b);
    const bool recorded = found != touched_.end();
    if (is_new(b) && !b.pending_writes && !(recorded && access == Access::write)) return;  // made by the host: a constant of the function
    throw TracingError("the value of an array is needed while the function is traced, where it has none; choose by ap.where, ap.cond or "
                       "ap.while_loop, name the argument in static_argnames, or compute this outside of the function" + see(Explained::traced_value));
}

void Trace::end(std::vector<Array> results) {
    traced_.results = std::move(results);
    leave();
}

bool Trace::meets_arguments() const {
    return std::ranges::any_of(traced_.captured, [this](const BufferPtr& b) { return std::ranges::find(real_, b) != real_.end(); });
}

Traced Trace::take() {
    struct Held { int count = 0; bool written = false, elsewhere = false; };  // elsewhere: by a part of a loop, too
    std::unordered_map<const Buffer*, Held> held;
    for (const Instruction& instruction : traced_.list)
        each_buffer(instruction, [&](const Buffer& b, bool written) {
            Held& one = held[&b];
            ++one.count;
            one.written = one.written || written;
        });
    for (const Control& control : traced_.controls) {
        for (const Array& in : control.in) ++held[in.buffer.get()].count;
        if (control.chosen.buffer) ++held[control.chosen.buffer.get()].count;
        for (const Array& out : control.out) ++held[out.buffer.get()].count, held[out.buffer.get()].written = true;
        for (const auto& function : {control.test, control.first, control.second})
            if (function) function->each_captured([&](const Buffer& b, bool) { held[&b].elsewhere = true; });
    }
    for (const Array& argument : traced_.arguments) ++held[argument.buffer.get()].count;
    for (const Array& result : traced_.results) ++held[result.buffer.get()].count;
    for (const RangeCheck& check : traced_.checks) ++held[check.inside.buffer.get()].count, ++held[check.index.buffer.get()].count;
    for (const auto& [buffer, is] : held)
        if (is_new(*buffer) && buffer->refs() > is.count && !is.elsewhere && (is.written || !buffer->materialised()))
            throw TracingError("an array that was made in the traced function is kept by something outside of it, where it would have no value; "
                               "give it back as a result, or write it into an array that is there: kept[...] = made");
    real_.clear();
    return std::move(traced_);
}

}  // namespace asnumpy
