// Captured graphs: what is launched again with the same addresses, sizes and numbers is one call of CANN.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "device/backend.hpp"
#include "device/hazards.hpp"
#include "program/program.hpp"

namespace asnumpy::ascend {

class DeviceState;

// A launch to the byte: the program, shape and strides, addresses, and the values of constants; or several launches, which are alike in
// all but their addresses.
struct LaunchKey {
    std::vector<std::uint64_t> words;
    std::uint64_t hash = 0;
};
// `owner` is a number of the program's own, or of those launches'. The key is the thread's, valid until it asks for the next.
const LaunchKey& key_of(std::uint64_t owner, std::span<const DType> inputs, const Launch&);
const LaunchKey& key_of(std::uint64_t owner, std::span<char* const> addresses);
std::uint64_t new_owner();  // another number each time

// What a graph has of one operator.
struct CapturedCalls {
    std::size_t op = 0;  // its place in cann::operators()
    std::uint64_t calls = 0, bytes = 0;
};

// What is enqueued while a graph is captured: on a stream that nothing else uses, so that nobody's wait breaks the capture,
// and with memory that will be the graph's. What a graph cannot hold throws.
class Capture final : public WorkMemory {
public:
    Capture(DeviceState& device, void* stream, StreamId home) : stream(stream), device_(device), home_(home) {}
    ~Capture() override;
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    void* allocate(std::size_t bytes) override;
    void deallocate(void* data) noexcept override;
    void count(std::size_t op, std::uint64_t bytes);
    void use(std::span<const Use>);        // what was enqueued reads and writes these bytes
    [[noreturn]] static void refuse(const char* what);

    void* const stream;
    bool reads_constants = false;  // that the device keeps

private:
    friend class Graphs;
    bool is_own(const void* data) const;
    struct Block {
        void* data;
        std::size_t bytes;
        bool free;
    };
    DeviceState& device_;
    const StreamId home_;  // whose memory the blocks are
    std::vector<Use> uses_;
    std::vector<Block> blocks_;
    std::size_t bytes_ = 0;
    std::vector<CapturedCalls> calls_;
};

struct GraphFigures {
    std::uint64_t captures = 0, replays = 0;
    std::uint64_t refused = 0;         // launches that recurred and could not be captured
    std::uint64_t kept = 0, bytes = 0; // graphs that are ready now, and the memory that is theirs
    std::uint64_t blocks = 0;          // of the pool's, in which it lies
};

// The graphs of one device. The lock is a leaf: nothing of CANN's and no other lock is taken while it is held.
class Graphs {
public:
    explicit Graphs(DeviceState& device);
    ~Graphs();

    // For all devices: whether launches are captured at all.
    static void enable(bool);
    static bool enabled();
    // Whether the CANN that is loaded can.
    bool possible() const { return possible_; }

    enum class Next { done, capture, launch };
    // A launch with this key comes: it is replayed, or shall be captured, or launched as ever.
    Next recur(const LaunchKey&);
    // Captures what `enqueue` enqueues, then replays it. False: that cannot be, and nothing was enqueued.
    bool capture(const LaunchKey&, const std::function<void(Capture&)>& enqueue);

    // Gives the memory of all graphs back to the pool; false: there are none. Waits for the device if there are.
    bool drop_all() noexcept;
    void drop_readers_of_constants() noexcept;  // before the device's constants change
    void drop_of(std::uint64_t owner) noexcept;
    // What the emitters of a thread that captures write to; null: no graph of this device.
    Capture* current() const { return current_; }
    // Addresses that graphs hold may be given to something else: at their next use all are dropped.
    void distrust() noexcept { stale_.store(true, std::memory_order_release); }
    // Between these no capture begins, for a wait for the whole device would break it and fail itself.
    void pause();
    void resume() noexcept { paused_.fetch_sub(1, std::memory_order_release); }

    GraphFigures figures() const;
    void release() noexcept;

private:
    struct Graph;
    using Dropped = std::vector<std::shared_ptr<Graph>>;  // destroyed when the lock is free again

    std::shared_ptr<Graph> find(const LaunchKey&) const;
    void replay(Graph&);  // on the device's present stream, by whoever enqueues
    bool make_room(std::size_t bytes, Dropped&);
    void forget(const LaunchKey&);
    template <class Keep> bool drop(const Keep&) noexcept;

    DeviceState& device_;
    const bool possible_;
    void* stream_ = nullptr;  // for captures; under the device's mutex
    Capture* current_ = nullptr;
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::shared_ptr<Graph>> graphs_;
    std::unordered_set<std::uint64_t> refused_;
    struct Seen {
        std::uint64_t hash = 0, times = 0, last = 0;  // `last` as of the clock
    };
    // Several places for each remainder: two programs of one loop do not keep each other from being counted.
    std::array<std::array<Seen, 4>, 1024> seen_{};
    std::uint64_t clock_ = 0;  // one tick per launch that asked
    std::atomic<std::uint64_t> captures_{0}, replays_{0}, refusals_{0}, kept_{0}, bytes_{0}, blocks_{0};
    std::atomic<bool> stale_{false};
    std::atomic<int> paused_{0};
};

}  // namespace asnumpy::ascend
