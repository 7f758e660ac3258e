// Device memory that must not be read: what was written by work that failed after its launch.
//
// A device says at some later wait that work of a stream has failed, and not always which. So everything is noted that was written
// since the last good wait for its stream; when a wait fails, all of that is damaged, and what came after it on other streams too.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "base/fork_mutex.hpp"
#include "base/view.hpp"
#include "device/hazards.hpp"
#include "device/origin.hpp"
#include "device/stream.hpp"

namespace asnumpy {

namespace detail {
inline std::atomic<std::int64_t> damaged_ranges{0};  // of all devices
}  // namespace detail

// Asked before anything is looked up. Who has noted work and then reads false here is seen by any failure that is found later.
inline bool anything_damaged() { return detail::damaged_ranges.load() != 0; }

// What is said of one piece of work.
struct WorkNote {
    struct Operand {
        DType dtype{};
        std::uint8_t ndim = 0;
        std::array<std::uint32_t, 4> shape{};  // the first of its axes
    };

    const char* name = "";  // lives as long as the process
    Origin origin;
    std::uint8_t count = 0;
    std::array<Operand, 3> operands{};

    void add(DType, const Dims& shape);
    std::string text() const;
};

using Failure = std::shared_ptr<const DeviceFailure>;

// Of one device. Work is noted by one thread at a time, whoever enqueues there; all else may be called by any thread, whatever it holds.
//
// Work is noted before it is enqueued, so that whoever is told of its failure finds it here, and counts as enqueued afterwards, so that no wait
// from before settles it.
class Damage {
public:
    explicit Damage(std::string device) : device_(std::move(device)) {}
    ~Damage() { forget_all(); }
    Damage(const Damage&) = delete;
    Damage& operator=(const Damage&) = delete;

    // --- by who enqueues ---

    // Runs what enqueues work that uses the bytes. What it writes is damaged at once if something that it only reads is.
    template <class Launch> void enqueue(StreamId stream, const char* name, std::span<const Use> uses, Launch&& launch) {
        note_writes(stream, name, uses);
        launch();
        launched(stream);
        spread(uses);
    }
    // The same for work after which all of the bytes that it writes have other values.
    template <class Launch> void overwrite(StreamId stream, const char* name, std::span<const Use> uses, Launch&& launch) {
        healing(uses, [&] { enqueue(stream, name, uses, std::forward<Launch>(launch)); });
    }
    // Heals what is written, as long as that is enqueued by the function.
    template <class F> void healing(std::span<const Use> uses, F&& enqueue_writers) {
        const std::vector<Healed> before = heal_written(uses);
        try {
            enqueue_writers();
        } catch (...) {
            damage_again(before);
            throw;
        }
    }
    // The steps of both, for who has them apart: after damage_again() all is as it was before heal_written().
    struct Healed {
        Use use;
        Failure failure;
    };
    std::vector<Healed> heal_written(std::span<const Use>);
    void damage_again(std::span<const Healed>);
    void note_writes(StreamId stream, const char* name, std::span<const Use> uses) {
        for (const Use& use : uses)
            if (use.written) note(stream, name, use.data, use.bytes, [](WorkNote&) {});
    }
    // With more to say of the work: fill(WorkNote&). Takes no lock, and no memory but a stream's first time.
    template <class Fill> void note(StreamId stream, const char* name, const void* data, std::size_t bytes, Fill&& fill) {
        if (!bytes) return;
        const auto low = reinterpret_cast<std::uintptr_t>(data);
        append(stream, name, {low, low + bytes}, std::forward<Fill>(fill));
    }
    void launched(StreamId stream) {
        if (Lane* const one = known(stream)) one->enqueued.store(one->noted.load(std::memory_order_relaxed), std::memory_order_release);
    }
    void spread(std::span<const Use> uses) {
        if (anything_damaged()) [[unlikely]] spread_damage(uses);
    }
    // The same for a copy to memory of the host, which nobody can mark there: who waits for it is told, whoever else was.
    template <class Launch> void copy_to_host(StreamId stream, const char* name, const void* from, std::size_t bytes, Launch&& launch) {
        note_copy_to_host(stream, name);
        launch();
        launched(stream);
        if (anything_damaged()) [[unlikely]] spread_to_host(stream, from, bytes);
    }
    // What is enqueued later on `after` comes after what `before` has now.
    void ordered(StreamId before, StreamId after);

    // --- by who waits ---

