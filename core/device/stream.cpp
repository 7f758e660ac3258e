// The streams of threads, and numbers for streams.
#include "device/stream.hpp"

#include <array>
#include <string>

#include "base/error.hpp"

namespace asnumpy {

namespace {
thread_local std::array<StreamId, most_devices> streams_of_thread{};
}  // namespace

StreamId detail::stream_of_thread(unsigned device) { return device < most_devices ? streams_of_thread[device] : StreamId{0}; }

StreamId exchange_stream(unsigned device, StreamId stream) {
    if (device >= most_devices) return 0;
    if (stream) detail::streams_in_use.store(true, std::memory_order_relaxed);
    return std::exchange(streams_of_thread[device], stream);
}

StreamId StreamNumbers::take(int priority) {
    const std::lock_guard lock(mutex_);
    std::vector<StreamId>& free = free_[priority];
    if (free.empty()) {
        if (priorities_.size() >= most_streams)
            throw RuntimeFailure("Stream: a device has at most " + std::to_string(most_streams - 1) + " streams of one's own, and all are in use; let go of some");
        for (auto& [other, numbers] : free_) numbers.reserve(priorities_.size() + 1);  // so that give() never allocates
        free.reserve(priorities_.size() + 1);
        priorities_.push_back(priority);
        return static_cast<StreamId>(priorities_.size() - 1);
    }
    const StreamId number = free.back();
    free.pop_back();
    return number;
}

void StreamNumbers::give(StreamId number) noexcept {
    const std::lock_guard lock(mutex_);
    free_.find(priorities_[number])->second.push_back(number);
}

}  // namespace asnumpy
