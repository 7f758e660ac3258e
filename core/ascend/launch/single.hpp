// Operators that a program calls by name, one at a time: on its thread's stream, or side by side on those of a batch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ascend/launch/caller.hpp"
#include "ascend/library/operators.hpp"
#include "device/damage.hpp"
#include "device/stream.hpp"

namespace asnumpy::ascend {

// What the calls of one operator have cost the host, by its place in cann::operators().
struct Figures {
    static constexpr std::size_t most_recent = 1024;
    std::uint64_t count = 0, failures = 0, bytes = 0, nanoseconds = 0;
    std::uint64_t workspace = 0;        // the most bytes that a call asked for
    std::vector<std::uint64_t> recent;  // nanoseconds of each of the latest calls
};
void note_call(std::size_t op, std::uint64_t bytes, std::uint64_t workspace, std::uint64_t nanoseconds);
void note_failure(std::size_t op);
std::vector<std::pair<std::size_t, Figures>> all_figures();  // of operators that were called, or refused
void forget_figures();

// Some streams of a device, over which calls are spread: those that use no bytes of one another take turns, those that do follow
// on one stream or wait. The first is the thread's own, so that few calls cost no order between streams, unless the batch is to be
// apart from what that stream had before. The others come after that, and before what it gets after the batch's end.
class Batch {
public:
    Batch(DeviceState&, unsigned streams, bool apart = false);
    ~Batch();
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    void begin();
    void end();
    // The stream for the call. With the device's mutex held.
    StreamId place(const Operator&, std::span<const Argument>);
    // The call has been enqueued there.
    void note_placed();
    // The same for work that others enqueue: CANN's stream, which waits for what it must.
    void* place(std::span<const Use>);
    // The host waits for one of the streams; what failed there is thrown.
    void wait(std::size_t place);
    std::size_t latest() const { return chosen_; }  // the place of the stream that got work last
    DeviceState& device() const { return device_; }
    std::span<const std::uint64_t> launched() const { return launched_; }  // by stream

private:
    StreamId choose(std::span<const Use>);
    bool is_own(std::size_t place) const { return place == 0 && !apart_; }
    bool is_of_batch(std::size_t place, std::uint64_t number) const;
    void give() noexcept;

    DeviceState& device_;
    const bool apart_;
    std::vector<StreamId> streams_;
    Point before_;                    // what the batch comes after
    std::vector<std::uint64_t> own_;  // the numbers of its calls on the thread's stream, which gets other work, too
    std::vector<std::uint64_t> launched_, begun_, latest_;  // by stream: work, its number at the beginning, the batch's latest there
    std::uint64_t placed_ = 0;
    std::size_t next_ = 0, chosen_ = 0;
    std::vector<Use> uses_;
    std::vector<Point> conflicts_;
};

// A call that others enqueue on one of CANN's streams, and what it means for what is damaged: made before, told how that went afterwards. What is
// enqueued on a stream that is none of the device's fails where others wait for it.
class OthersCall {
public:
    // Of the uses, those that `whole` has, too, have other values afterwards.
    OthersCall(DeviceState&, void* stream, const char* name, std::vector<Use> uses, std::span<const Use> whole);
    void launched();
    void refused();

private:
    DeviceState& device_;
    const char* name_;
    std::vector<Use> uses_;
    std::optional<StreamId> stream_;
    std::vector<Damage::Healed> healed_;  // where it was damaged before
};

// Events of CANN's, to be recorded around a call.
struct Marks {
    void *start = nullptr, *end = nullptr;
};

// One call, on the batch's stream where there is a batch; `bytes` are what it reads and writes, for the figures.
void call_single(DeviceState&, Operator&, std::span<const Argument>, Batch*, std::uint64_t bytes, Marks = {});

}  // namespace asnumpy::ascend
