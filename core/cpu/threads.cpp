// Worker threads that join the caller of a parallel_for, spin briefly when it ends, then sleep.
#include "cpu/threads.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"

namespace asnumpy::cpu {
namespace {

constexpr int thread_limit = 1024;

// The processors that a cgroup's quota amounts to, rounded up; thread_limit when it sets none.
int quota_processors(double quota, double period) {
    if (quota <= 0 || period <= 0) return thread_limit;
    return std::max(1, static_cast<int>(std::min((quota + period - 1) / period, double{thread_limit})));
}

int quota_of_group(const std::string& folder, bool version2) {
    if (version2) {
        std::string quota;
        double period = 0;
        if (std::ifstream file(folder + "/cpu.max"); file >> quota >> period && quota != "max")
            return quota_processors(std::strtod(quota.c_str(), nullptr), period);
        return thread_limit;
    }
    double quota = 0, period = 0;
    std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
    if (quota_file >> quota && period_file >> period) return quota_processors(quota, period);
    return thread_limit;
}

// The smallest quota of this process's control groups and their ancestors. A container may see its group's
// files at the root of the mount rather than under the path that the kernel names, so the root is always read.
int cgroup_processors() {
    int allowed = thread_limit;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first, second - first) + ",";  // ":name,name,"
        const bool version2 = controllers == ":,";
        if (!version2 && controllers.find(",cpu,") == std::string::npos && !controllers.starts_with(":cpu,")) continue;
        std::string path = line.substr(second + 1);
        while (!path.empty() && path.back() == '/') path.pop_back();
        const std::string mount = version2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
        for (;;) {
            allowed = std::min(allowed, quota_of_group(mount + path, version2));
            if (path.empty()) break;
            const auto slash = path.rfind('/');
            path.resize(slash == std::string::npos ? 0 : slash);
        }
    }
    return allowed;
}

int count_processors() {
    int processors = static_cast<int>(std::thread::hardware_concurrency());
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) processors = CPU_COUNT(&mask);
    return std::clamp(std::min(processors, cgroup_processors()), 1, thread_limit);
}

int initial_thread_count() {
    const char* text = std::getenv("ASNUMPY_NUM_THREADS");
    if (text == nullptr || *text == '\0') return max_threads();
    const std::string_view view(text);
    int count = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), count);
    if (error != std::errc{} || end != view.data() + view.size() || count < 1)
        throw ValueError("ASNUMPY_NUM_THREADS must be a positive integer, got '" + std::string(view) + "'");
    return std::min(count, max_threads());
}

std::atomic<int>& current_thread_count() {
    static std::atomic<int> count{initial_thread_count()};
    return count;
}

inline void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// True once `done` is; gives up after a while that is short beside the cost of sleeping and waking.
template <class Done> bool spin_until(Done done, std::chrono::microseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
        for (int i = 0; i < 32; ++i) {
            if (done()) return true;
            pause();
        }
        if (std::chrono::steady_clock::now() >= deadline) return false;
    }
}

constexpr std::chrono::microseconds idle_patience{30}, finish_patience{50};

// Each participant starts in its own part of the index range, so that it meets the same memory again in the next
// call, and then helps with the others' parts.
struct alignas(64) Part {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
};

thread_local bool inside_parallel_for = false;

