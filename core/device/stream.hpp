// Streams and events: which stream of a device a thread works on, and points in the streams' work.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/fork_mutex.hpp"

namespace asnumpy {

// A stream of a device by its number there. 0 is the stream that a device always has. Results never depend on streams:
// they say which work may run side by side.
using StreamId = std::uint16_t;
inline constexpr StreamId most_streams = 1024;  // of a device, the first included
inline constexpr unsigned most_devices = 64;    // in one process; a device is known here by its pool's number

namespace detail {
inline std::atomic<bool> streams_in_use{false};
StreamId stream_of_thread(unsigned device);
}  // namespace detail

// The stream of the device on which the calling thread records and enqueues.
inline StreamId current_stream(unsigned device) {
    return detail::streams_in_use.load(std::memory_order_relaxed) ? detail::stream_of_thread(device) : StreamId{0};
}
// Gives this thread another one, and returns what it had.
StreamId exchange_stream(unsigned device, StreamId);

// This thread works on the stream as long as the object lives.
class OnStream {
public:
    OnStream(unsigned device, StreamId stream) : device_(device), changes_(current_stream(device) != stream) {
        if (changes_) before_ = exchange_stream(device, stream);
    }
    ~OnStream() { if (changes_) exchange_stream(device_, before_); }
    OnStream(const OnStream&) = delete;
    OnStream& operator=(const OnStream&) = delete;

private:
    unsigned device_;
    bool changes_;
    StreamId before_ = 0;
};

// The numbers of a device's streams: those that are given back are taken again, by whoever wants the same priority.
class StreamNumbers {
public:
    StreamId take(int priority);  // RuntimeFailure when all are taken
    void give(StreamId) noexcept;

private:
    ForkMutex mutex_{70};
    std::map<int, std::vector<StreamId>> free_;
    std::vector<int> priorities_{0};  // by number
};

// A point in the work of one device's streams.
class Event {
public:
    virtual ~Event() = default;
    virtual void record(StreamId) = 0;           // after all that is enqueued there; once more moves it
    virtual void wait(StreamId) = 0;             // what is enqueued there later comes after the point
    virtual void synchronize() = 0;              // the host waits; what failed on the device is thrown
    virtual bool done() = 0;
    virtual double milliseconds_since(Event& start) = 0;  // waits for both; an event of the same device
};

}  // namespace asnumpy
