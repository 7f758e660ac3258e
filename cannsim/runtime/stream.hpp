// Streams and events: work that runs later, in order, on a thread of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "runtime/hazard.hpp"
#include "runtime/model.hpp"

namespace cannsim {

struct Context;
class Graph;

// One piece of work. `run` gives 0 or the code with which the device failed.
struct Task {
    const char* name = "";
    std::function<int()> run;
    std::vector<Use> uses;
    Cost cost;
    std::span<std::byte> to_host;  // the host's memory that it writes
};

// One recording of an event; a wait holds on to the one it saw.
struct Recording {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    double wall = 0;      // seconds, when the stream passed it
    double modelled = 0;  // seconds
    Clock clock;
    void finish();
    bool wait(std::int64_t milliseconds);  // -1: for ever; false: not in time
};

// The graph of a stream that is captured; other threads look at it too.
class Capture {
public:
    std::shared_ptr<Graph> get() const {
        if (!any_.load(std::memory_order_acquire)) return nullptr;
        const std::scoped_lock lock(mutex_);
        return graph_;
    }
    void set(std::shared_ptr<Graph> graph) {
        const std::scoped_lock lock(mutex_);
        graph_ = std::move(graph);
        any_.store(graph_ != nullptr, std::memory_order_release);
    }

private:
    mutable std::mutex mutex_;
    std::atomic<bool> any_{false};
    std::shared_ptr<Graph> graph_;
};

struct Stream {
    std::uint32_t number = 0;
    Context* context = nullptr;
    bool is_default = false;
    std::uint32_t priority = 0, flags = 0;
    std::uint64_t failure_mode = 0;
    std::uint32_t overflow_switch = 0, custom_tag = 0, cache_op_info = 0;
    Order order;
    double modelled = 0;              // the end of its last task, under `issuing`
    std::mutex issuing;               // held while a task is put in, so that books and queue have one order
    Capture capture;                  // the graph into which it is captured
    std::uint64_t subscriber = 0;     // the thread that runs its callbacks
    std::atomic<int> error{0};        // the first failure that no synchronisation has told yet
    std::atomic<const char*> failed{nullptr};  // the name of its task
    std::atomic<int> broken{0};       // what every wait tells, since a task failed; nothing runs any more

    ~Stream();
    // Books the task and queues it, or hands it to the graph that is captured.
    void submit(Task task, std::optional<double> issued = std::nullopt);  // at that modelled time of the host's, or now
    std::uint64_t position() const { return submitted_.load(std::memory_order_acquire); }
    bool passed(std::uint64_t position) const { return finished_.load(std::memory_order_acquire) >= position; }
    bool wait(std::int64_t milliseconds);  // until all submitted so far has run; false: not in time
    bool idle() const { return finished_.load(std::memory_order_acquire) == submitted_.load(std::memory_order_acquire); }
    void abandon();                        // drops what has not started
    void stop();                           // lets the queue run empty and ends the thread
    void enqueue(Task task);               // without books: what a replayed graph and submit() use

private:
    struct Queued {
        Task task;
        std::chrono::steady_clock::time_point ready;
    };
    void work();

    std::mutex mutex_;
    std::condition_variable arrived_, passed_;
    std::deque<Queued> queue_;
    std::atomic<std::uint64_t> submitted_{0}, finished_{0};
    bool sleeping_ = false, stopping_ = false;
    std::thread thread_;
};

// True while this thread runs a client's callback, in which waiting, allocating and launching are forbidden.
extern thread_local bool in_callback;
void refuse_in_callback(const char* what);

struct Event {
    std::uint32_t flags = 0;
    bool extended = false;  // of aclrtCreateEventEx*
    std::uint32_t number = 0;
    std::mutex mutex;
    std::shared_ptr<Recording> recording;   // the last one; null: never recorded
    std::weak_ptr<Graph> captured_in;
    Clock captured;                         // what it captured there
    std::atomic<int> waits{0};              // queued waits that have not passed
    std::shared_ptr<Recording> current();
};

}  // namespace cannsim
