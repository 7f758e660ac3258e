// Refusals, the messages and codes a thread can ask for, findings, and the frame around every entry point.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/abi.hpp"
#include "runtime/text.hpp"

namespace cannsim {

// Thrown where a call is refused; the entry point turns it into the code and the thread's message.
struct Refusal {
    int code;
    std::string message;
};

// The faults that the simulator looks for; the names are those of the report.
enum class Fault : std::uint8_t {
    host_access,       // the host read or wrote device memory
    host_pointer,      // an operator or copy got a host pointer where device memory belongs
    out_of_bounds,     // a view or copy passes the end of its allocation
    misaligned,        // a tensor's address is not a multiple of 32
    use_after_free,
    double_free,
    free_in_use,       // memory was freed while queued work that uses it had not been waited for
    unordered_access,  // two streams use one range, one of them writing, and no event orders them
    missing_wait,      // the host reads or writes memory that queued work still may write or read
    executor_misuse,   // phase two twice, of another operator, of a destroyed executor
    object_misuse,     // a destroyed or invalid handle
    not_contiguous,    // strides where the documents ask for none
    overlap,           // an output that shares memory with itself or partly with an input
    forked,            // a call in a child of fork of a process that had started CANN
    kernel,            // what strict Ascend C found in a kernel, or a kernel that crashed or did not end
    leak,              // memory, streams, events, executors left when the process ends or finalizes
};
inline constexpr int fault_count = 16;
std::string_view name(Fault);

struct Finding {
    Fault fault;
    std::string function;
    std::string text;
};

// Notes the finding. CANNSIM_STRICT=abort ends the process, `error` throws Refusal{code}, `log` returns.
void finding(Fault, std::string text, int code = ACL_ERROR_INVALID_PARAM);
// The same, but never throws: for destructors, signal handlers' followers and calls that must go on.
void note(Fault, std::string text);
std::vector<Finding> findings();
void clear_findings();

// The thread's message and code (aclGetRecentErrMsg, aclrtGetLastError).
int failed(int code, std::string message);
const char* recent_message();  // clears it
int last_error(bool clear);

// One value of the call log.
struct Logged {
    const char* name;
    enum class Kind : std::uint8_t { integer, address, text } kind;
    std::uint64_t value = 0;
    const char* text = nullptr;
    Logged(const char* n, const void* p) : name(n), kind(Kind::address), value(reinterpret_cast<std::uintptr_t>(p)) {}
    Logged(const char* n, const char* s) : name(n), kind(Kind::text), text(s) {}
    template <class T> requires std::is_integral_v<T>
    Logged(const char* n, T v) : name(n), kind(Kind::integer), value(static_cast<std::uint64_t>(static_cast<std::int64_t>(v))) {}
};

namespace detail {
extern std::atomic<bool> watched;  // a fault is planned, a device is lost, or the log is on: the slow way
int before(const char* function);  // 0, or the code with which the call must fail
void after(const char* function, std::initializer_list<Logged>, int code, double started);
double clock();
extern thread_local const char* current_function;
int caught(const char* function);  // of the exception in flight
}  // namespace detail

// From now on every child of fork of this process has its calls refused.
void watch_forks();
inline void watch() { detail::watched.store(true, std::memory_order_relaxed); }

// The frame around an entry point: planned faults, the log, refusals.
template <class Body> int entry(const char* function, std::initializer_list<Logged> arguments, Body&& body) {
    const char* const outer = std::exchange(detail::current_function, function);
    const bool slow = detail::watched.load(std::memory_order_relaxed);
    const double started = slow ? detail::clock() : 0;
    int code = slow ? detail::before(function) : 0;
    if (code == 0) {
        try {
            code = body();
        } catch (...) {
            code = detail::caught(function);
        }
    }
    if (slow) detail::after(function, arguments, code, started);
    detail::current_function = outer;
    return code;
}

// The same for an entry point that returns a new object, null where it is refused.
template <class T, class Body> T* making(const char* function, Body&& body) {
    std::unique_ptr<T> made;
    entry(function, {}, [&] {
        made = body();
        return 0;
    });
    return made.release();
}

// The name of the entry point that this thread is in.
inline const char* current_function() { return detail::current_function ? detail::current_function : "cannsim"; }


// --- faults on demand and the call log ---------------------------------------------------------------------------
void plan_fault(std::string function, std::uint64_t nth, int code);  // nth from now, 1: the next; 0: every call
// The nth task from now that uses memory and has this name ("*": any) fails with the code when it runs, and leaves rubbish. 0: each one.
// Lasting: it breaks its stream, which runs nothing any more and tells the code at every wait.
struct TaskFault {
    int code = 0;  // 0: none
    bool lasting = false;
};
void plan_task_fault(std::string name, std::uint64_t nth, int code, bool lasting);
TaskFault planned_task_fault(const char* name);  // of a task that is about to run
void clear_faults();
void lose_device(int device);  // every later call on it fails; -1: none is lost any more
bool is_lost(int device);
std::string log_json();
void clear_log();

}  // namespace cannsim

