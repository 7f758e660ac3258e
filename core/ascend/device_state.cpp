// The life of one device: its context, errors and loss, constants.
#include "ascend/device_state.hpp"

#include <array>

#include "base/error.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::size_t most_constants = 256, constant_bytes = 64;

constexpr std::array lost_codes{cann::ACL_ERROR_RT_LOST_HEARTBEAT, cann::ACL_ERROR_RT_DEVICE_MEM_ERROR, cann::ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR};

}  // namespace

DeviceState::DeviceState(int which)
    : index(which), name("ascend:" + std::to_string(which)), streams(*this), caller(*this), staging(*this), graphs(*this) {
    const Cann& c = cann();
    void* before = nullptr;
    if (c.aclrtGetCurrentContext(&before)) before = nullptr;  // this thread has none yet
    check(c.aclrtSetDevice(index), "aclrtSetDevice");
    try {
        check(c.aclrtGetCurrentContext(&context), "aclrtGetCurrentContext");
        streams.make(0, 0);
    } catch (...) {
        reset();
        if (before) c.aclrtSetCurrentContext(before);
        throw;
    }
    if (before && before != context) c.aclrtSetCurrentContext(before);
}

void DeviceState::expect_usable() const {
    if (ended()) [[unlikely]] throw DeviceFailure(name + ": " + why_not());
    if (lost_.load(std::memory_order_acquire)) [[unlikely]]
        throw DeviceFailure(name + " was lost: " + why_lost_.what() + "; its arrays are gone, other devices still work; start a new process to use it again",
                            why_lost_.function, why_lost_.code, why_lost_.message);
}

void DeviceState::fail(const std::string& what, int code) {
    try {
        ascend::fail(what, code);
    } catch (const DeviceFailure& failure) {
        for (const int lost : lost_codes) {
            if (code == lost) lose(failure);
        }
        throw;
    }
}

void DeviceState::lose(const DeviceFailure& why) {
    if (lost_.load(std::memory_order_relaxed)) return;
    why_lost_ = why;
    graphs.distrust();
    lost_.store(true, std::memory_order_release);
}

template <class Snapshot, class Wait> void DeviceState::wait(Snapshot&& snapshot, Wait&& wait) {
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

void DeviceState::synchronize() {
    wait([this] { return streams.snapshot_of_all(); }, [this] { return streams.synchronize(); });
}

void DeviceState::synchronize(StreamId one) {
    wait([&] { return streams.snapshot(one); }, [&] { return cann().aclrtSynchronizeStream(streams.handle(one)); });
}

void DeviceState::finish() noexcept {
    try {
        const OnDevice here(*this);
        streams.synchronize();  // what failed there comes again
    } catch (const std::exception&) {
        // A lost device has nothing to wait for.
    }
}

DeviceState::Key::Key(const Scalar& from) {
    value.dtype = from.dtype;
    std::copy_n(from.bytes.begin(), itemsize(from.dtype), value.bytes.begin());
}

std::size_t DeviceState::Hash::operator()(const Key& key) const {
    std::uint64_t h = static_cast<std::uint64_t>(key.value.dtype);
    for (std::size_t i = 0; i < 2; ++i) h = (h ^ reinterpret_cast<const std::uint64_t*>(key.value.bytes.data())[i]) * 0x9fb21c651e98df25u ^ h >> 29;
    return h;
}

std::optional<Tensor> DeviceState::known_constant(const Scalar& value) const {
    const auto found = constants_.find(Key(value));
    if (found == constants_.end()) return std::nullopt;
    return Tensor{found->second, value.dtype, {}, {}};
}

Tensor DeviceState::constant(const Scalar& value) {
    if (const auto known = known_constant(value)) return *known;
    if (!constant_memory_) {
        void* memory = nullptr;
        check(cann().aclrtMalloc(&memory, most_constants * constant_bytes, cann::ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        constant_memory_ = static_cast<char*>(memory);
    }
    if (constants_.size() >= most_constants) {
        graphs.drop_readers_of_constants();
        constants_.clear();  // what else reads the old values was enqueued before
    }
    char* const data = constant_memory_ + constants_.size() * constant_bytes;
    staging.upload(data, value.bytes.data(), sizeof value.bytes);
    constants_.emplace(Key(value), data);
    return {data, value.dtype, {}, {}};
}

void DeviceState::release() noexcept {
    const Cann& c = cann();
    if (c.aclrtSetCurrentContext(context)) return;
    streams.synchronize();
    graphs.release();
    caller.release();
    staging.release();
    constants_.clear();
    if (constant_memory_) c.aclrtFree(constant_memory_);
    constant_memory_ = nullptr;
    streams.release();
}

void DeviceState::reset() noexcept { cann().aclrtResetDevice(index); }

OnDevice::OnDevice(const DeviceState& device) : cann_(cann()) {
    void* current = nullptr;
    if (cann_.aclrtGetCurrentContext(&current)) current = nullptr;
    if (current == device.context) return;
    before_ = current;
    if (const int code = cann_.aclrtSetCurrentContext(device.context)) fail("aclrtSetCurrentContext for " + device.name, code);
}

}  // namespace asnumpy::ascend
