// The constants that a device keeps, and its end.
#include "ascend/launch/device_state.hpp"

#include <algorithm>

namespace asnumpy::ascend {
namespace {

constexpr std::size_t most_constants = 256, constant_bytes = 64;

}  // namespace

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
    if (found == constants_.end() || damage.find(found->second, constant_bytes)) return std::nullopt;
    return Tensor{found->second, value.dtype, {}, {}};
}

void DeviceState::make_room_for_constants(std::size_t count) {
    if (constants_.size() + count <= most_constants) return;
    graphs.drop_readers_of_constants();
    constants_.clear();  // what else reads the old values was enqueued before
}

Tensor DeviceState::constant(const Scalar& value) {
    if (const auto known = known_constant(value)) return *known;
    if (const auto damaged = constants_.find(Key(value)); damaged != constants_.end()) {
        staging.upload(damaged->second, value.bytes.data(), sizeof value.bytes);
        return {damaged->second, value.dtype, {}, {}};
    }
    if (!constant_memory_) {
        void* memory = nullptr;
        check(cann().aclrtMalloc(&memory, most_constants * constant_bytes, cann::ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        constant_memory_ = static_cast<char*>(memory);
    }
    if (constants_.size() >= most_constants) throw RuntimeFailure(name + ": one call reads more than " + std::to_string(most_constants) + " numbers from its memory");
    char* const data = constant_memory_ + constants_.size() * constant_bytes;
    staging.upload(data, value.bytes.data(), sizeof value.bytes);
    constants_.emplace(Key(value), data);
    return {data, value.dtype, {}, {}};
}

bool DeviceState::constants_damaged() const { return constant_memory_ && damage.find(constant_memory_, most_constants * constant_bytes); }

void DeviceState::release() noexcept {
    const Cann& c = cann();
    if (c.aclrtSetCurrentContext(context)) return;
    finish();
    graphs.release();
    caller.release();
    staging.release();
    constants_.clear();
    if (constant_memory_) c.aclrtFree(constant_memory_);
    constant_memory_ = nullptr;
    streams.release();
}

}  // namespace asnumpy::ascend
