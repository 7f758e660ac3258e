// The Ascend backend: devices that CANN drives.
#pragma once

#include <string>
#include <vector>

#include "ascend/launch/caller.hpp"
#include "base/function_ref.hpp"
#include "device/pool.hpp"

namespace asnumpy::ascend {

int device_count();     // 0 where there is no CANN or no device; cheap then
bool wanted();          // whether there is a CANN, or somebody has named one
bool in_use();          // whether there are devices, if that was asked before; loads nothing
std::string why_not();  // what was looked for, where device_count() is 0
bool ended();           // CANN has ended, or this is a child of fork
Pool& pool(int index);  // DeviceFailure where the device cannot be used
// Memory of a device by one of CANN's policies, cached apart from that of arrays, counted and bounded together with it.
Pool& pool(int index, int policy);
void free_blocks_by_policy() noexcept;  // what such pools of all devices have left goes back to CANN
// For work beside programs and structured operations: the emitter of single operators. As pool().
DeviceState& device(int index);
void for_each_used(FunctionRef<void(DeviceState&)>);  // the devices that were used so far

struct NamedCount {
    std::string_view name;
    CallCount count;
};
std::vector<NamedCount> call_counts(int index);  // of the operators that were called on the device
struct NamedGraphs {
    std::string name;
    GraphFigures figures;
};
std::vector<NamedGraphs> graph_figures();  // of the devices that were used
// For all devices, those that are used later too.
void enable_graphs(bool);          // whether recurring programs are captured
void limit_waits(double seconds);  // 0: no limit
void make_deterministic(bool);     // what is recorded is to be run before
void choose_memory_policy(int);    // of arrays; what their pools keep goes back to CANN

}  // namespace asnumpy::ascend
