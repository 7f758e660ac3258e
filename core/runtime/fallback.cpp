// The fallback: inputs come down, the CPU backend computes, outputs go up. One table counts all of it.
#include "runtime/fallback.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/documentation.hpp"
#include "base/error.hpp"
#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"
#include "device/demotion.hpp"
#include "device/slow_cores.hpp"
#include "device/trace.hpp"
#include "runtime/copies.hpp"
#include "runtime/fuse.hpp"
#include "runtime/host_forms.hpp"
#include "runtime/record.hpp"
#include "runtime/recorded_at.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

struct Table {
    ForkMutex mutex{90};
    std::vector<Fallback> rows;  // few: found by a walk
    std::atomic<FallbackPolicy> policy{FallbackPolicy::warn};
};

Table& table() {
    static Immortal<Table> t;
    return *t;
}

// Its elements overlap each other: the bytes between the first and the last come down and go up again as they lie.
bool writes_in_order(const Instruction& i) {
    static const RowId overlapping_copy = find_row("overlapping_copy");
    return i.work == Work::structured && i.row == overlapping_copy;
}

std::string dtypes_of(const Instruction& i) {
    std::string text;
    for (const Argument& in : i.in) text += (text.empty() ? "" : ", ") + std::string(name(in.dtype()));
    return text.empty() ? std::string(name(i.out[0].dtype)) : text;
}

std::string host_text(std::string_view function, std::string_view dtypes, std::string_view device, std::string_view reason) {
    return std::string(function) + (dtypes.empty() ? "" : " of " + std::string(dtypes)) + " runs on the host, not on " + std::string(device) + ": " + std::string(reason);
}

std::string not_allowed(const std::string& text) {
    return text + "; asnumpy.config.fallback is 'error', set it to 'warn' or 'count', or use a dtype that the device computes" + see(Explained::host_work);
}

// A reduction's output has stride 0 along what it reduces: the elements once each.
Array once(Array out, std::uint64_t reduced) {
    for (int axis = 0; axis < out.ndim(); ++axis)
        if (reduced >> axis & 1) out.view.shape[axis] = 1;
    return out;
}

}  // namespace

void set_fallback_policy(FallbackPolicy policy) { table().policy = policy; }

std::vector<Fallback> fallbacks() {
    std::vector<Fallback> all;
    {
        const std::lock_guard lock(table().mutex);
        all = table().rows;
    }
    std::stable_sort(all.begin(), all.end(), [](const Fallback& a, const Fallback& b) { return a.bytes > b.bytes; });
    return all;
}

void forget_fallbacks() {
    const std::lock_guard lock(table().mutex);
    table().rows.clear();
}

bool note_fallback(FallbackKind kind, std::string_view function, std::string_view dtypes, std::string_view device, std::string_view reason,
                   std::uint64_t bytes, bool notable) {
    trace::mark(function, "fallback", bytes, dtypes);
    const std::lock_guard lock(table().mutex);
    std::vector<Fallback>& rows = table().rows;
    auto found = std::find_if(rows.begin(), rows.end(), [&](const Fallback& f) {
        return f.kind == kind && f.function == function && f.dtypes == dtypes && f.device == device && f.reason == reason;
    });
    if (found == rows.end()) found = rows.insert(rows.end(), {kind, std::string(function), std::string(dtypes), std::string(device), std::string(reason)});
    const bool first = notable && !found->notable;
    found->notable |= notable;
    ++found->count;
    found->bytes += bytes;
    return first;
}

void count_fallback(FallbackKind kind, std::string_view function, std::string_view dtypes, std::string_view device, std::string_view reason,
                    std::uint64_t bytes) {
    const FallbackPolicy policy = table().policy;
    const auto text = [&] { return host_text(function, dtypes, device, reason); };
    if (policy == FallbackPolicy::error) throw RuntimeFailure(not_allowed(text()));
    const bool first = note_fallback(kind, function, dtypes, device, reason, bytes);
    if (first && policy == FallbackPolicy::warn)
        report(text() + "; reported once, asnumpy.fallbacks() counts them, asnumpy.config.fallback = 'count' is silent" + see(Explained::host_work));
}

bool computed_by_device(const Instruction& i) {
    const Backend& device = i.out[0].pool().backend();
    switch (i.work) {
        case Work::elementwise: return device.computes(i.row, i.loop);
        case Work::reduction: return device.reduces(i.row, i.loop);
        default: return device.computes(structured_call(i));
    }
}