class ThreadPool {
public:
    // prepare: has run on this thread; null: there is none.
    void run(std::int64_t n, std::int64_t grain, int participants, const FunctionRef<void()>* prepare, const Body& body) {
        participants = start_workers(participants - 1) + 1;
        body_ = &body;
        prepare_ = prepare;
        participants_ = participants;
        chunk_ = std::max(grain, (n + participants * chunks_each - 1) / (participants * chunks_each));
        for (int i = 0; i < participants; ++i) {
            parts_[i].next.store(n * i / participants, std::memory_order_relaxed);
            parts_[i].end = n * (i + 1) / participants;
        }
        failed_.store(false, std::memory_order_relaxed);
        gate_.store(0, std::memory_order_release);
        epoch_.fetch_add(1);
        epoch_.notify_all();
        work(0);
        // Closed: a worker that has not woken yet stays out, and is not waited for.
        gate_.fetch_or(closed, std::memory_order_acq_rel);
        const auto empty = [this] { return gate_.load(std::memory_order_acquire) == closed; };
        if (!spin_until(empty, finish_patience))
            for (std::uint32_t g; (g = gate_.load(std::memory_order_acquire)) != closed;) gate_.wait(g);
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    bool acquire() { return !busy_.test_and_set(std::memory_order_acquire); }
    void release() { busy_.clear(std::memory_order_release); }

    // In a forked child only the forking thread lives on.
    void forget_workers() {
        started_ = 0;
        gate_.store(closed);
        epoch_.store(0);
        if (!inside_parallel_for) busy_.clear();
    }

private:
    static constexpr std::uint32_t closed = 1u << 31;
    static constexpr int chunks_each = 8;

    void work(int participant) {
        inside_parallel_for = true;
        take_chunks(participant);
        inside_parallel_for = false;
    }

    void take_chunks(int participant) {
        if (prepare_ && participant > 0) {
            try {
                (*prepare_)();
            } catch (const std::bad_alloc&) {
                return;
            } catch (...) {
                return fail();
            }
        }
        for (int k = 0; k < participants_; ++k) {
            Part& part = parts_[(participant + k) % participants_];
            while (!failed_.load(std::memory_order_relaxed)) {
                const std::int64_t begin = part.next.fetch_add(chunk_, std::memory_order_relaxed);
                if (begin >= part.end) break;
                try {
                    (*body_)(begin, std::min(begin + chunk_, part.end), participant);
                } catch (...) {
                    fail();
                }
            }
        }
    }

    void fail() {
        if (!failed_.exchange(true)) error_ = std::current_exception();
    }

    void worker(int participant) {
        std::uint32_t seen = 0;
        for (;;) {
            const auto changed = [&] { return epoch_.load(std::memory_order_acquire) != seen; };
            if (!spin_until(changed, idle_patience)) epoch_.wait(seen);
            seen = epoch_.load(std::memory_order_acquire);
            std::uint32_t gate = gate_.load(std::memory_order_acquire);
            bool joined = false;
            while (!joined && !(gate & closed))
                joined = gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel);
            if (!joined) continue;
            if (participant < participants_) work(participant);
            if (gate_.fetch_sub(1, std::memory_order_acq_rel) == (closed | 1u)) gate_.notify_all();
        }
    }

    // How many there are room for: of fewer the work is done just as well.
    int start_workers(int wanted) {
        if (wanted >= capacity_) {
            std::unique_ptr<Part[]> more(new (std::nothrow) Part[static_cast<std::size_t>(wanted) + 1]);
            if (!more) return capacity_ - 1;
            parts_ = std::move(more);
            capacity_ = wanted + 1;
        }
        if (started_ >= wanted) return wanted;
        // Signals belong to the threads of the program: a worker inherits a full mask.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            for (; started_ < wanted; ++started_) std::thread(&ThreadPool::worker, this, started_ + 1).detach();
        } catch (const std::system_error&) {
            // The system refuses more threads: those that exist and the caller do the work.
        } catch (const std::bad_alloc&) {
            // Likewise.
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return wanted;
    }

    std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
    alignas(64) std::atomic<std::uint32_t> epoch_{0};
    alignas(64) std::atomic<std::uint32_t> gate_{closed};  // workers inside, and whether more may enter
    int started_ = 0, capacity_ = 1;
    const Body* body_ = nullptr;
    const FunctionRef<void()>* prepare_ = nullptr;
    std::int64_t chunk_ = 1;
    int participants_ = 0;
    std::unique_ptr<Part[]> parts_ = std::make_unique<Part[]>(1);
    std::atomic<bool> failed_{false};
    std::exception_ptr error_;
};

// Never destroyed: workers may still look at it while the process ends.
ThreadPool& pool() {
    static ThreadPool& instance = []() -> ThreadPool& {
        alignas(ThreadPool) static std::byte storage[sizeof(ThreadPool)];
        ThreadPool* made = ::new (storage) ThreadPool;
        pthread_atfork(nullptr, nullptr, [] { pool().forget_workers(); });
        return *made;
    }();
    return instance;
}

}  // namespace

int max_threads() {
    static const int count = count_processors();
    return count;
}

int thread_count() { return current_thread_count().load(std::memory_order_relaxed); }

void set_thread_count(int count) { current_thread_count().store(std::clamp(count, 1, max_threads())); }

void oversubscribe(int count) { current_thread_count().store(std::clamp(count, 1, thread_limit)); }

namespace {

void share(std::int64_t n, std::int64_t grain, const FunctionRef<void()>* prepare, const Body& body) {
    if (n <= 0) return;
    if (prepare) (*prepare)();
    grain = std::max<std::int64_t>(grain, 1);
    const int participants = static_cast<int>(std::min<std::int64_t>(thread_count(), n / grain));
    if (participants <= 1 || inside_parallel_for || !pool().acquire()) {
        body(0, n, 0);
        return;
    }
    struct Release {
        ~Release() { pool().release(); }
    } release;
    pool().run(n, grain, participants, prepare, body);
}

}  // namespace

void parallel_for(std::int64_t n, std::int64_t grain, Body body) { share(n, grain, nullptr, body); }
void parallel_for(std::int64_t n, std::int64_t grain, FunctionRef<void()> prepare, Body body) { share(n, grain, &prepare, body); }

}  // namespace asnumpy::cpu
