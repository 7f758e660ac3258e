// The books of unsettled work, one for each stream, and the ranges that are marked.
#include "device/damage.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>
#include <utility>

namespace asnumpy {
namespace {

constexpr std::size_t most_named = 6;  // candidates that a message lists

std::uintptr_t number_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

// Whether the message has the name, by itself or without its family's prefix.
bool mentions(std::string_view message, std::string_view name) {
    const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    const auto has = [&](std::string_view word) {
        for (std::size_t at = message.find(word); at != std::string_view::npos; at = message.find(word, at + 1)) {
            const std::size_t behind = at + word.size();
            if ((at == 0 || !is_word(message[at - 1])) && (behind == message.size() || !is_word(message[behind]))) return true;
        }
        return false;
    };
    return has(name) || (name.starts_with("aclnn") && has(name.substr(5)));
}

}  // namespace

void WorkNote::add(DType dtype, const Dims& shape) {
    if (count == operands.size()) return;
    Operand& one = operands[count++];
    one.dtype = dtype;
    one.ndim = static_cast<std::uint8_t>(shape.size());
    for (int axis = 0; axis < std::min<int>(shape.size(), static_cast<int>(one.shape.size())); ++axis)
        one.shape[static_cast<std::size_t>(axis)] = static_cast<std::uint32_t>(std::min<std::int64_t>(shape[axis], std::numeric_limits<std::uint32_t>::max()));
}

std::string WorkNote::text() const {
    std::string result(name);
    for (std::size_t k = 0; k < count; ++k) {
        const Operand& one = operands[k];
        result += (k ? ", " : "(") + std::string(asnumpy::name(one.dtype)) + "[";
        for (std::size_t axis = 0; axis < std::min<std::size_t>(one.ndim, one.shape.size()); ++axis) result += (axis ? ", " : "") + std::to_string(one.shape[axis]);
        result += one.ndim > one.shape.size() ? ", ...]" : "]";
    }
    if (count) result += ")";
    if (origin.file) result += " run at " + std::string(origin.file) + ":" + std::to_string(origin.line);
    return result;
}

Damage::Lane& Damage::lane(StreamId stream) {
    if (lanes_.size() <= stream) lanes_.resize(stream + std::size_t{1});
    if (!lanes_[stream]) lanes_[stream] = std::make_unique<Lane>();
    return *lanes_[stream];
}

void Damage::note_copy_to_host(StreamId stream, const char* name) {
    append(stream, name, {}, [](WorkNote&) {});
    const std::lock_guard lock(mutex_);
    lane(stream).to_host = lane(stream).noted.load();
}

void Damage::spread_to_host(StreamId stream, const void* from, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (const Failure* const failure = found({number_of(from), number_of(from) + bytes})) lane(stream).untold = *failure;
}

std::vector<Damage::Healed> Damage::heal_written(std::span<const Use> uses) {
    std::vector<Healed> healed;
    if (!anything_damaged()) return healed;
    for (const Use& use : uses) {
        if (!use.written) continue;
        if (Failure failure = find(use.data, use.bytes)) healed.push_back({use, std::move(failure)});
        unmark(use.data, use.bytes);
    }
    return healed;
}

void Damage::damage_again(std::span<const Healed> healed) {
    for (const Healed& one : healed) mark(one.use.data, one.use.bytes, one.failure);
}

void Damage::spread_damage(std::span<const Use> uses) {
    const std::lock_guard lock(mutex_);
    Failure failed;
    for (const Use& use : uses)
        if (const Failure* one = use.written ? nullptr : found({number_of(use.data), number_of(use.data) + use.bytes})) failed = *one;
    if (!failed) return;
    for (const Use& use : uses)
        if (use.written) put({number_of(use.data), number_of(use.data) + use.bytes}, failed);
}

void Damage::ordered(StreamId before, StreamId after) {
    if (before == after) return;
    const std::lock_guard lock(mutex_);
    if (!known(before)) return;
    std::vector<StreamId> all = lanes_[before]->after;
    if (unsettled(before)) all.push_back(before);
    if (all.empty()) return;
    std::vector<StreamId>& earlier = lane(after).after;
    for (const StreamId one : all)
        if (one != after && std::ranges::find(earlier, one) == earlier.end()) earlier.push_back(one);
}

// Where a program goes on for long without a wait, names are forgotten, and ranges that are the same or meet become one.
Damage::Lane& Damage::make_room(StreamId stream) {
    const std::lock_guard lock(mutex_);
    Lane& one = lane(stream);
    const std::uint64_t end = one.noted.load();
    std::array<Range, 64> latest{};  // programs that recur write the same ranges
    for (std::uint64_t number = one.first.load(); number < end; ++number) {
        const Range& range = one.entries[number % Lane::most].written;
        Range& like = latest[range.low / 512 % latest.size()];
        if (range.low == range.high || (like.low == range.low && like.high == range.high)) continue;
        one.older.push_back(like = range);
    }
    one.first.store(end);
    one.older_end = end;
    if (one.older.size() < one.most_older) return one;
    std::ranges::sort(one.older, {}, &Range::low);
    std::size_t last = 0;
    for (std::size_t k = 1; k < one.older.size(); ++k) {
        if (one.older[k].low <= one.older[last].high) one.older[last].high = std::max(one.older[last].high, one.older[k].high);
        else one.older[++last] = one.older[k];
    }
    one.older.resize(last + 1);
    one.most_older = std::max(2 * Lane::most, 2 * one.older.size());
    return one;
}

Point Damage::now(StreamId stream) const {
    const std::lock_guard lock(mutex_);
    return {stream, known(stream) ? known(stream)->enqueued.load() : 0};
}

std::vector<Point> Damage::behind(StreamId stream) const {
    const std::lock_guard lock(mutex_);
    if (!known(stream)) return {{stream, 0}};
    std::vector<Point> all;
    for (const StreamId one : known(stream)->after) all.push_back({one, known(one)->enqueued.load()});
    all.push_back({stream, known(stream)->enqueued.load()});
    return all;
}

void Damage::settle(std::span<const Point> points) {
    const std::lock_guard lock(mutex_);
    for (const Point& point : points) {
        if (!known(point.stream)) continue;
        Lane& one = *known(point.stream);
        const auto awaited = [&](StreamId s) { return !unsettled(s) || std::ranges::find(points, s, &Point::stream) != points.end(); };
        if (!std::ranges::all_of(one.after, awaited) || point.number < one.older_end) continue;
        one.older.clear();
        if (point.number > one.first.load()) one.first.store(point.number);
        if (point.number >= one.to_host) one.to_host = 0;
    }
    for (const auto& one : lanes_)
        if (one) std::erase_if(one->after, [&](StreamId s) { return !unsettled(s); });
}

bool Damage::copies_to_host(StreamId stream) const {
    const std::lock_guard lock(mutex_);
    const Lane* const one = known(stream);
    return one && (one->to_host || one->untold || std::ranges::any_of(one->after, [&](StreamId s) { return known(s)->to_host; }));
}

Failure Damage::fail(StreamId stream, const DeviceFailure& why) {
    const std::lock_guard lock(mutex_);
    std::vector<StreamId> all;
    for (std::size_t s = 0; s < lanes_.size(); ++s)
        if (lanes_[s] && (s == stream || std::ranges::find(lanes_[s]->after, stream) != lanes_[s]->after.end())) all.push_back(static_cast<StreamId>(s));
    return fail_lanes(all, why);
}

Failure Damage::fail(const DeviceFailure& why) {
    const std::lock_guard lock(mutex_);
    std::vector<StreamId> all;
    for (std::size_t s = 0; s < lanes_.size(); ++s)
        if (lanes_[s]) all.push_back(static_cast<StreamId>(s));
    return fail_lanes(all, why);
}

std::string Damage::text_of(const std::vector<StreamId>& streams, const DeviceFailure& why) const {
    std::vector<std::string> named, candidates;  // the latest first
    bool more = false, older = false, placed = false;
    for (const StreamId s : streams) {
        const Lane& one = *known(s);
        older = older || !one.older.empty();
        for (std::uint64_t number = one.noted.load(); number-- > one.first.load();) {
            const WorkNote& note = one.entries[number % Lane::most].note;
            std::vector<std::string>& list = mentions(why.message, note.name) ? named : candidates;
            if (list.size() >= most_named) {
                more = true;
                continue;
            }
            placed = placed || note.origin.file;
            std::string text = note.text();
            if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
        }
    }
    std::string text = device_ + ": work failed after it was launched, and what it wrote is not to be read: ";
    const std::vector<std::string>& list = named.empty() ? candidates : named;
    for (std::size_t k = 0; k < list.size(); ++k) text += (k ? "; " : named.empty() && list.size() > 1 ? "one of " : "") + list[k];
    if (named.empty() && (more || older)) text += std::string(list.empty() ? "" : "; ") + (older ? "or one of those before" : "or another");
    if (list.empty() && !older) text += "an operator that wrote no array";
    return text + ". " + std::string(why.what()) + ". What was written since the last wait is lost: compute it again, or write such an array as a whole; others keep their values"
           + std::string(placed ? "" : "; what is run with asnumpy.config.eager, or after this, is named with its line");
}

Failure Damage::fail_lanes(const std::vector<StreamId>& streams, const DeviceFailure& why) {
    struct Raised {  // who enqueues meanwhile waits for the marks
        Raised() { ++detail::damaged_ranges; }
        ~Raised() { --detail::damaged_ranges; }
    } const raised;
    work_has_failed = true;
    const Failure failure = std::make_shared<const DeviceFailure>(text_of(streams, why), why.function, why.code, why.message);
    bool to_host = false;
    for (const StreamId s : streams) {
        Lane& one = *known(s);
        const std::uint64_t end = one.noted.load();
        for (const Range& range : one.older) put(range, failure);
        for (std::uint64_t number = one.first.load(); number < end; ++number) put(one.entries[number % Lane::most].written, failure);
        to_host = to_host || one.to_host;
        one.first.store(end);
        one.older.clear();
        one.after.clear();
        one.to_host = 0;
    }
    if (to_host)
        for (const StreamId s : streams) known(s)->untold = failure;
    return latest_[failed_++ % latest_.size()] = failure;
}

bool Damage::told(const DeviceFailure& failure) const {
    const std::lock_guard lock(mutex_);
    const auto is_it = [&](const Failure& one) { return one && one->code == failure.code && std::string_view(one->what()) == failure.what(); };
    return std::ranges::any_of(latest_, is_it);
}

bool Damage::settled(StreamId stream) const {
    const std::lock_guard lock(mutex_);
    return !unsettled(stream);
}

void Damage::put_off(const DeviceFailure& failure) {
    const std::lock_guard lock(mutex_);
    if (!put_off_) put_off_ = std::make_shared<const DeviceFailure>(failure);
}

Failure Damage::take_put_off(std::span<const Point> awaited) {
    const std::lock_guard lock(mutex_);
    Failure first = std::exchange(put_off_, nullptr);
    for (const Point& point : awaited)
        if (Lane* const one = known(point.stream); one && one->untold) {
            if (!first) first = one->untold;
            one->untold = nullptr;
        }
    return first;
}

void Damage::forget_put_off(std::span<const Point> awaited, const DeviceFailure& told) {
    const std::lock_guard lock(mutex_);
    if (put_off_ && std::string_view(put_off_->what()) == told.what()) put_off_ = nullptr;
    for (const Point& point : awaited)
        if (Lane* const one = known(point.stream)) one->untold = nullptr;
}

const Failure* Damage::found(Range range) const {
    auto one = marks_.upper_bound(range.low);
    if (one != marks_.begin() && std::prev(one)->second.high > range.low) --one;
    return one != marks_.end() && one->first < range.high ? &one->second.failure : nullptr;
}

Failure Damage::find(const void* data, std::size_t bytes) const {
    if (!anything_damaged()) return nullptr;
    const std::lock_guard lock(mutex_);
    const Failure* const one = found({number_of(data), number_of(data) + bytes});
    return one ? *one : nullptr;
}

void Damage::refuse_damaged(const void* data, std::size_t bytes) const {
    if (const Failure failure = find(data, bytes)) throw DeviceFailure(*failure);
}

// Without the range; what lies on either side of it stays.
void Damage::cut(Range range) {
    const auto before = marks_.size();
    auto one = marks_.lower_bound(range.low);
    if (one != marks_.begin() && std::prev(one)->second.high > range.low) {
        Mark& mark = std::prev(one)->second;
        if (mark.high > range.high) marks_.emplace_hint(one, range.high, mark);
        mark.high = range.low;
    }
    for (one = marks_.lower_bound(range.low); one != marks_.end() && one->first < range.high; one = marks_.erase(one))
        if (one->second.high > range.high) marks_.emplace(range.high, one->second);
    detail::damaged_ranges += static_cast<std::int64_t>(marks_.size()) - static_cast<std::int64_t>(before);
}

void Damage::put(Range range, const Failure& failure) {
    if (range.low == range.high) return;
    cut(range);
    marks_.insert_or_assign(range.low, Mark{range.high, failure});
    ++detail::damaged_ranges;
}

void Damage::mark(const void* data, std::size_t bytes, const Failure& failure) {
    const std::lock_guard lock(mutex_);
    put({number_of(data), number_of(data) + bytes}, failure);
}

void Damage::unmark(const void* data, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    cut({number_of(data), number_of(data) + bytes});
}

void Damage::forget_all() noexcept {
    const std::lock_guard lock(mutex_);
    detail::damaged_ranges -= static_cast<std::int64_t>(marks_.size());
    marks_.clear();
    lanes_.clear();
    put_off_ = nullptr;
}

}  // namespace asnumpy
