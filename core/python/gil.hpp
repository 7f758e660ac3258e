// The interpreter's lock: what the queue is told about it, and objects that are dropped later by a thread that holds it.
#pragma once

#include <functional>

#include "python/python.hpp"

namespace asnumpy::python {

// The interpreter has begun to end: only the thread that ends it may still ask for its lock.
bool interpreter_is_ending() noexcept;
[[noreturn]] void wait_for_process_end() noexcept;
void take_lock(PyThreadState*) noexcept;

// Runs the rest of the scope without the interpreter's lock.
class GilRelease {
public:
    GilRelease() : ending_thread_(interpreter_is_ending()), state_(PyEval_SaveThread()) {}
    ~GilRelease() {
        if (!ending_thread_ && interpreter_is_ending()) wait_for_process_end();
        take_lock(state_);
    }
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;

private:
    bool ending_thread_;
    PyThreadState* state_;
};

void install_host();  // gives the queue its interrupt check and the way to release the lock; handles fork

// Keeps work that needs the lock for run_deferred: a buffer may die under the queue's lock or on another thread.
void defer(std::function<void()>);
void run_deferred() noexcept;
bool anything_deferred() noexcept;

}  // namespace asnumpy::python
