// Which lists run at the same time: a list begins when it conflicts with none that runs, that is, when what both touch is only read.
//
// The queue's locks, in the order in which they are taken. Nobody waits for the interpreter's lock, or runs Python code, while holding
// one of them (but see lock_for_fork), and none is held while programs run.
//   planning   the census and the numbers that it gives buffers, the schedules, and who may begin
//   mirrors    what of a device's arrays is on the host (mirror.hpp); held while that goes back to the device. Taken by who records, or uses
//              elements, never by who has `planning`
//   recording  what is recorded, the counts of what is pending, and this table; held for moments. Taken alone by who records, which is
//              under the interpreter's lock. Who takes it without that lock has `planning`, or runs.
//   Runner's   compiled programs; taken by who has `planning`, or runs
//
// What a run has yet to do counts as pending, as does what is recorded: so what runs is what the counts say beyond what is recorded.
// A list that begins while nothing else runs is not looked at for this at all.
//
// Work of devices that the host cannot touch runs by itself, and so do recorded functions with loops, choices or the host's calls in them. Other
// recorded functions run as often at the same time as they have seats.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <span>

namespace asnumpy {

class Buffer;
struct Queue;

// Guarded by the lock of recording.
struct Runs {
    int active = 0;
    bool by_itself = false;  // the one that is active lets nobody run beside it
    int gates = 0;           // of those who have waited long: who comes later begins after them
    int waiting = 0;
    std::atomic<std::uint32_t> changes{0};  // what they wait for: a run has ended, a gate has opened

    void tell() {
        changes.store(changes.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        if (waiting > 0) changes.notify_all();
    }
};

// Has both locks, and waits for the moment in which a list may begin.
class Turn {
public:
    explicit Turn(Queue&);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // Whether one may begin that conflicts with nothing; alone: one that waits until nothing runs.
    bool may_begin(bool alone) const;
    // Without the locks, until something has changed. impatient: nobody who comes later is to begin before.
    void wait(bool impatient);
    void end_recording();
    void keep_planning() { planning_.release(); }  // locked, beyond this turn

private:
    std::unique_lock<std::mutex> planning_;
    Queue& queue_;
    std::unique_lock<std::mutex> recording_;
    int waits_ = 0;
    bool at_gate_ = false;
};

// What a recorded function does with a buffer of others.
struct BufferUse {
    Buffer* buffer;
    bool written;
};

// How many calls of one recorded function may run at the same time; each has a seat to itself. Guarded by the lock of recording.
struct Seats {
    static constexpr int most = 16;
    std::uint32_t taken = 0;  // a bit for each
    bool any_free() const { return std::countr_one(taken) < most; }
};

// As long as it lives, a list runs.
class Run {
public:
    Run() = default;
    struct ByItself {};
    explicit Run(ByItself);  // when nothing runs; nothing will beside it
    // When nothing that runs conflicts with these uses, which then count as pending, and one of these seats is free, which it takes: the first.
    // Both are the caller's.
    Run(std::span<const BufferUse>, Seats&);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    int seat() const { return seat_; }

    // Both by who has the lock of recording.
    void begin(Queue&, bool by_itself);
    void end();

private:
    void count_uses(int n) const;

    Queue* queue_ = nullptr;  // null: it does not run
    std::span<const BufferUse> uses_;
    Seats* seats_ = nullptr;
    int seat_ = 0;
};

// Whether anything that runs writes what is recorded, touches what that writes, or touches `wanted`. By who has both locks.
bool conflicts_with_runs(Queue&, const Buffer* wanted);

}  // namespace asnumpy
