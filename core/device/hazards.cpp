// The map of ranges: cut where a use begins and ends, joined again where neighbours were used alike.
#include "device/hazards.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace asnumpy {

namespace {

std::uintptr_t low_of(const Use& use) { return reinterpret_cast<std::uintptr_t>(use.data); }
std::uintptr_t high_of(const Use& use) { return low_of(use) + use.bytes; }

}  // namespace

void Hazards::Range::read(Point by) {
    const auto known = std::ranges::find(readers, by.stream, &Point::stream);
    if (known == readers.end()) readers.push_back(by);
    else *known = by;
}

Hazards::Ranges::const_iterator Hazards::reaching(std::uintptr_t address) const {
    auto it = ranges_.upper_bound(address);
    if (it != ranges_.begin() && std::prev(it)->second.high > address) --it;
    return it;
}

void Hazards::cut(std::uintptr_t address) {
    const auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return;
    const auto it = std::prev(after);
    if (it->first == address || it->second.high <= address) return;
    Range upper = it->second;
    ranges_.emplace_hint(after, address, std::move(upper));
    it->second.high = address;
}

void Hazards::find(const Use& use, StreamId by, std::vector<Point>& after) const {
    if (!use.bytes) return;
    const auto add = [&](const Point& point) {
        if (!point.number || point.stream == by) return;
        const auto known = std::ranges::find(after, point.stream, &Point::stream);
        if (known == after.end()) after.push_back(point);
        else known->number = std::max(known->number, point.number);
    };
    for (auto it = reaching(low_of(use)); it != ranges_.end() && it->first < high_of(use); ++it) {
        add(it->second.writer);
        if (use.written) std::ranges::for_each(it->second.readers, add);
    }
}

void Hazards::note(const Use& use, Point by) {
    if (!use.bytes) return;
    const std::uintptr_t low = low_of(use), high = high_of(use);
    if (const auto same = ranges_.find(low); same != ranges_.end() && same->second.high == high) {  // the usual case
        if (use.written) {
            same->second.writer = by;
            same->second.readers.clear();
        } else {
            same->second.read(by);
        }
        return;
    }
    cut(low);
    cut(high);
    auto it = ranges_.lower_bound(low);
    if (use.written) {
        while (it != ranges_.end() && it->first < high) it = ranges_.erase(it);
        ranges_.emplace_hint(it, low, Range{high, by, {}});
        return;
    }
    for (std::uintptr_t at = low; at < high;) {
        if (it == ranges_.end() || it->first > at) {  // a gap
            const std::uintptr_t end = it == ranges_.end() ? high : std::min(high, it->first);
            it = ranges_.emplace_hint(it, at, Range{end, {}, {}});
        }
        it->second.read(by);
        at = it->second.high;
        ++it;
    }
    // A vector read in pieces and then as a whole is one range again.
    for (auto first = ranges_.lower_bound(low); first != ranges_.end() && first->first < high;) {
        const auto next = std::next(first);
        if (next == ranges_.end() || next->first != first->second.high || next->first >= high) break;
        if (next->second.writer == first->second.writer && next->second.readers == first->second.readers) {
            first->second.high = next->second.high;
            ranges_.erase(next);
        } else {
            first = next;
        }
    }
}

}  // namespace asnumpy
