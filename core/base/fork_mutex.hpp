// A mutex that a forked child finds unlocked and its data whole, whichever thread held it at the fork.
#pragma once

#include <mutex>

namespace asnumpy {

// Before a fork all of these are taken, in ascending order of rank; code that holds one may only take higher ranks.
class ForkMutex {
public:
    explicit ForkMutex(int rank);
    ~ForkMutex();
    ForkMutex(const ForkMutex&) = delete;
    ForkMutex& operator=(const ForkMutex&) = delete;
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    int rank() const { return rank_; }

private:
    std::mutex mutex_;
    int rank_;
};

}  // namespace asnumpy
