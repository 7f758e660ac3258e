// The worker of a stream, and what submitting, waiting and abandoning do.
#include "runtime/stream.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/config.hpp"
#include "runtime/device.hpp"
#include "runtime/graph.hpp"
#include "runtime/memory.hpp"
#include "runtime/report.hpp"
#include "runtime/reuse.hpp"
#include "runtime/statistics.hpp"

namespace cannsim {

thread_local bool in_callback = false;

namespace {

// What a kernel that was stopped leaves of the bytes that it should have written: neither the old ones nor the right ones.
void leave_rubbish(const Task& task) {
    constexpr int rubbish = 0xa5;
    for (const Use& use : task.uses)
        if (std::byte* const there = use.write && use.dense ? alias(use.address) : nullptr) std::memset(there, rubbish, use.size);
    if (!task.to_host.empty()) std::memset(task.to_host.data(), rubbish, task.to_host.size());
}

}  // namespace

void refuse_in_callback(const char* what) {
    if (in_callback) throw Refusal{ACL_ERROR_RT_FEATURE_NOT_SUPPORT, text(what, " is not allowed in a callback of a stream")};
}

void Recording::finish() {
    {
        const std::scoped_lock lock(mutex);
        done = true;
        wall = detail::clock();
    }
    changed.notify_all();
}

bool Recording::wait(std::int64_t milliseconds) {
    std::unique_lock lock(mutex);
    if (milliseconds < 0) {
        changed.wait(lock, [&] { return done; });
        return true;
    }
    return changed.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return done; });
}

std::shared_ptr<Recording> Event::current() {
    const std::scoped_lock lock(mutex);
    return recording;
}

Stream::~Stream() { stop(); }

void Stream::submit(Task task, std::optional<double> issued) {
    refuse_in_callback("to launch work");
    const std::scoped_lock lock(issuing);
    if (const auto graph = capture.get()) {
        graph->add(*this, std::move(task));
        return;
    }
    issue(order, task.uses, task.name);
    if (context && task.cost.engine != Engine::link) task.cost.reused = std::min(reused_bytes(context->device->id, task.uses), task.cost.bytes);
    const double cost = seconds(task.cost);
    modelled = std::max(modelled, issued ? *issued : model_issue()) + cost;
    count_task(task.name, task.cost, cost, *this, modelled);
    if (!task.run && idle()) return;  // nothing to compute and nothing to wait for
    enqueue(std::move(task));
}

void Stream::enqueue(Task task) {
    const auto now = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    submitted_.fetch_add(1, std::memory_order_release);
    queue_.push_back({std::move(task), now + std::chrono::microseconds(config().lag.load(std::memory_order_relaxed))});
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    const bool wake = sleeping_;
    lock.unlock();
    if (wake) arrived_.notify_one();
}

void Stream::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        sleeping_ = true;
        arrived_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
        sleeping_ = false;
        if (queue_.empty()) return;
        Queued next = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        if (next.ready > std::chrono::steady_clock::now()) std::this_thread::sleep_until(next.ready);
        int code = 0;
        if (context && is_lost(context->device->id)) {
            code = ACL_ERROR_RT_LOST_HEARTBEAT;
        } else if (broken.load() && !next.task.uses.empty()) {  // events go on, or others would wait for ever
            leave_rubbish(next.task);
        } else if (!(failure_mode == ACL_STOP_ON_FAILURE && error.load())) {
            const double started = detail::clock();
            if (!next.task.uses.empty()) {
                const TaskFault fault = planned_task_fault(next.task.name);
                code = fault.code;
                if (fault.lasting) broken = code;
            }
            try {
                if (code) leave_rubbish(next.task);
                else if (next.task.run) code = next.task.run();
            } catch (...) {
                code = detail::caught(next.task.name);
            }
            count_wall(next.task.name, *this, started, detail::clock());
        }
        if (code) {
            int none = 0;
            if (error.compare_exchange_strong(none, code)) failed = next.task.name;
        }
        next.task = {};  // what it holds is given back before anybody learns that it has run
        lock.lock();
        finished_.fetch_add(1, std::memory_order_release);
        passed_.notify_all();
    }
}

bool Stream::wait(std::int64_t milliseconds) {
    refuse_in_callback("to wait for a stream");
    std::unique_lock lock(mutex_);
    const std::uint64_t goal = submitted_.load();
    const auto reached = [&] { return finished_.load() >= goal; };
    if (milliseconds < 0) passed_.wait(lock, reached);
    else if (!passed_.wait_for(lock, std::chrono::milliseconds(milliseconds), reached)) return false;
    return true;
}

void Stream::abandon() {
    std::deque<Queued> dropped;
    const std::scoped_lock lock(mutex_);
    finished_.fetch_add(queue_.size(), std::memory_order_release);
    dropped.swap(queue_);
    passed_.notify_all();
}

void Stream::stop() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_all();
    if (!thread_.joinable()) return;
    if (thread_.get_id() == std::this_thread::get_id()) thread_.detach();
    else thread_.join();
}

}  // namespace cannsim
