// One device as CANN knows it: its context and its streams, whether it was lost, and how a thread comes to work on it.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "ascend/library/cann.hpp"
#include "ascend/library/streams.hpp"
#include "base/error.hpp"
#include "base/function_ref.hpp"
#include "device/damage.hpp"
#include "device/pool.hpp"

namespace asnumpy::ascend {

class Context {
public:
    explicit Context(int index);

    // Throws when the device cannot be used any more: CANN has ended, or the device was lost.
    void expect_usable() const;
    bool usable() const noexcept { return !ended() && !lost_.load(std::memory_order_acquire); }
    // Throws DeviceFailure for a code that is not 0, and notes a lost device.
    void check(int code, const char* function) {
        if (code) [[unlikely]] fail(function, code);
    }
    [[noreturn]] void fail(const std::string& what, int code);
    // Notes what it means that work of a stream, or of one that is not known, has failed with that; throws it as all are told who want to
    // read what the work wrote. Returns where it means nothing: arrays hold what they should.
    void learn(const DeviceFailure&, const StreamId* = nullptr);
    // No later call uses the device.
    void lose(const DeviceFailure& why);

    // Waits for all work of all streams, or of one; what failed there is thrown.
    void synchronize();
    void synchronize(StreamId);
    // The same on the device with the mutex held or not, for the stream and what its work came after, and for all: notes what ended well, marks
    // what did not.
    void await(StreamId);
    void await_all();
    // Only a wait for a stream tells that work has failed, and who has waited otherwise for a copy to the host reads there next.
    void tell_of_copies(StreamId);
    // What a wait for all of the device has to tell though it was good itself.
    void tell_put_off();
    // Runs what fetches the bytes. Work that failed is told to who wants what it wrote; others get theirs, and the next wait tells it.
    void read(const void* data, std::size_t bytes, FunctionRef<void()> fetch);
    // Waits for all streams without a limit, for those who give something back; a failure is told by the next wait.
    void finish() noexcept;
    void finish(StreamId) noexcept;  // on the device
    // Lets go of the device itself, when all else was given back.
    void reset() noexcept;

    const int index;
    const std::string name;  // "ascend:0"
    void* context = nullptr;
    void* stream = nullptr;  // the one on which is enqueued, by whoever holds the mutex
    Pool* pool = nullptr;    // set by whoever owns both
    std::mutex mutex;        // whoever enqueues holds it; taken before the pool's
    Streams streams;
    Damage damage;

private:
    void await(std::span<const Point>, int (*wait)(void*));
    void expect_working(StreamId, int (*wait)(void*), const DeviceFailure&);
    std::vector<Point> all_streams() const;
    template <class Snapshot, class Points> void wait(Snapshot&&, Points&&);
    template <class Wait> void finish_by(Wait&&) noexcept;
    // Throws what is to be said of a code, after what it means was noted; the work of no stream, or of one, has failed.
    [[noreturn]] void fail(const std::string& what, int code, const StreamId* stream);

    std::atomic<bool> lost_{false};
    DeviceFailure why_lost_{""};  // written before lost_
};

// This thread works on the device as long as the object lives; then on what it worked before, if anything.
class OnDevice {
public:
    explicit OnDevice(const Context&);
    ~OnDevice() {
        if (before_) cann_.aclrtSetCurrentContext(before_);  // somebody else's in this thread
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    const Cann& cann_;
    void* before_ = nullptr;
};

// Whether what this thread's emitters enqueue goes into a graph (launch/graphs.hpp); it has the lock of that graph's device then.
inline constinit thread_local bool capturing = false;
void expect_not_capturing();

// This thread, and no other, enqueues on the device as long as the object lives, on the stream that it works on.
class Enqueuing {
public:
    // A child of fork may not wait: nobody there gives the lock back. Who waited may find the device gone.
    explicit Enqueuing(Context& device)
        : lock_((expect_not_capturing(), device.expect_usable(), device.mutex)), here_((device.expect_usable(), device)) {
        device.streams.select(current_stream(device.pool->number()));
    }

private:
    std::unique_lock<std::mutex> lock_;
    OnDevice here_;
};

}  // namespace asnumpy::ascend
