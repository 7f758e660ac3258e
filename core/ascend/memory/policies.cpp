// A pool for each policy that somebody asked for.
#include "ascend/memory/policies.hpp"

namespace asnumpy::ascend {

// The device, as a pool sees it whose memory is allocated by one policy.
struct PolicyPools::Source final : Backend {
    Source(PolicyBackend& of, int by, Pool& arrays) : device(of), policy(by), pool(*this, arrays) {}

    std::string name() const override { return device.name(); }
    bool host_visible() const override { return device.host_visible(); }
    std::size_t padding() const override { return device.padding(); }
    void* allocate(std::size_t bytes) override { return device.allocate(bytes, policy); }
    void release(void* data, std::size_t bytes) noexcept override { device.release(data, bytes); }
    std::size_t total_memory() const override { return device.total_memory(); }
    std::size_t available_memory() const override { return device.available_memory(); }
    std::unique_ptr<Executable> compile(const Program& program) override { return device.compile(program); }
    void run(const StructuredCall& call) override { device.run(call); }
    Damage* damage() override { return device.damage(); }

    PolicyBackend& device;
    int policy;
    Pool pool;
};

PolicyPools::PolicyPools(PolicyBackend& device) : device_(device) {}
PolicyPools::~PolicyPools() = default;

Pool& PolicyPools::pool(int policy, Pool& arrays) {
    const std::lock_guard lock(mutex_);
    auto& source = sources_[policy];
    if (!source) source = std::make_unique<Source>(device_, policy, arrays);
    return source->pool;
}

void PolicyPools::free_all_blocks() noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto& [policy, source] : sources_) source->pool.free_all_blocks();
}

}  // namespace asnumpy::ascend
