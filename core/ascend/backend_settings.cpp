// What is set and asked for all devices at once.
#include "ascend/backend.hpp"
#include "ascend/launch/device_state.hpp"
#include "ascend/library/options.hpp"

namespace asnumpy::ascend {
namespace {

// Sets an option and tells the devices; where one of them fails it is as it was before.
template <class Value> void set_and_tell(Value (*get)(), void (*set)(Value), Value value, void (*tell)(DeviceState&)) {
    const Value before = get();
    set(value);
    try {
        for_each_used([&](DeviceState& device) {
            if (device.usable()) tell(device);
        });
    } catch (...) {
        set(before);
        throw;
    }
}

}  // namespace

void enable_graphs(bool value) {
    Graphs::enable(value);
    if (!value) for_each_used([](DeviceState& device) { device.graphs.drop_all(); });
}

void limit_waits(double seconds) {
    set_and_tell(wait_limit, set_wait_limit, seconds, [](DeviceState& device) {
        const OnDevice here(device);
        apply_wait_limit();
    });
}

void make_deterministic(bool on) {
    set_and_tell(deterministic, set_deterministic, on, [](DeviceState& device) {
        device.graphs.drop_all();
        const std::lock_guard lock(device.mutex);
        const OnDevice here(device);
        device.await_all();
        device.caller.release();  // the kernels of executors that are kept were chosen before
        apply_deterministic();
    });
}

void choose_memory_policy(int policy) {
    if (policy == memory_policy()) return;
    set_memory_policy(policy);
    for_each_used([](DeviceState& device) { device.pool->free_all_blocks(); });
}

std::vector<NamedGraphs> graph_figures() {
    std::vector<NamedGraphs> result;
    for_each_used([&](DeviceState& device) { result.push_back({device.name, device.graphs.figures()}); });
    return result;
}

std::vector<NamedCount> call_counts(int index) {
    DeviceState& state = device(index);
    const std::lock_guard lock(state.mutex);
    std::vector<NamedCount> result;
    for (std::size_t i = 0; i < state.caller.counts().size(); ++i)
        if (state.caller.counts()[i].calls) result.push_back({cann::operators()[i].name, state.caller.counts()[i]});
    return result;
}

}  // namespace asnumpy::ascend
