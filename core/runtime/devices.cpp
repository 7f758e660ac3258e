// The registry of devices. Backends are asked only when somebody wants to know.
#include "runtime/devices.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <utility>

#include "ascend/backend.hpp"
#include "ascend/library/cann.hpp"
#include "base/documentation.hpp"
#include "base/error.hpp"
#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"
#include "cpu/backend.hpp"
#include "runtime/queue.hpp"

namespace asnumpy {

namespace {

constexpr std::string_view cpu_name = "cpu", ascend_name = "ascend";

struct Registry {
    ForkMutex mutex{92};
    std::vector<Pool*> used;
    std::string wanted, origin;  // of the default device, until it is needed
    std::uint64_t limit = 0;
};

Registry& registry() {
    static Immortal<Registry> r;
    return *r;
}

std::atomic<Pool*> process_pool{nullptr};
thread_local Pool* thread_pool = nullptr;

Pool& note_use(Pool& pool) {
    const std::lock_guard lock(registry().mutex);
    std::vector<Pool*>& used = registry().used;
    if (std::find(used.begin(), used.end(), &pool) == used.end()) used.push_back(&pool);
    return pool;
}

}  // namespace

Device parse_device(std::string_view text) {
    if (text == cpu_name || text == "cpu:0") return {};
    const std::string_view name = text.substr(0, text.find(':'));
    if (name == ascend_name || name == "npu") {  // as PyTorch and MindSpore call them
        std::string_view rest = text.substr(name.size());
        if (rest.empty()) return {Device::Kind::ascend, 0};
        int index = 0;
        if (rest.starts_with(':')) {
            rest.remove_prefix(1);
            const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
            if (error == std::errc() && end == rest.data() + rest.size() && index >= 0) return {Device::Kind::ascend, index};
        }
    }
    throw ValueError("Device not understood: expected \"cpu\", \"ascend\" or \"ascend:N\", got \"" + std::string(text) + "\"");
}

std::string to_string(Device device) {
    if (device.kind == Device::Kind::cpu) return std::string(cpu_name);
    return std::string(ascend_name) + ":" + std::to_string(device.index);
}

std::vector<Device> devices() {
    std::vector<Device> all{{}};
    for (int i = 0; i < ascend::device_count(); ++i) all.push_back({Device::Kind::ascend, i});
    return all;
}

Pool& cpu_pool() {
    static Immortal<Pool> pool(cpu::cpu_backend(), Pool::Freed::of_threads);
    return *pool;
}

Pool& pool_of(Device device) {
    if (device.kind == Device::Kind::cpu) return cpu_pool();
    const int count = ascend::device_count();
    if (count == 0)
        throw DeviceFailure("device " + to_string(device) + " cannot be used: " + ascend::why_not() + "; arrays of \"cpu\" need none of it" + see(Explained::missing_cann));
    if (device.index >= count)
        throw ValueError("device " + to_string(device) + " does not exist: there " + (count == 1 ? "is 1 Ascend device" : "are " + std::to_string(count) + " Ascend devices") +
                         ", ascend:0" + (count == 1 ? "" : " to ascend:" + std::to_string(count - 1)));
    return note_use(ascend::pool(device.index));
}

Device device_of(const Pool& pool) { return parse_device(pool.backend().name()); }

bool several_devices() noexcept { return !process_pool.load(std::memory_order_acquire) || ascend::in_use(); }

std::vector<Pool*> pools_in_use() {
    const std::lock_guard lock(registry().mutex);
    std::vector<Pool*> all = registry().used;
    all.push_back(&cpu_pool());
    return all;
}

namespace {

// The device that was named in advance; null: none was.
Pool* wanted_pool() {
    std::string name, origin;
    {
        const std::lock_guard lock(registry().mutex);
        name = registry().wanted, origin = registry().origin;
    }
    if (name.empty()) return nullptr;
    try {
        return &pool_of(parse_device(name));
    } catch (const DeviceFailure& e) {
        throw DeviceFailure(origin + ": " + e.what(), e.function, e.code, e.message);
    } catch (const ValueError& e) {
        throw ValueError(origin + ": " + e.what());
    }
}

std::uint64_t wanted_limit() {
    const std::lock_guard lock(registry().mutex);
    return registry().limit;
}

}  // namespace

void set_default_device_later(std::string name, std::string origin) {
    const std::lock_guard lock(registry().mutex);
    registry().wanted = std::move(name), registry().origin = std::move(origin);
}

void limit_default_device_later(std::uint64_t bytes) {
    const std::lock_guard lock(registry().mutex);
    registry().limit = bytes;
}

Pool& default_pool() {
    if (thread_pool) return *thread_pool;
    if (Pool* pool = process_pool.load(std::memory_order_acquire)) return *pool;
    Pool* const wanted = wanted_pool();
    // A child of fork chooses as its parent would have, and is refused: whether that one had asked before makes no difference.
    const bool has_device = ascend::device_count() > 0 || (ascend::ended() && ascend::in_use());
    Pool& chosen = wanted ? *wanted : has_device ? pool_of({Device::Kind::ascend, 0}) : cpu_pool();
    if (const std::uint64_t limit = wanted_limit()) chosen.set_limit(limit);
    Pool* none = nullptr;
    const bool first = process_pool.compare_exchange_strong(none, &chosen, std::memory_order_acq_rel);
    if (first && !wanted && &chosen == &cpu_pool() && ascend::wanted() && !ascend::ended())
        report("new arrays are made on the cpu: " + ascend::why_not() + "; ASNUMPY_DEVICE=cpu chooses this without a word");
    if (first && ascend::in_use())
        for (const std::string& doubt : ascend::search().doubts) report(doubt);
    return *process_pool.load(std::memory_order_acquire);
}

void set_default_device(Device device) { process_pool.store(&pool_of(device), std::memory_order_release); }

Pool* exchange_thread_pool(Pool* pool) { return std::exchange(thread_pool, pool); }

}  // namespace asnumpy
