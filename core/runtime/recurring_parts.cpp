// Which parts go together, where their operands lie, and the memory of those that nobody else sees while the device takes the parts down.
#include "runtime/recurring_parts.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "device/trace.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t most_parts = 512;  // together: more are long work for a device, whatever launches it

// Taken back at the end, whatever happens.
class LentWork {
public:
    explicit LentWork(WorkMemory& memory) : memory_(memory) {}
    ~LentWork() {
        while (!lent_.empty()) take_back(*lent_.back());
    }
    LentWork(const LentWork&) = delete;
    LentWork& operator=(const LentWork&) = delete;
    void lend(Buffer& b) {
        lent_.reserve(lent_.size() + 1);
        b.lend(static_cast<char*>(memory_.allocate(b.bytes())));
        lent_.push_back(&b);
    }
    void take_back(Buffer& b) {
        memory_.deallocate(b.data());
        b.lend(nullptr);
        std::erase(lent_, &b);
    }

private:
    WorkMemory& memory_;
    std::vector<Buffer*> lent_;
};

}  // namespace

RecurringParts::RecurringParts(std::span<const Instruction> list, const Schedule& schedule, std::span<const std::vector<BufferPtr>> passing,
                               const std::unordered_set<const Buffer*>& asked, FunctionRef<bool(const Instruction&)> read_by_host)
    : parts_(schedule.parts.size()) {
    for (const auto& of_part : passing)
        for (const BufferPtr& b : of_part)
            if (!asked.contains(b.get())) passing_.emplace(b.get(), Life{parts_.size(), 0});
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const Schedule::Part& part = schedule.parts[p];
        const Instruction& first = list[part.group.members.front()];
        each_operand(list, part, [&](const Array& a) {
            Buffer* const b = a.buffer.get();
            if (std::ranges::find(parts_[p].uses, b) == parts_[p].uses.end()) parts_[p].uses.push_back(b);
            if (const auto known = passing_.find(b); known != passing_.end()) {
                known->second.first = std::min(known->second.first, p);
                known->second.last = p;
            }
        });
        const bool apart = first.on_host || first.out[0].host_visible() || is_draw(first) || (!part.group.alone && part.fused.outputs.empty()) ||
                           std::ranges::any_of(part.group.members, [&](std::uint32_t member) { return read_by_host(list[member]); });
        if (apart) continue;
        parts_[p].pool = &first.out[0].pool();
        parts_[p].stream = first.on_stream;
    }
    divide(0, parts_.size());
}

void RecurringParts::divide(std::size_t first, const std::size_t last) {
    for (std::size_t end; first < last; first = end) {
        end = first + 1;
        if (!parts_[first].pool) continue;
        while (end < last && end - first < most_parts && parts_[end].pool == parts_[first].pool && parts_[end].stream == parts_[first].stream) ++end;
        if (end - first < 2) continue;
        Stretch& made = stretches_[first];
        made.count = end - first;
        made.begins.resize(made.count);
        made.ends.resize(made.count);
        std::unordered_set<const Buffer*> seen;
        for (std::size_t p = first; p < end; ++p) {
            for (Buffer* const b : parts_[p].uses) {
                if (!seen.insert(b).second) continue;
                const auto passes = passing_.find(b);
                if (passes == passing_.end() || passes->second.first < first || passes->second.last >= end) {
                    made.outer.push_back(b);
                } else {
                    made.begins[p - first].push_back(b);
                    made.ends[passes->second.last - first].push_back(b);
                }
            }
        }
    }
}

std::size_t RecurringParts::run(std::size_t first, FunctionRef<void(std::size_t part)> launch, FunctionRef<std::uint64_t(std::size_t part)> traffic) {
    const auto found = stretches_.find(first);
    if (found == stretches_.end()) return 0;
    const Pool& pool = *parts_[first].pool;
    if (!pool.backend().keeps_work()) return 0;
    Stretch& stretch = found->second;
    const std::size_t count = stretch.count;
    const OnStream on_stream(pool.number(), parts_[first].stream);
    addresses_.clear();
    try {
        for (Buffer* const b : stretch.outer) {
            b->materialise();
            addresses_.push_back(b->data());
        }
    } catch (const MemoryError&) {
        return 0;  // one part after the other may need less at a time
    }
    if (!stretch.work) stretch.work = pool.backend().recurring_work();
    trace::Span span("graph", "run");
    bool begun = false;
    std::size_t p = 0;
    const bool done = stretch.work->run(addresses_, [&](WorkMemory& memory) {
        begun = true;
        LentWork lent(memory);
        for (; p < count; ++p) {
            for (Buffer* const b : stretch.begins[p]) lent.lend(*b);
            launch(first + p);
            for (Buffer* const b : stretch.ends[p]) lent.take_back(*b);
        }
    });
    if (done) {
        if (span.listening()) {
            std::uint64_t bytes = 0;
            for (std::size_t part = first; part < first + count; ++part) bytes += traffic(part);
            span.set_bytes(bytes);
            span.set_detail(std::to_string(count) + " programs by one call");
        }
        return count;
    }
    span.forget();
    if (begun && p < count) leave_out(first + p);
    return 0;
}

void RecurringParts::leave_out(std::size_t part) {
    if (part >= parts_.size() || !parts_[part].pool) return;
    parts_[part].pool = nullptr;
    auto found = stretches_.upper_bound(part);
    if (found == stretches_.begin()) return;
    --found;
    const std::size_t first = found->first, end = first + found->second.count;
    if (part >= end) return;
    stretches_.erase(found);
    divide(first, part);
    divide(part + 1, end);
}

}  // namespace asnumpy
