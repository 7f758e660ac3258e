// Worker threads that join the caller of a parallel_for, spin briefly when it ends, then sleep.
//
// A worker serves one call at a time: the caller leases it, leaves its team as an invitation, wakes it, and takes the invitation
// back when the work is done; a worker that had not looked by then is not waited for. So a call wakes only those that take part, two
// callers share the workers, and nothing of a call is looked at after its end.
#include "cpu/threads.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/fork_mutex.hpp"
#include "cpu/processors.hpp"
#include "cpu/team.hpp"
#include "cpu/waking.hpp"

namespace asnumpy::cpu {
namespace {

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

using Clock = std::chrono::steady_clock;

Waking waking;
std::atomic<bool> never_asleep{false};

thread_local bool inside_parallel_for = false;
thread_local int participants_before = 1;
// Workers that had their part of the last work and sleep again are woken beside the next one, for what comes after it; a few times, if they then find none.
thread_local bool woken_beside = false;
thread_local int woken_in_vain = 0;
constexpr int most_woken_in_vain = 2;

// How long it took.
Waited work_inside(Team& team, Seat& own) {
    inside_parallel_for = true;
    const Waited took = team.work(own);
    inside_parallel_for = false;
    return took;
}

class Worker : public Seat {
public:
    bool awake() const { return awake_.load(std::memory_order_relaxed); }
    bool lease() { return !leased_.test_and_set(std::memory_order_acquire); }
    void release() { leased_.clear(std::memory_order_release); }

    // By who leased it: invite, then leave. Afterwards the worker has done with the team.
    void invite(Team& team) {
        ++ticket_;
        invitation_.store(&team, std::memory_order_release);
        called_.store(ticket_, std::memory_order_seq_cst);
        called_.notify_one();
    }
    // Likewise: without work so far, for which it then looks as after any other.
    void wake() {
        ++ticket_;
        called_.store(ticket_, std::memory_order_seq_cst);
        called_.notify_one();
    }
    void leave(Clock::duration patience) {
        if (invitation_.exchange(nullptr, std::memory_order_acq_rel)) return;  // it has not looked
        const auto served = [this] { return served_.load(std::memory_order_acquire) == ticket_; };
        if (!spin_until(served, patience))
            for (std::uint32_t s; (s = served_.load(std::memory_order_acquire)) != ticket_;) served_.wait(s);
    }

    // Its thread's life.
    void serve() {
        thread_.store(static_cast<pid_t>(syscall(SYS_gettid)), std::memory_order_relaxed);
        Clock::duration patience = short_patience, least = short_patience;
        bool slept = false;
        for (std::uint32_t seen = called_.load(std::memory_order_acquire);;) {
            if (Team* team = invitation_.exchange(nullptr, std::memory_order_acq_rel)) {
                const std::uint32_t ticket = ticket_;
                if (std::exchange(slept, false) && participant == 1) waking.note(Clock::now() - team->begin());
                processor_.store(current_processor(), std::memory_order_relaxed);
                patience = std::max(least, patience_after(work_inside(*team, *this)));
                served_.store(ticket, std::memory_order_release);
                served_.notify_one();
                continue;
            }
            const auto called = [&] { return called_.load(std::memory_order_acquire) != seen; };
            bool found;
            do found = spin_until(called, patience);
            while (!found && never_asleep.load(std::memory_order_relaxed));
            if (!found) {
                awake_.store(false, std::memory_order_relaxed);
                const auto asleep = Clock::now();
                called_.wait(seen);
                awake_.store(true, std::memory_order_relaxed);
                slept = true;
                least = patience_after_sleep(least, Clock::now() - asleep);
            }
            seen = called_.load(std::memory_order_acquire);
        }
    }

    // The scheduler may wake a thread on the processor of the one that woke it, and leave both there for many calls. A worker that was
    // last seen on a processor that is taken is moved before it is woken.
    bool clashes(const Processors& taken) {
        processor = processor_.load(std::memory_order_relaxed);
        return processor == unseen || taken.has(processor);
    }
    void occupy(Processors& taken) const { taken.add(processor); }
    void move_off(const Processors& taken) {
        const pid_t thread = thread_.load(std::memory_order_relaxed);
        if (thread == 0) return;  // it is only starting
        processor_.store(processor = taken.keep_off(thread).value_or(moved), std::memory_order_relaxed);
    }

    // In a forked child its thread does not exist.
    void forget(bool leased) {
        invitation_.store(nullptr);
        served_.store(ticket_);
        thread_.store(0);
        processor_.store(unseen);
        awake_.store(true);
        if (!leased) release();
    }

private:
    static constexpr int unseen = -1, moved = -2;

    std::atomic_flag leased_ = ATOMIC_FLAG_INIT;
    std::atomic<bool> awake_{true};
    std::atomic<pid_t> thread_{0};
    std::atomic<int> processor_{unseen};  // where it last began to work, or was sent
    std::uint32_t ticket_ = 0;            // belongs to who leased it; to the worker from invitation to service
    alignas(64) std::atomic<std::uint32_t> called_{0};
    std::atomic<Team*> invitation_{nullptr};
    alignas(64) std::atomic<std::uint32_t> served_{0};
};

class ThreadPool {
public:
    // On the caller and at most wanted - 1 workers.
    void run(std::int64_t n, std::int64_t grain, int wanted, const FunctionRef<void()>* prepare, const Body& body) {
        // Threads that other calls have are not there for this one.
        wanted = std::min(wanted, thread_count() - computing_.fetch_add(1));
        Team team(prepare, body);
        if (wanted > 1) gather(team, wanted);
        computing_.fetch_add(team.participants() - 1);
        const struct Finish {
            ThreadPool& pool;
            int participants;
            ~Finish() { pool.computing_.fetch_sub(participants); }
        } finish{*this, team.participants()};
        if (team.participants() == 1) {
            body(0, n, 0);
            return;
        }
        participants_before = team.participants();
        woken_beside = false;
        woken_in_vain = 0;
        if (team.participants() <= max_threads()) place(team);
        team.divide(n, grain);
        each_worker(team, [&](Worker& worker) { worker.invite(team); });
        const Clock::duration patience = patience_after(work_inside(team, team.first()));
        each_worker(team, [&](Worker& worker) { worker.leave(patience); });
        each_worker(team, [](Worker& worker) { worker.release(); });
        team.rethrow();
    }

