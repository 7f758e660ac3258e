// The life of one device: its context, errors and loss, and waiting for it.
#include "ascend/library/context.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <sstream>

#include "ascend/library/options.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::array lost_codes{cann::ACL_ERROR_RT_LOST_HEARTBEAT, cann::ACL_ERROR_RT_DEVICE_MEM_ERROR, cann::ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR};

// Whether a wait tells by the code that work has failed which was enqueued before: those of the device and its driver, but for the ones that say how
// things stand and that the wait gave up.
bool work_failed(int code) {
    constexpr std::array aborted{cann::ACL_ERROR_RT_TASK_TIMEOUT, cann::ACL_ERROR_RT_DEVICE_TASK_ABORT, cann::ACL_ERROR_RT_STREAM_ABORT, cann::ACL_ERROR_RT_TASK_ABORT_STOP};
    if (std::ranges::find(aborted, code) != aborted.end()) return true;
    constexpr int first = cann::ACL_ERROR_RT_INTERNAL_ERROR, last = first + 999;
    const bool tells = code >= cann::ACL_ERROR_RT_STREAM_TASK_FULL && code <= cann::ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT;
    return code >= first && code <= last && !tells && !gave_up(code) && code != cann::ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
}

// Whether any other call does: its own failure may be one of the driver's, but none of a core's.
bool core_failed(int code) {
    const auto within = [code](int first, int last) { return code >= first && code <= last; };
    return within(cann::ACL_ERROR_RT_AICORE_TIMEOUT, cann::ACL_ERROR_RT_AICPU_EXCEPTION) ||
           within(cann::ACL_ERROR_RT_VECTOR_CORE_TIMEOUT, cann::ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION) ||
           within(cann::ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW, cann::ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW) ||
           within(cann::ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, cann::ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION);
}

}  // namespace

Context::Context(int which) : index(which), name("ascend:" + std::to_string(which)), streams(*this), damage(name) {
    const Cann& c = cann();
    void* before = nullptr;
    if (c.aclrtGetCurrentContext(&before)) before = nullptr;  // this thread has none yet
    check(c.aclrtSetDevice(index), "aclrtSetDevice");
    try {
        check(c.aclrtGetCurrentContext(&context), "aclrtGetCurrentContext");
        apply_wait_limit();
        apply_deterministic();
        streams.make(0, 0);
    } catch (...) {
        reset();
        if (before) c.aclrtSetCurrentContext(before);
        throw;
    }
    if (before && before != context) c.aclrtSetCurrentContext(before);
}

void Context::expect_usable() const {
    if (ended()) [[unlikely]] throw DeviceFailure(name + ": " + why_not());
    if (lost_.load(std::memory_order_acquire)) [[unlikely]]
        throw DeviceFailure(name + " was lost: " + why_lost_.what() + "; its arrays are gone, other devices still work; start a new process to use it again",
                            why_lost_.function, why_lost_.code, why_lost_.message);
}

void expect_not_capturing() {
    if (capturing) [[unlikely]] throw RuntimeFailure("a graph cannot hold what is enqueued by itself");
}

void Context::fail(const std::string& what, int code) { fail(what, code, nullptr); }

void Context::fail(const std::string& what, int code, const StreamId* stream) {
    try {
        ascend::fail(what, code);
    } catch (const DeviceFailure& failure) {
        learn(failure, stream);
        if (!gave_up(code)) throw;
        std::ostringstream text;
        text << failure.what() << "; it was waited for " << wait_limit()
             << " s (asnumpy.config.timeout); the work goes on: wait again, allow more, or end the process";
        throw DeviceFailure(text.str(), failure.function, code, failure.message);
    }
}

void Context::learn(const DeviceFailure& failure, const StreamId* stream) {
    for (const int lost : lost_codes)
        if (failure.code == lost) lose(failure);
    const bool by_wait = stream || failure.function.starts_with("aclrtSynchronize");
    if (!usable() || !(by_wait ? work_failed(failure.code) : core_failed(failure.code))) return;
    Failure told;
    try {
        told = stream ? damage.fail(*stream, failure) : damage.fail(failure);
    } catch (const std::bad_alloc&) {  // CANN does not tell it again
        lose(failure);
        throw;
    }
    throw DeviceFailure(*told);
}

void Context::lose(const DeviceFailure& why) {
    if (lost_.load(std::memory_order_relaxed)) return;
    why_lost_ = why;
    lost_.store(true, std::memory_order_release);
}

