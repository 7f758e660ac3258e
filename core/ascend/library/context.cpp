// The life of one device: its context, errors and loss, and waiting for it.
#include "ascend/library/context.hpp"

#include <array>
#include <sstream>

#include "ascend/library/options.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::array lost_codes{cann::ACL_ERROR_RT_LOST_HEARTBEAT, cann::ACL_ERROR_RT_DEVICE_MEM_ERROR, cann::ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR};

}  // namespace

Context::Context(int which) : index(which), name("ascend:" + std::to_string(which)), streams(*this) {
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

void Context::fail(const std::string& what, int code) {
    try {
        ascend::fail(what, code);
    } catch (const DeviceFailure& failure) {
        for (const int lost : lost_codes) {
            if (code == lost) lose(failure);
        }
        if (!gave_up(code)) throw;
        std::ostringstream text;
        text << failure.what() << "; it was waited for " << wait_limit()
             << " s (asnumpy.config.timeout); the work goes on: wait again, allow more, or end the process";
        throw DeviceFailure(text.str(), failure.function, code, failure.message);
    }
}

void Context::lose(const DeviceFailure& why) {
    if (lost_.load(std::memory_order_relaxed)) return;
    why_lost_ = why;
    lost_.store(true, std::memory_order_release);
}

template <class Snapshot, class Wait> void Context::wait(Snapshot&& snapshot, Wait&& wait) {
    expect_usable();
    Clock before;
    {
        const std::lock_guard lock(mutex);
        before = snapshot();
    }
    {
        const OnDevice here(*this);
        check(wait(), "aclrtSynchronizeStream");
    }
    if (before.empty()) return;
    const std::lock_guard lock(mutex);
    streams.has_ended(before);
}

void Context::synchronize() {
    wait([this] { return streams.snapshot_of_all(); }, [this] { return streams.synchronize(synchronize_stream); });
}

void Context::synchronize(StreamId one) {
    wait([&] { return streams.snapshot(one); }, [&] { return synchronize_stream(streams.handle(one)); });
}

void Context::finish() noexcept {
    try {
        const OnDevice here(*this);
        streams.synchronize(cann().aclrtSynchronizeStream);  // without a limit; what failed there comes again
    } catch (const std::exception&) {
        // A lost device has nothing to wait for.
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
