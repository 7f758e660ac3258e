// The threads that share large loops.
#include "aclnn/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

#include "base/immortal.hpp"
#include "runtime/config.hpp"

namespace cannsim {
namespace {

using LoopPart = std::function<void(std::int64_t, std::int64_t)>;

// One loop; whoever has time takes the next piece.
struct SharedLoop {
    const LoopPart* part;
    std::int64_t size, piece;
    std::int64_t next = 0, done = 0;  // under the pool's mutex
};

struct ThreadPool {
    std::mutex mutex;
    std::condition_variable work, finished;
    SharedLoop* current = nullptr;
    int threads = 0, process = 0;

    // Takes pieces until none is left; the lock is held outside the pieces.
    void help(std::unique_lock<std::mutex>& lock, SharedLoop& loop) {
        while (loop.next < loop.size) {
            const std::int64_t first = loop.next, last = std::min(loop.size, first + loop.piece);
            loop.next = last;
            lock.unlock();
            (*loop.part)(first, last);
            lock.lock();
            loop.done += last - first;
        }
        if (loop.done == loop.size) finished.notify_all();
    }

    void serve() {
        std::unique_lock lock(mutex);
        while (true) {
            work.wait(lock, [&] { return current && current->next < current->size; });
            help(lock, *current);
        }
    }
};
ThreadPool& pool() {
    static asnumpy::Immortal<ThreadPool> instance;
    return *instance;
}

int wanted_threads() {
    static const int of_the_machine = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 16);
    const int set = config().threads;
    return set ? set : of_the_machine;
}

}  // namespace

void parallel(std::int64_t size, std::int64_t grain, std::int64_t smallest, const LoopPart& part) {
    if (size < smallest || wanted_threads() == 1) return part(0, size);
    ThreadPool& p = pool();
    std::unique_lock lock(p.mutex, std::try_to_lock);
    if (!lock || p.current) {  // another stream has the threads
        if (lock) lock.unlock();
        return part(0, size);
    }
    if (p.process != getpid()) {  // a forked child has none of them
        p.process = getpid();
        p.threads = 0;
    }
    for (; p.threads < wanted_threads() - 1; ++p.threads) std::thread([&p] { p.serve(); }).detach();
    const std::int64_t pieces = wanted_threads() * 4;
    SharedLoop loop{&part, size, ((size + pieces - 1) / pieces + grain - 1) / grain * grain};
    p.current = &loop;
    p.work.notify_all();
    p.help(lock, loop);
    p.finished.wait(lock, [&] { return loop.done == loop.size; });
    p.current = nullptr;
}

}  // namespace cannsim