void Context::await(std::span<const Point> points, int (*wait)(void*)) {
    std::exception_ptr first;
    for (const Point& point : points) {
        const Turns::Turn turn(streams.turns, point.stream, std::chrono::milliseconds(wait == synchronize_stream ? wait_milliseconds() : 0));
        void* const stream = streams.handle(point.stream);
        if (!stream) continue;
        const int code = turn.had() ? wait(stream) : cann::ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
        if (!code) continue;
        try {
            fail("aclrtSynchronizeStream", code, &point.stream);
        } catch (const DeviceFailure& failure) {
            if (!first) first = std::current_exception();
            if (usable() && work_failed(code)) expect_working(point.stream, wait, failure);
        }
    }
    if (first) std::rethrow_exception(first);
    damage.settle(points);
    for (const Point& point : points) streams.has_worked(point.stream);
}

// A stream that tells its failure again has nothing to run it with any more; where the next one does so at once, the device is lost.
void Context::expect_working(StreamId stream, int (*wait)(void*), const DeviceFailure& why) {
    const int code = wait(streams.handle(stream));
    if (!work_failed(code)) return;
    if (!damage.settled(stream)) {  // others have enqueued work meanwhile
        try {
            fail("aclrtSynchronizeStream", code, &stream);
        } catch (const DeviceFailure&) {
            // Who wants what it wrote is told.
        }
    }
    if (!streams.give_up(stream)) lose(why);
}

std::vector<Point> Context::all_streams() const {
    std::vector<Point> all;
    for (unsigned s = 0; s < streams.count(); ++s) all.push_back(damage.now(static_cast<StreamId>(s)));
    return all;
}

void Context::await(StreamId stream) { await(damage.behind(stream), synchronize_stream); }
void Context::await_all() { await(all_streams(), cann().aclrtSynchronizeStream); }

template <class Snapshot, class Points> void Context::wait(Snapshot&& snapshot, Points&& points) {
    expect_usable();
    Clock before;
    std::vector<Point> awaited;
    {
        const std::lock_guard lock(mutex);
        before = snapshot();
        awaited = points();
    }
    {
        const OnDevice here(*this);
        try {
            await(awaited, synchronize_stream);
        } catch (const DeviceFailure& failure) {
            damage.forget_put_off(awaited, failure);
            throw;
        }
    }
    if (const Failure failure = damage.take_put_off(awaited)) throw DeviceFailure(*failure);
    if (before.empty()) return;
    const std::lock_guard lock(mutex);
    streams.has_ended(before);
}

void Context::synchronize() {
    wait([this] { return streams.snapshot_of_all(); }, [this] { return all_streams(); });
}

void Context::synchronize(StreamId one) {
    wait([&] { return streams.snapshot(one); }, [&] { return damage.behind(one); });
}

template <class Wait> void Context::finish_by(Wait&& wait) noexcept {
    try {
        wait();
    } catch (const DeviceFailure& failure) {
        if (!usable()) return;  // a lost device has nothing to wait for
        damage.put_off(failure);
    } catch (const std::bad_alloc&) {
        // Where nothing can be marked, the device is lost.
    }
}

void Context::finish() noexcept {
    finish_by([this] {
        const OnDevice here(*this);
        await_all();
    });
}

void Context::finish(StreamId stream) noexcept {
    finish_by([&] { await(damage.behind(stream), cann().aclrtSynchronizeStream); });
}

void Context::tell_put_off() {
    if (const Failure failure = damage.take_put_off(all_streams())) throw DeviceFailure(*failure);
}

void Context::tell_of_copies(StreamId stream) {
    if (damage.copies_to_host(stream)) synchronize(stream);
}

void Context::read(const void* data, std::size_t bytes, FunctionRef<void()> fetch) {
    expect_usable();
    constexpr int most_tries = 3;  // the copy itself may have failed
    for (int tried = 1;; ++tried) {
        damage.expect_whole(data, bytes);
        try {
            fetch();
            return damage.expect_whole(data, bytes);  // another thread may have been told of its failure
        } catch (const DeviceFailure& failure) {
            const bool by_wait = failure.function.starts_with("aclrtSynchronize");  // what was asked for now may be none of it
            if (!usable() || !by_wait || !damage.told(failure) || tried == most_tries) throw;
            damage.expect_whole(data, bytes);
            damage.put_off(failure);
        }
    }
}

void Context::reset() noexcept { cann().aclrtResetDevice(index); }

OnDevice::OnDevice(const Context& device) : cann_(cann()) {
    void* current = nullptr;
    if (cann_.aclrtGetCurrentContext(&current)) current = nullptr;
    if (current == device.context) return;
    before_ = current;
    if (const int code = cann_.aclrtSetCurrentContext(device.context)) fail("aclrtSetCurrentContext for " + device.name, code);
}

}  // namespace asnumpy::ascend