    // The stream, and those that its unsettled work came after, with all that is enqueued there; to be given to settle() when waits
    // for all of them were good.
    std::vector<Point> behind(StreamId) const;
    Point now(StreamId) const;
    void settle(std::span<const Point>);
    // Whether a copy to the host, on the stream or before its work, is unsettled or has failed untold.
    bool copies_to_host(StreamId) const;
    // A wait for the stream, or for nobody knows which, has failed. Marks what is unsettled there and what came after it; the failure as
    // those are told that want to read it.
    Failure fail(StreamId, const DeviceFailure&);
    Failure fail(const DeviceFailure&);
    // Whether fail() has made it: what it concerns is marked.
    bool told(const DeviceFailure&) const;
    bool settled(StreamId) const;  // nothing is known to be left that could fail there
    // A failure that nobody was told of, to be told by the next wait.
    void put_off(const DeviceFailure&);
    // What a wait for the streams has to tell though it was good itself; null: nothing. Told: this failure, now.
    Failure take_put_off(std::span<const Point> awaited);
    void forget_put_off(std::span<const Point> awaited, const DeviceFailure& told);

    // --- by who reads and writes ---

    Failure find(const void* data, std::size_t bytes) const;  // null: it may be read
    void expect_whole(const void* data, std::size_t bytes) const {
        if (anything_damaged()) [[unlikely]] refuse_damaged(data, bytes);
    }
    void mark(const void* data, std::size_t bytes, const Failure&);
    // The bytes have other values from now on, or another owner.
    void heal(const void* data, std::size_t bytes) {
        if (anything_damaged()) [[unlikely]] unmark(data, bytes);
    }
    void forget_all() noexcept;

private:
    struct Range {
        std::uintptr_t low = 0, high = 0;
    };
    struct Entry {
        WorkNote note;
        Range written;  // empty: memory of the host
    };
    // Of one stream, numbered from 0. Entries from `first` to `noted` are unsettled, with their notes; `older` has the ranges of unsettled ones before them.
    struct Lane {
        static constexpr std::size_t most = 1024;
        std::array<Entry, most> entries;         // by number modulo most
        std::atomic<std::uint64_t> noted{0};     // raised by who enqueues, before
        std::atomic<std::uint64_t> enqueued{0};  // and afterwards
        std::atomic<std::uint64_t> first{0};     // raised with the mutex held
        std::vector<Range> older;
        std::uint64_t older_end = 0;           // what is older has lower numbers
        std::size_t most_older = 2 * most;     // before those that meet are joined
        std::vector<StreamId> after;           // streams with unsettled work before that of this one
        std::uint64_t to_host = 0;             // the number after the last unsettled copy to the host; 0: none
        Failure untold;                        // of such copies
        bool empty() const { return older.empty() && !to_host && first.load() == noted.load(); }
    };
    struct Mark {
        std::uintptr_t high;
        Failure failure;
    };

    Lane& lane(StreamId);
    Lane* known(StreamId stream) const { return stream < lanes_.size() ? lanes_[stream].get() : nullptr; }
    bool unsettled(StreamId stream) const { return known(stream) && !known(stream)->empty(); }
    Lane& make_room(StreamId);
    // An entry is written before its number is, and nobody reads what lies from `noted` on. Who finds a failure raises damaged_ranges before
    // it reads `noted`, who enqueues reads them the other way round: one of the two sees the other.
    template <class Fill> void append(StreamId stream, const char* name, Range written, Fill&& fill) {
        Lane* one = known(stream);
        if (!one || one->noted.load(std::memory_order_relaxed) - one->first.load(std::memory_order_acquire) == Lane::most) [[unlikely]] one = &make_room(stream);
        const std::uint64_t number = one->noted.load(std::memory_order_relaxed);
        Entry& entry = one->entries[number % Lane::most];
        entry.written = written;
        entry.note.name = name;
        entry.note.origin = origin_of_work;
        entry.note.count = 0;
        fill(entry.note);
        one->noted.store(number + 1);
    }
    void note_copy_to_host(StreamId, const char* name);
    void spread_to_host(StreamId, const void* from, std::size_t bytes);
    Failure fail_lanes(const std::vector<StreamId>&, const DeviceFailure&);
    std::string text_of(const std::vector<StreamId>&, const DeviceFailure&) const;
    const Failure* found(Range) const;
    void cut(Range);
    void put(Range, const Failure&);
    void spread_damage(std::span<const Use>);
    void refuse_damaged(const void*, std::size_t) const;
    void unmark(const void*, std::size_t);

    const std::string device_;
    mutable ForkMutex mutex_{93};  // taken under others
    std::vector<std::unique_ptr<Lane>> lanes_;  // by stream; changed by who enqueues, with the mutex held
    std::map<std::uintptr_t, Mark> marks_;
    Failure put_off_;
    std::array<Failure, 8> latest_;  // of fail(), in turn: one wait may find several
    std::size_t failed_ = 0;
};

}  // namespace asnumpy