    // Whether those who take part first would come at once. The others are called after them, by when these have begun.
    bool awake(int workers) const {
        for (int i = 0; i < std::min({workers, called_first, running_.load(std::memory_order_acquire)}); ++i)
            if (!workers_[static_cast<std::size_t>(i)]->awake()) return false;
        return true;
    }

    void wake(int workers) {
        for (int i = 0; i < std::min({workers, called_first, running_.load(std::memory_order_acquire)}); ++i) {
            Worker& worker = *workers_[static_cast<std::size_t>(i)];
            if (worker.awake() || !worker.lease()) continue;
            worker.wake();
            worker.release();
        }
    }

    // In a forked child only the forking thread lives on.
    void forget_workers() {
        const int known = known_.load();
        for (int i = 0; i < known; ++i) workers_[static_cast<std::size_t>(i)]->forget(inside_parallel_for);
        running_.store(0);
        if (!inside_parallel_for) computing_.store(0);
    }

private:
    template <class Function> static void each_worker(Team& team, Function function) {
        for (Seat* seat = team.first().beside; seat != &team.first();) {
            Seat* const next = seat->beside;
            function(static_cast<Worker&>(*seat));
            seat = next;
        }
    }

    // The same workers in the same order, as far as they are free.
    void gather(Team& team, int wanted) {
        for (int i = 0; i < thread_limit && team.participants() < wanted; ++i) {
            if (i >= running_.load(std::memory_order_acquire) && !start(i)) return;
            Worker& worker = *workers_[static_cast<std::size_t>(i)];
            if (worker.lease()) team.join(worker);
        }
    }

    static void place(Team& team) {
        const int here = team.first().processor = current_processor();
        Processors taken;
        taken.add(here);
        bool clash = false;
        each_worker(team, [&](Worker& worker) {
            if (worker.clashes(taken)) clash = true;
            else worker.occupy(taken);
        });
        if (!clash) return;
        Processors seen;
        seen.add(here);
        each_worker(team, [&](Worker& worker) {
            if (worker.clashes(seen)) worker.move_off(taken);
            else worker.occupy(seen);
        });
    }

    // Starts the worker of this number. Without room for it, or where the system refuses more threads, those that exist and
    // the caller do the work.
    bool start(int number) {
        const std::lock_guard lock(starting_);
        if (running_.load() > number) return true;
        try {
            auto& worker = workers_[static_cast<std::size_t>(number)];
            if (!worker) worker = std::make_unique<Worker>();
            known_.store(std::max(known_.load(), number + 1));
            // Signals belong to the threads of the program: a worker inherits a full mask.
            sigset_t all, before;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before);
            const struct Restore {
                const sigset_t& mask;
                ~Restore() { pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
            } restore{before};
            std::thread(&Worker::serve, worker.get()).detach();
        } catch (const std::system_error&) {
            return false;
        } catch (const std::bad_alloc&) {
            return false;
        }
        running_.store(number + 1, std::memory_order_release);
        return true;
    }

    static constexpr int called_first = 3;

    std::array<std::unique_ptr<Worker>, thread_limit> workers_;
    std::atomic<int> known_{0}, running_{0};  // made; of those with a thread
    std::atomic<int> computing_{0};           // threads in calls
    ForkMutex starting_{96};
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

int free_threads() { return inside_parallel_for ? 1 : thread_count(); }

int last_participants() {
    if (participants_before == 1 || pool().awake(participants_before - 1)) return participants_before;
    woken_beside = woken_in_vain++ < most_woken_in_vain;
    if (woken_beside) pool().wake(participants_before - 1);
    return 1;
}

double worth_sharing_ns() {
    constexpr double least = 20'000;
    return pool().awake(thread_count() - 1) ? least : std::max(least, waking.ns());
}

void worked_alone() {
    if (!std::exchange(woken_beside, false)) participants_before = 1;
}

void set_thread_count(int count) { current_thread_count().store(std::clamp(count, 1, max_threads())); }

void oversubscribe(int count) { current_thread_count().store(std::clamp(count, 1, thread_limit)); }

void stay_awake(bool stay) { never_asleep.store(stay); }

namespace {

void share(std::int64_t n, std::int64_t grain, const FunctionRef<void()>* prepare, const Body& body) {
    if (n <= 0) return;
    if (prepare) (*prepare)();
    grain = std::max<std::int64_t>(grain, 1);
    const int participants = static_cast<int>(std::min<std::int64_t>(thread_count(), n / grain));
    if (participants <= 1 || inside_parallel_for) body(0, n, 0);
    else pool().run(n, grain, participants, prepare, body);
}

}  // namespace

void parallel_for(std::int64_t n, std::int64_t grain, Body body) { share(n, grain, nullptr, body); }
void parallel_for(std::int64_t n, std::int64_t grain, FunctionRef<void()> prepare, Body body) { share(n, grain, &prepare, body); }

}  // namespace asnumpy::cpu
