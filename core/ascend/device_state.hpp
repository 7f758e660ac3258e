// What the backend keeps of one device: its context, its streams, its pinned memory, its cached executors and constants.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "ascend/caller.hpp"
#include "ascend/cann.hpp"
#include "ascend/graphs.hpp"
#include "ascend/staging.hpp"
#include "ascend/streams.hpp"
#include "base/error.hpp"
#include "device/pool.hpp"

namespace asnumpy::ascend {

class DeviceState {
public:
    explicit DeviceState(int index);

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
    // A 0-d tensor of the value; kept for later launches. With the mutex held. The second: if it is there already.
    Tensor constant(const Scalar&);
    std::optional<Tensor> known_constant(const Scalar&) const;
    // Gives back everything that CANN gave, the pool's memory left out. At the end.
    void release() noexcept;
    // Lets go of the device itself, afterwards.
    void reset() noexcept;

    const int index;
    const std::string name;  // "ascend:0"
    void* context = nullptr;
    void* stream = nullptr;  // the one on which is enqueued, by whoever holds the mutex
    Pool* pool = nullptr;    // set by whoever owns both
    std::mutex mutex;        // whoever enqueues holds it; taken before the pool's
    Streams streams;
    Caller caller;
    Staging staging;
    Graphs graphs;

private:
    template <class Snapshot, class Wait> void wait(Snapshot&&, Wait&&);

    struct Key {
        explicit Key(const Scalar&);
        Scalar value{};  // its own bytes only
        bool operator==(const Key& o) const { return value.dtype == o.value.dtype && value.bytes == o.value.bytes; }
    };
    struct Hash {
        std::size_t operator()(const Key&) const;
    };
    std::unordered_map<Key, char*, Hash> constants_;
    char* constant_memory_ = nullptr;
    std::atomic<bool> lost_{false};
    DeviceFailure why_lost_{""};  // written before lost_
};

// This thread works on the device as long as the object lives; then on what it worked before, if anything.
class OnDevice {
public:
    explicit OnDevice(const DeviceState&);
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
    explicit Enqueuing(DeviceState& device) : lock_((device.expect_usable(), device.mutex)), here_(device) {
        device.streams.select(current_stream(device.pool->number()));
    }

private:
    std::unique_lock<std::mutex> lock_;
    OnDevice here_;
};

}  // namespace asnumpy::ascend
