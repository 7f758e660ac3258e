// The interpreter's lock: what the queue is told about it, and objects that are dropped later by a thread that holds it. Where there is none
// (python/shared.hpp), to hold it means to be attached to the interpreter, which waits for such threads before it stops them all.
#include "python/gil.hpp"

#include <pthread.h>
#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"
#include "python/hooks.hpp"
#include "python/origin.hpp"
#include "runtime/queue.hpp"

namespace asnumpy::python {

namespace {

struct Deferred {
    ForkMutex mutex{94};
    std::vector<std::function<void()>> work;
};

Deferred& deferred() {
    static Immortal<Deferred> value;  // buffers may die while the process ends
    return *value;
}

std::atomic<bool> waiting{false};

void check_interrupt() {
    if (interpreter_is_ending()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool interrupted = PyErr_CheckSignals() != 0;
    PyGILState_Release(state);
    if (interrupted) throw Interrupted("asnumpy: interrupted");
}

void run_without_lock(const std::function<void()>& body) {
    if (!PyGILState_Check()) return body();
    const GilRelease released;
    body();
}

void warn(const std::string& text) {
    if (!PyGILState_Check()) return;  // nobody to tell
    const nb::object message = owned(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
    Py_DECREF(call_hook(&Hooks::report, "report", message.ptr()));
}

// wait: the caller has given the interpreter's lock away, and gets it back when the code is there. What a handler of a signal raises
// meanwhile is the program's.
void compile(bool wait) {
    if (interpreter_is_ending() || !hooks.compile || (!wait && !PyGILState_Check())) return;
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject* const result = PyObject_CallOneArg(hooks.compile, wait ? Py_True : Py_False);
    Py_XDECREF(result);
    const bool failed = !result && wait && !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    if (failed) PyErr_WriteUnraisable(hooks.compile);  // the program goes on without code
    PyGILState_Release(held);
    if (!result && !failed) throw Interrupted("asnumpy: interrupted");
}

int run_pending(void*) {
    run_deferred();
    return 0;
}

}  // namespace

bool interpreter_is_ending() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing() != 0;
#else
    return _Py_IsFinalizing() != 0;
#endif
}

void wait_for_process_end() noexcept {
    for (;;) pause();
}

// CPython before 3.14 unwinds a thread that waits for the lock when the interpreter begins to end. Code above may hold
// what must not be unwound, so the thread stays here, as later versions let it.
void take_lock(PyThreadState* state) noexcept {
    try {
        PyEval_RestoreThread(state);
    } catch (abi::__forced_unwind&) {
        wait_for_process_end();
    }
}

void install_host() {
    set_host({check_interrupt, run_without_lock, warn, compile, origin});
}

void defer(std::function<void()> work) {
    {
        const std::lock_guard lock(deferred().mutex);
        deferred().work.push_back(std::move(work));
    }
    // Nobody who holds the lock may come by soon: let the interpreter's main loop do it.
    if (!waiting.exchange(true) && Py_IsInitialized() && !PyGILState_Check()) Py_AddPendingCall(run_pending, nullptr);
}

bool anything_deferred() noexcept { return waiting.load(std::memory_order_relaxed); }

void run_deferred() noexcept {
    if (!Py_IsInitialized() || !PyGILState_Check()) return;
    std::vector<std::function<void()>> work;
    {
        const std::lock_guard lock(deferred().mutex);
        waiting.store(false);
        work.swap(deferred().work);
    }
    for (const auto& each : work) each();
}

}  // namespace asnumpy::python
