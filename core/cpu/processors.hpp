// The processors that this process may use, and which of them a thread is kept off.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <optional>

namespace asnumpy::cpu {

// No machine gets more threads from us.
constexpr int thread_limit = 1024;

// How many the affinity mask and the control groups' quota allow; at least one.
int count_processors();

// Where the calling thread runs; -1 where the system does not say.
int current_processor();

// A set of processors. Those beyond the system's fixed mask are in none.
class Processors {
public:
    Processors() { CPU_ZERO(&set_); }
    bool has(int processor) const { return known(processor) && CPU_ISSET(static_cast<unsigned>(processor), &set_); }
    void add(int processor) {
        if (known(processor)) CPU_SET(static_cast<unsigned>(processor), &set_);
    }
    // Moves a thread of this process away from these, to any other that the calling thread may use; where there is no other, it
    // may run on all of them again. Tells where it goes if there is only one.
    std::optional<int> keep_off(pid_t thread) const;

private:
    static bool known(int processor) { return processor >= 0 && processor < CPU_SETSIZE; }
    cpu_set_t set_;
};

}  // namespace asnumpy::cpu
