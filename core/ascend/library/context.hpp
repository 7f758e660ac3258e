// One device as CANN knows it: its context and its streams, whether it was lost, and how a thread comes to work on it.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "ascend/library/cann.hpp"
#include "ascend/library/streams.hpp"
#include "base/error.hpp"
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
    // No later call uses the device.
    void lose(const DeviceFailure& why);

    // Waits for all work of all streams, or of one; what failed there is thrown.
    void synchronize();
    void synchronize(StreamId);
    // Waits for all streams without a word, for those who give something back.
    void finish() noexcept;
    // Lets go of the device itself, when all else was given back.
    void reset() noexcept;

    const int index;
    const std::string name;  // "ascend:0"
    void* context = nullptr;
    void* stream = nullptr;  // the one on which is enqueued, by whoever holds the mutex
    Pool* pool = nullptr;    // set by whoever owns both
    std::mutex mutex;        // whoever enqueues holds it; taken before the pool's
    Streams streams;

private:
    template <class Snapshot, class Wait> void wait(Snapshot&&, Wait&&);

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

// This thread, and no other, enqueues on the device as long as the object lives, on the stream that it works on.
class Enqueuing {
public:
    // A child of fork may not wait: nobody there gives the lock back. Who waited may find the device gone.
    explicit Enqueuing(Context& device) : lock_((device.expect_usable(), device.mutex)), here_((device.expect_usable(), device)) {
        device.streams.select(current_stream(device.pool->number()));
    }

private:
    std::unique_lock<std::mutex> lock_;
    OnDevice here_;
};

}  // namespace asnumpy::ascend
