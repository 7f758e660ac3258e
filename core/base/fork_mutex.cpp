// The registry of fork-safe mutexes and the handlers that take and give them back around a fork.
#include "base/fork_mutex.hpp"

#include <pthread.h>

#include <algorithm>
#include <vector>

#include "base/immortal.hpp"

namespace asnumpy {
namespace {

struct Registry {
    std::mutex mutex;
    std::vector<ForkMutex*> all;  // ascending rank

    Registry();
};

Registry& registry() {
    static Immortal<Registry> r;
    return *r;
}

void before_fork() {
    registry().mutex.lock();
    for (ForkMutex* m : registry().all) m->lock();
}

void after_fork() {
    auto& all = registry().all;
    std::for_each(all.rbegin(), all.rend(), [](ForkMutex* m) { m->unlock(); });
    registry().mutex.unlock();
}

Registry::Registry() { pthread_atfork(before_fork, after_fork, after_fork); }

}  // namespace

ForkMutex::ForkMutex(int rank) : rank_(rank) {
    Registry& r = registry();
    std::lock_guard guard(r.mutex);
    r.all.insert(std::upper_bound(r.all.begin(), r.all.end(), rank,
                                  [](int value, const ForkMutex* m) { return value < m->rank(); }), this);
}

ForkMutex::~ForkMutex() {
    Registry& r = registry();
    std::lock_guard guard(r.mutex);
    std::erase(r.all, this);
}

}  // namespace asnumpy
