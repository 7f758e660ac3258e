// Threads that wait for the same stream do so one after the other: CANN tells a failure to one of them, and what it means is noted before
// the next one learns that all is well.
#pragma once

#include <bitset>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "device/stream.hpp"

namespace asnumpy::ascend {

class Turns {
public:
    // This thread's, as long as the object lives. Whoever had it before waits for no more than this thread would.
    class Turn {
    public:
        Turn(Turns& turns, StreamId stream, std::chrono::milliseconds most) : turns_(turns), stream_(stream), had_(turns.take(stream, most)) {}
        ~Turn() {
            if (had_) turns_.give(stream_);
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        bool had() const { return had_; }  // false: the time is over

    private:
        Turns& turns_;
        StreamId stream_;
        bool had_;
    };

private:
    bool take(StreamId stream, std::chrono::milliseconds most) {
        std::unique_lock lock(mutex_);
        const auto free = [&] { return !taken_[stream]; };
        if (most.count() == 0) given_.wait(lock, free);
        else if (!given_.wait_for(lock, most, free)) return false;
        taken_[stream] = true;
        return true;
    }
    void give(StreamId stream) {
        {
            const std::lock_guard lock(mutex_);
            taken_[stream] = false;
        }
        given_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable given_;
    std::bitset<most_streams> taken_;
};

}  // namespace asnumpy::ascend
