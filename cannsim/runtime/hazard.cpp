// The map from bytes to their last uses.
#include "runtime/hazard.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/immortal.hpp"
#include "runtime/memory.hpp"
#include "runtime/report.hpp"

namespace cannsim {
namespace {

struct Mark {
    std::uint32_t stream = 0;  // 0: none, or the host
    std::uint64_t task = 0;
    const char* function = "";
    bool dense = true;
};

// A range of bytes with one history.
struct Span {
    std::uintptr_t end = 0;
    Mark writer;
    std::vector<Mark> readers;  // since that write, one per stream
};

struct Ledger {
    std::mutex mutex;
    std::map<std::uintptr_t, Span> spans;
    Clock host;
};
Ledger& ledger() {
    static asnumpy::Immortal<Ledger> instance;
    return *instance;
}

bool before(const Clock& known, const Mark& mark) { return mark.stream == 0 || known.at(mark.stream) >= mark.task; }

// Cuts the spans at the range's ends, so that the range is made of whole spans; gaps get none.
void cut(std::map<std::uintptr_t, Span>& spans, std::uintptr_t at) {
    auto it = spans.upper_bound(at);
    if (it == spans.begin()) return;
    --it;
    if (it->first == at || it->second.end <= at) return;
    Span right = it->second;
    it->second.end = at;
    spans.emplace(at, std::move(right));
}

template <class F> void each_overlapping(std::map<std::uintptr_t, Span>& spans, std::uintptr_t begin, std::uintptr_t end, F&& f) {
    auto it = spans.lower_bound(begin);
    if (it != spans.begin() && std::prev(it)->second.end > begin) --it;
    for (; it != spans.end() && it->first < end; ++it) f(it->first, it->second);
}

std::string told(const char* what, const Mark& other, std::uintptr_t at) {
    return text(what, " the bytes at ", reinterpret_cast<const void*>(at), " of stream ", other.stream, " (", other.function, ")");
}

}  // namespace

std::uint64_t Clock::at(std::uint32_t stream) const {
    for (const auto& [number, task] : entries_)
        if (number == stream) return task;
    return 0;
}
void Clock::raise(std::uint32_t stream, std::uint64_t task) {
    for (auto& [number, known] : entries_)
        if (number == stream) {
            known = std::max(known, task);
            return;
        }
    entries_.emplace_back(stream, task);
}
void Clock::join(const Clock& other) {
    for (const auto& [number, task] : other.entries_) raise(number, task);
}

std::uint32_t new_stream_number() {
    static std::atomic<std::uint32_t> next{1};
    return next++;
}

std::uint64_t issue(Order& order, const std::vector<Use>& uses, const char* function) {
    Ledger& l = ledger();
    std::string trouble;
    std::uint64_t task;
    {
        const std::scoped_lock lock(l.mutex);
        task = ++order.issued;
        order.known.raise(order.stream, task);
        order.known.join(l.host);
        const Mark mine{order.stream, task, function, true};
        for (const Use& use : uses) {
            if (use.size == 0) continue;
            const auto begin = reinterpret_cast<std::uintptr_t>(use.address), end = begin + use.size;
            each_overlapping(l.spans, begin, end, [&](std::uintptr_t at, const Span& span) {
                if (!trouble.empty()) return;
                const auto clash = [&](const Mark& other) { return !before(order.known, other) && (use.dense || other.dense); };
                if (clash(span.writer))
                    trouble = text(use.what, use.write ? " overwrites" : " reads", told(" what no event orders after the write to", span.writer, at));
                if (use.write)
                    for (const Mark& reader : span.readers)
                        if (trouble.empty() && clash(reader))
                            trouble = text(use.what, told(" overwrites what no event orders after the read of", reader, at));
            });
            Mark mark = mine;
            mark.dense = use.dense;
            if (const auto same = l.spans.find(begin); same != l.spans.end() && same->second.end == end) {  // the usual case
                if (use.write) {
                    same->second.writer = mark;
                    same->second.readers.clear();
                } else {
                    auto& readers = same->second.readers;
                    const auto found = std::ranges::find(readers, order.stream, &Mark::stream);
                    if (found == readers.end()) readers.push_back(mark);
                    else *found = mark;
                }
                continue;
            }
            cut(l.spans, begin);
            cut(l.spans, end);
            if (use.write && use.dense) {
                l.spans.erase(l.spans.lower_bound(begin), l.spans.lower_bound(end));
                l.spans[begin] = {end, mark, {}};
                continue;
            }
            std::uintptr_t filled = begin;
            std::vector<std::pair<std::uintptr_t, Span>> gaps;
            each_overlapping(l.spans, begin, end, [&](std::uintptr_t at, Span& span) {
                if (at > filled) gaps.emplace_back(filled, Span{at, use.write ? mark : Mark{}, {}});
                if (use.write) {
                    span.writer = mark;
                } else {
                    const auto found = std::ranges::find(span.readers, order.stream, &Mark::stream);
                    if (found == span.readers.end()) span.readers.push_back(mark);
                    else *found = mark;
                }
                filled = span.end;
            });
            if (filled < end) gaps.emplace_back(filled, Span{end, use.write ? mark : Mark{}, {}});
            for (auto& [at, span] : gaps) {
                if (!use.write) span.readers.push_back(mark);
                l.spans.emplace(at, std::move(span));
            }
        }
    }
    if (!trouble.empty()) finding(Fault::unordered_access, text(function, " on stream ", order.stream, ": ", trouble));
    return task;
}

Clock recorded(const Order& order) {
    const std::scoped_lock lock(ledger().mutex);
    Clock clock = order.known;
    clock.join(ledger().host);
    return clock;
}
void wait_for(Order& order, const Clock& clock) {
    const std::scoped_lock lock(ledger().mutex);
    order.known.join(clock);
}
void host_knows(const Clock& clock) {
    const std::scoped_lock lock(ledger().mutex);
    ledger().host.join(clock);
}
void host_knows_all(const Order& order) {
    const std::scoped_lock lock(ledger().mutex);
    ledger().host.join(order.known);
}

void check_host_use(const void* address, std::size_t size, bool write) {
    Ledger& l = ledger();
    std::string trouble;
    {
        const std::scoped_lock lock(l.mutex);
        const auto begin = reinterpret_cast<std::uintptr_t>(address), end = begin + size;
        each_overlapping(l.spans, begin, end, [&](std::uintptr_t at, const Span& span) {
            if (!trouble.empty()) return;
            if (!before(l.host, span.writer)) trouble = told(write ? "the host overwrites, before it waited for the write to" : "the host reads, before it waited for the write to", span.writer, at);
            if (write)
                for (const Mark& reader : span.readers)
                    if (trouble.empty() && !before(l.host, reader)) trouble = told("the host overwrites, before it waited for the read of", reader, at);
        });
    }
    if (!trouble.empty()) finding(Fault::missing_wait, trouble + "; wait with aclrtSynchronizeStream first");
}

void check_free(const Block& block) {
    Ledger& l = ledger();
    std::string trouble;
    {
        const std::scoped_lock lock(l.mutex);
        each_overlapping(l.spans, block.begin, block.begin + block.reserved, [&](std::uintptr_t at, const Span& span) {
            if (!before(l.host, span.writer)) trouble = told("queued work still writes", span.writer, at);
            for (const Mark& reader : span.readers)
                if (!before(l.host, reader)) trouble = told("queued work still reads", reader, at);
        });
        cut(l.spans, block.begin);
        cut(l.spans, block.begin + block.reserved);
        l.spans.erase(l.spans.lower_bound(block.begin), l.spans.lower_bound(block.begin + block.reserved));
    }
    if (!trouble.empty())
        note(Fault::free_in_use, text(describe(block), " was freed while ", trouble, "; wait with aclrtSynchronizeStream first"));
}

}  // namespace cannsim
