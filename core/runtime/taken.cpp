// Taking from what is recorded: the storage of lists goes round, and there is always room for what comes back.
#include "runtime/taken.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/cut.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

bool is_for_device(const Instruction& instruction) { return !instruction.out[0].host_visible(); }

std::size_t room_beside(const Queue& q) { return q.running + q.recorded.size() + 2 * longest_list; }

// The first so many instructions; the rest stays recorded.
std::vector<Instruction> take_first(Queue& q, std::size_t count) {
    std::vector<Instruction> next;
    if (!q.spares.empty()) {
        next = std::move(q.spares.back());
        q.spares.pop_back();
    }
    next.reserve(room_beside(q));
    q.recorded_bytes = 0;
    q.recorded_for_devices = false;
    const auto rest = q.recorded.begin() + static_cast<std::ptrdiff_t>(count);
    for (Instruction& instruction : std::span(rest, q.recorded.end())) {
        each_buffer(instruction, [&](const Buffer& b, bool written) {
            if (written && !b.materialised()) q.recorded_bytes += b.bytes();
        });
        q.recorded_for_devices = q.recorded_for_devices || is_for_device(instruction);
        next.push_back(std::move(instruction));
    }
    q.recorded.erase(rest, q.recorded.end());
    return std::exchange(q.recorded, std::move(next));
}

}  // namespace

void put_back(Queue& q, std::span<Instruction> kept) {
    q.recorded_for_devices = q.recorded_for_devices || std::ranges::any_of(kept, is_for_device);
    q.recorded.insert(q.recorded.begin(), std::make_move_iterator(kept.begin()), std::make_move_iterator(kept.end()));
}

Taken::Taken(Queue& q, Turn& turn, const Buffer* wanted, Take what) : q_(q) {
    bool by_itself = false;
    const auto has_to_wait = [&] {
        if (q.recorded.empty()) return wanted ? conflicts_with_runs(q, wanted) : q.runs.active > 0;
        by_itself = q.recorded_for_devices;
        return !turn.may_begin(by_itself || !wanted) || conflicts_with_runs(q, wanted);
    };
    while (has_to_wait()) turn.wait(by_itself || !wanted);
    if (q.recorded.empty()) return;
    // What has failed may fail again, and all that waits behind it must not wait for ever: a list that has grown beyond its limit is not cut.
    const bool cut = what == Take::first && q.recorded.size() == longest_list;
    if (what == Take::needed) list = take_needed(q.recorded, wanted, q.census, room_beside(q));
    else list = take_first(q, cut ? best_cut(q.recorded, q.census) : q.recorded.size());
    if (list.empty()) return;
    q.running += size_ = list.size();
    run_.begin(q, by_itself);
}

Taken::~Taken() {
    if (size_ == 0) return;
    list.clear();
    const std::lock_guard lock(q_.recording);
    q_.running -= size_;
    if (q_.spares.size() < q_.spares.capacity()) q_.spares.push_back(std::move(list));
    run_.end();
}

}  // namespace asnumpy
