// CANN's end within a Python process.
#include "python/ending.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "ascend/library/cann.hpp"
#include "python/python.hpp"

namespace asnumpy::python {

namespace {

std::atomic<std::thread::id> ended_by{};  // the thread that ends the process; none before

void end() {
    ended_by.store(std::this_thread::get_id(), std::memory_order_release);
    const nb::gil_scoped_release released;
    ascend::shut_down();
}

}  // namespace

// Exit functions run while threads, libraries and other users of CANN still live, and in the reverse of their order: who
// started CANN after another one lets go of it before that one does.
int end_at_exit(void*) {
    static std::atomic<bool> done{false};
    if (done.exchange(true)) return 0;
    try {
        nb::module_::import_("atexit").attr("register")(nb::cpp_function(end));
    } catch (nb::python_error& e) {
        e.restore();
        return -1;
    }
    return 0;
}

void stop_after_the_end() {
    const std::thread::id ending = ended_by.load(std::memory_order_acquire);
    if (ending == std::thread::id{} || ending == std::this_thread::get_id()) return;
    const nb::gil_scoped_release released;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(24));
}

}  // namespace asnumpy::python