std::string reason_of(const Instruction& i) {
    const Backend& device = i.out[0].pool().backend();
    switch (i.work) {
        case Work::elementwise: return device.why_not_computed(i.row, i.loop);
        case Work::reduction: return device.why_not_reduced(i.row, i.loop);
        default: return device.why_not_computed(structured_call(i));
    }
}

namespace {

std::uint64_t bytes_moved_for(const Instruction& i) {
    std::int64_t bytes = 0;
    for (const Argument& in : i.in)
        if (in.array()) bytes += in.array()->nbytes();
    for (const Array& out : i.out) bytes += once(out, i.reduced).nbytes() * (keeps_nothing(i) ? 1 : 2);
    return static_cast<std::uint64_t>(bytes);
}

}  // namespace

void count_fallback(const Instruction& i) {
    count_fallback(FallbackKind::operation, row(i.row).name, dtypes_of(i), i.out[0].pool().backend().name(), reason_of(i), bytes_moved_for(i));
}

bool quicker_on_host(const Instruction& i) {
    const Backend& device = i.out[0].pool().backend();
    if (i.work != Work::structured || !device.quicker_on_host(structured_call(i))) return false;
    note_fallback(FallbackKind::operation, row(i.row).name, dtypes_of(i), device.name(), "so few numbers are drawn sooner on the host", bytes_moved_for(i), false);
    return true;
}

bool leave_to_host(Instruction& i) {
    if (i.on_host || i.out[0].host_visible() || computed_by_device(i)) return false;
    const std::string device = i.out[0].pool().backend().name(), reason = reason_of(i);
    if (table().policy == FallbackPolicy::error) throw RuntimeFailure(not_allowed(host_text(row(i.row).name, dtypes_of(i), device, reason)));
    note_fallback(FallbackKind::operation, row(i.row).name, dtypes_of(i), device, reason, bytes_moved_for(i));
    i.on_host = true;
    return true;
}

void report_news() {
    if (any_slow_untold()) [[unlikely]]
        if (const auto text = slow_untold(); text && table().policy != FallbackPolicy::count)
            report(*text + "; told once, asnumpy.config.fallback = 'count' is silent");
    if (!any_unreported()) [[likely]] return;
    for (const Demotion& one : unreported_demotions())
        if (table().policy != FallbackPolicy::count)
            report(one.device + ": CANN refused " + one.what + ", which it is documented to do, with " + one.reason +
                   "; from now on it is computed in another way; reported once, asnumpy.demotions() lists what was refused, asnumpy.config.fallback = 'count' is silent" + see(Explained::refused_operator));
}

void run_on_host(const Instruction& instruction) {
    trace::Span span(row(instruction.row).name, "fallback");
    if (span.listening()) span.set_lines(line_of(instruction.origin));
    Instruction i = instruction;
    i.on_host = false;
    Few<Array, 2> targets;
    for (std::size_t k = 0; k < i.in.size(); ++k) {
        Array* const in = i.in[k].array();
        if (!in) continue;
        in->buffer->materialise();
        *in = downloaded(*in);
    }
    if (writes_in_order(instruction)) {
        const Array target = i.out[0];
        target.buffer->materialise();
        i.out[0] = downloaded_range(target);
        run_now(i);
        return upload_range(i.out[0], target);
    }
    for (Array& out : i.out) {
        out.buffer->materialise();
        Array& target = targets.emplace_back(once(out, i.reduced));
        if (!keeps_nothing(i)) {
            out = downloaded(target);
            continue;
        }
        const Array made = new_array(target.shape(), target.dtype, cpu_pool());
        made.buffer->materialise();
        const Dims shape = out.shape();
        out = made;
        for (int axis = 0; axis < out.ndim(); ++axis) {
            if (!(i.reduced >> axis & 1)) continue;
            out.view.shape[axis] = shape[axis];
            out.view.strides[axis] = 0;
        }
    }
    if (has_host_form(i)) run_host_form(i);
    else run_now(i);
    for (std::size_t k = 0; k < i.out.size(); ++k) {
        bool read = !keeps_nothing(i);
        for (const Argument& in : instruction.in) read = read || (in.array() && in.array()->buffer == targets[k].buffer);
        upload(once(i.out[k], i.reduced), targets[k], read);
    }
}

}  // namespace asnumpy
