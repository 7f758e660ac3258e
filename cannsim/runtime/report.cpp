// Messages, findings, planned faults and the call log.
#include "runtime/report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <new>

#include <pthread.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/immortal.hpp"
#include "runtime/config.hpp"
#include "runtime/device.hpp"
#include "runtime/model.hpp"

namespace cannsim {
namespace {

constexpr std::string_view fault_names[fault_count] = {
    "host_access", "host_pointer", "out_of_bounds", "misaligned", "use_after_free", "double_free", "free_in_use",
    "unordered_access", "missing_wait", "executor_misuse", "object_misuse", "not_contiguous", "overlap", "forked", "kernel", "leak",
};

struct PlannedFault {
    std::string function;
    std::uint64_t left;  // calls until it fails; 0: every call fails
    int code;
    bool lasting = false;
};

struct LogLine {
    const char* function;
    std::string arguments;
    int code;
    double started, ended, modelled;
    int thread;
};

struct Book {
    std::mutex mutex;
    std::vector<Finding> findings;
    std::vector<PlannedFault> planned, planned_tasks;
    std::deque<LogLine> log;
    std::atomic<std::uint64_t> lost{0};  // a bit per device
};
Book& book() {
    static asnumpy::Immortal<Book> instance;
    return *instance;
}

std::atomic<bool> forked{false};

// A call that fails while the process ends, after the thread's objects, leaves no text.
struct Messages {
    std::string last, shown;
    ~Messages();
};
thread_local Messages messages;
thread_local bool messages_gone = false;
Messages::~Messages() { messages_gone = true; }
thread_local int error_code = 0;

// The fault with which what has this name fails as planned; code 0: none.
TaskFault take_fault(std::vector<PlannedFault>& planned, std::string_view name) {
    const std::scoped_lock lock(book().mutex);
    for (auto fault = planned.begin(); fault != planned.end(); ++fault) {
        if (fault->function != name && fault->function != "*") continue;
        if (fault->left > 1) {
            --fault->left;
            continue;
        }
        const TaskFault found{fault->code, fault->lasting};
        if (fault->left == 1) planned.erase(fault);
        return found;
    }
    return {};
}

std::atomic<bool> task_faults{false}, task_failed{false};

int thread_number() {
    static std::atomic<int> next{0};
    thread_local const int number = next++;
    return number;
}

}  // namespace

namespace detail {

std::atomic<bool> watched{false};
thread_local const char* current_function = nullptr;

double clock() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int before(const char* function) {
    if (forked.load(std::memory_order_relaxed)) {
        const std::string what = "a child of fork() cannot use the CANN that its parent has started";
        note(Fault::forked, text(function, ": ", what));
        return failed(ACL_ERROR_RT_CONTEXT_NULL, text(function, ": ", what));
    }
    if (const int code = take_fault(book().planned, function).code) {
        const char* const known = code_name(code);
        return failed(code, text(function, ": fails as planned with ", code, known ? " (" : "", known ? known : "", known ? ")" : ""));
    }
    return 0;
}

void after(const char* function, std::initializer_list<Logged> arguments, int code, double started) {
    if (!config().log) return;
    std::string line;
    for (const Logged& one : arguments) {
        line += text(line.empty() ? "" : ",", quoted(one.name), ":");
        if (one.kind == Logged::Kind::integer) append(line, static_cast<std::int64_t>(one.value));
        else if (one.kind == Logged::Kind::text) line += quoted(one.text ? one.text : "");
        else line += text("\"", reinterpret_cast<const void*>(one.value), "\"");
    }
    const double modelled = model_now();
    Book& b = book();
    const std::scoped_lock lock(b.mutex);
    if (b.log.size() >= 1000000) b.log.pop_front();
    b.log.push_back({function, std::move(line), code, started, clock(), modelled, thread_number()});
}

int caught(const char* function) {
    try {
        throw;
    } catch (const Refusal& refusal) {
        return failed(refusal.code, text(function, ": ", refusal.message));
    } catch (const asnumpy::ValueError& error) {
        return failed(ACL_ERROR_INVALID_PARAM, text(function, ": ", error.what()));
    } catch (const std::bad_alloc&) {
        return failed(ACL_ERROR_BAD_ALLOC, text(function, ": the host has no memory left"));
    } catch (const std::exception& error) {
        return failed(ACL_ERROR_INTERNAL_ERROR, text(function, ": ", error.what()));
    }
}

}  // namespace detail

void watch_forks() {
    static const int registered = pthread_atfork(nullptr, nullptr, [] {
        forked = true;
        watch();
    });
    static_cast<void>(registered);
}

std::string_view name(Fault fault) { return fault_names[static_cast<int>(fault)]; }

void note(Fault fault, std::string what) {
    // A task that meets the rubbish of a planned fault, outside of any call, is no fault of the client's.
    if (fault == Fault::out_of_bounds && task_failed && !detail::current_function) return;
    const Finding found{fault, current_function(), std::move(what)};
    const std::string line = text("cannsim: ", name(fault), ": ", found.function, ": ", found.text, "\n");
    std::fputs(line.c_str(), stderr);
    if (!config().findings_path.empty()) {
        if (std::FILE* const file = std::fopen(config().findings_path.c_str(), "a")) {
            std::fputs(line.c_str(), file);
            std::fclose(file);
        }
    }
    if (config().strict == Strict::abort) std::abort();
    Book& b = book();
    const std::scoped_lock lock(b.mutex);
    if (b.findings.size() < 10000) b.findings.push_back(found);
}

void finding(Fault fault, std::string what, int code) {
    std::string shown_text = text(name(fault), ": ", what);
    note(fault, std::move(what));
    if (config().strict == Strict::error) throw Refusal{code, std::move(shown_text)};
}

std::vector<Finding> findings() {
    const std::scoped_lock lock(book().mutex);
    return book().findings;
}
void clear_findings() {
    const std::scoped_lock lock(book().mutex);
    book().findings.clear();
}

int failed(int code, std::string what) {
    const char* const known = code_name(code);
    error_code = code;
    if (messages_gone) return code;
    messages.last = text(what, " [", code, known ? " " : "", known ? known : "", "]");
    return code;
}
const char* recent_message() {
    if (messages_gone || messages.last.empty()) return nullptr;
    messages.shown = std::exchange(messages.last, {});
    return messages.shown.c_str();
}
int last_error(bool clear) { return clear ? std::exchange(error_code, 0) : error_code; }

void plan_fault(std::string function, std::uint64_t nth, int code) {
    watch();
    const std::scoped_lock lock(book().mutex);
    book().planned.push_back({std::move(function), nth, code});
}
void plan_task_fault(std::string name, std::uint64_t nth, int code, bool lasting) {
    const std::scoped_lock lock(book().mutex);
    book().planned_tasks.push_back({std::move(name), nth, code, lasting});
    task_faults = true;
}
TaskFault planned_task_fault(const char* name) {
    const TaskFault fault = task_faults.load(std::memory_order_relaxed) ? take_fault(book().planned_tasks, name) : TaskFault{};
    if (fault.code) task_failed = true;
    return fault;
}
void clear_faults() {
    const std::scoped_lock lock(book().mutex);
    book().planned.clear();
    book().planned_tasks.clear();
    task_faults = task_failed = false;
    book().lost = 0;
}
void lose_device(int device) {
    if (device < 0) book().lost = 0;
    else book().lost |= std::uint64_t{1} << device;
}
bool is_lost(int device) { return book().lost.load(std::memory_order_relaxed) >> device & 1; }

std::string log_json() {
    const std::scoped_lock lock(book().mutex);
    std::string result = "[";
    for (const LogLine& line : book().log) {
        char times[160];
        std::snprintf(times, sizeof times, "\"code\":%d,\"start\":%.9f,\"end\":%.9f,\"modelled\":%.9f,\"thread\":%d}", line.code, line.started,
                      line.ended, line.modelled, line.thread);
        result += text(result.size() > 1 ? ",\n" : "", "{\"function\":", quoted(line.function), ",\"arguments\":{", line.arguments, "},", times);
    }
    return result + "]";
}
void clear_log() {
    const std::scoped_lock lock(book().mutex);
    book().log.clear();
}

std::string quoted(std::string_view raw) {
    std::string result = "\"";
    for (const char c : raw) {
        if (c == '"' || c == '\\') result += '\\';
        if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            result += escape;
        } else {
            result += c;
        }
    }
    return result + "\"";
}

}  // namespace cannsim
