// The place in the user's program from which a thread runs what is recorded.
#pragma once

#include <atomic>
#include <utility>

namespace asnumpy {

struct Origin {
    const char* file = nullptr;  // lives as long as the process
    int line = 0;
};
inline constinit thread_local Origin origin_of_work;

// What this thread enqueues as long as the object lives comes from there.
class FromHere {
public:
    explicit FromHere(Origin here) : before_(std::exchange(origin_of_work, here)) {}
    ~FromHere() { origin_of_work = before_; }
    FromHere(const FromHere&) = delete;
    FromHere& operator=(const FromHere&) = delete;

private:
    Origin before_;
};

// Asking for an origin takes a tenth of the time of a small launch, so that it is done where there is a device whose work fails late, and such
// work has failed before or runs at its own line.
inline std::atomic<bool> work_fails_late{false}, work_has_failed{false};

}  // namespace asnumpy
