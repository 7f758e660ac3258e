// The report's sums.
#include "runtime/statistics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/immortal.hpp"
#include "cann/versions.hpp"
#include "runtime/config.hpp"
#include "runtime/device.hpp"
#include "runtime/memory.hpp"
#include "runtime/report.hpp"

namespace cannsim {
namespace {

struct Sum {
    std::uint64_t count = 0, aicpu = 0;  // of these, on the AICPU
    double bytes = 0, operations = 0, wall = 0, modelled = 0;
};
struct TaskTime {
    const char* name;
    std::uint32_t stream;
    double started, ended;
};

struct Sums {
    std::mutex mutex;
    std::map<std::string_view, Sum> tasks;  // keys are literals
    std::map<std::string, Sum> copies;
    std::map<std::pair<std::string_view, int>, std::uint64_t> refusals;  // by the operator and the code
    std::map<std::array<std::string_view, 3>, std::uint64_t> contested;          // by operator, parameter and dtype
    std::deque<TaskTime> timeline;
    std::deque<std::string> kernels;  // entries of the timeline
    std::size_t kernel_events = 0;
    double modelled_end = 0;
};
Sums& sums() {
    static asnumpy::Immortal<Sums> instance;
    return *instance;
}

bool kept() { return config().log || config().trace || !config().report_path.empty(); }
constexpr std::size_t most_kernel_events = 2'000'000;

std::string json_number(double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.9g", value);
    return digits;
}

}  // namespace

void count_task(const char* name, const Cost& cost, double modelled, const Stream&, double modelled_end) {
    Sums& s = sums();
    const std::scoped_lock lock(s.mutex);
    Sum& sum = s.tasks[name];
    ++sum.count;
    sum.aicpu += cost.engine == Engine::aicpu;
    sum.bytes += cost.bytes;
    sum.operations += cost.operations;
    sum.modelled += modelled;
    s.modelled_end = std::max(s.modelled_end, modelled_end);
}

void count_copy(const char* name, const Cost& cost, bool from_device, bool to_device) {
    static constexpr const char* ways[] = {"host to host", "host to device", "device to host", "device to device"};
    Sums& s = sums();
    const std::scoped_lock lock(s.mutex);
    Sum& sum = s.copies[text(name, ", ", ways[from_device * 2 + to_device])];
    ++sum.count;
    sum.bytes += cost.bytes;
    sum.modelled += seconds(cost);
}

void count_wall(const char* name, const Stream& stream, double started, double ended) {
    Sums& s = sums();
    const std::scoped_lock lock(s.mutex);
    s.tasks[name].wall += ended - started;
    if (kept() && s.timeline.size() < 1000000) s.timeline.push_back({name, stream.number, started, ended});
}

bool keeps_kernels() {
    if (!config().trace) return false;
    Sums& s = sums();
    const std::scoped_lock lock(s.mutex);
    return s.kernel_events < most_kernel_events;
}

unsigned next_kernel() {
    static std::atomic<unsigned> last{0};
    return ++last;
}

void keep_kernel(std::size_t events, std::string timeline) {
    Sums& s = sums();
    const std::scoped_lock lock(s.mutex);
    s.kernel_events += events;
    s.kernels.push_back(std::move(timeline));
}

void count_refusal(const char* name, int code) {
    Sums& s = sums();
    const std::scoped_lock lock(s.mutex);
    ++s.refusals[{name, code}];
}

void count_contested(const char* name, const char* parameter, const char* dtype) {
    Sums& s = sums();
    const std::scoped_lock lock(s.mutex);
    ++s.contested[{name, parameter, dtype}];
}

std::string report_json() {
    std::string tasks, memory, faults;
    {
        Sums& s = sums();
        const std::scoped_lock lock(s.mutex);
        for (const auto& [name, sum] : s.tasks)
            tasks += text(tasks.empty() ? "" : ",\n", "{\"name\":", quoted(name), ",\"count\":", sum.count, ",\"aicpu\":", sum.aicpu, ",\"bytes\":", json_number(sum.bytes), ",\"operations\":",
                          json_number(sum.operations), ",\"wall_seconds\":", json_number(sum.wall), ",\"modelled_seconds\":", json_number(sum.modelled), "}");
        std::string copies;
        for (const auto& [name, sum] : s.copies)
            copies += text(copies.empty() ? "" : ",\n", "{\"name\":", quoted(name), ",\"count\":", sum.count, ",\"bytes\":", json_number(sum.bytes), ",\"modelled_seconds\":",
                           json_number(sum.modelled), "}");
        std::string refused;
        for (const auto& [call, count] : s.refusals)
            refused += text(refused.empty() ? "" : ",\n", "{\"name\":", quoted(call.first), ",\"code\":", call.second, ",\"count\":", count, "}");
        std::string contested;
        for (const auto& [use, count] : s.contested)
            contested += text(contested.empty() ? "" : ",\n", "{\"name\":", quoted(use[0]), ",\"parameter\":", quoted(use[1]), ",\"dtype\":", quoted(use[2]), ",\"count\":", count, "}");
        tasks = text("\"copies\":[", copies, "],\n\"refused\":[", refused, "],\n\"contested\":[", contested, "],\n\"tasks\":[", tasks, "],\n\"modelled_end_seconds\":", json_number(std::max(s.modelled_end, model_now())));
    }
    for (int id = 0; id < device_count(); ++id) {
        const MemoryBooks b = books(id);
        memory += text(id ? "," : "", "{\"device\":", id, ",\"used\":", b.used, ",\"peak\":", b.peak, ",\"allocations\":", b.allocations, ",\"frees\":", b.frees, "}");
    }
    for (const Finding& found : findings())
        faults += text(faults.empty() ? "" : ",\n", "{\"kind\":", quoted(name(found.fault)), ",\"function\":", quoted(found.function), ",\"text\":", quoted(found.text), "}");
    return text("{\"chip\":", quoted(chip().name), ",\"cann\":", quoted(version_in_use().name), ",\"modelled\":\"every modelled_* figure comes from a model of the chip, none was measured on one\",\n", tasks,
                ",\n\"memory\":[", memory, "],\n\"findings\":[", faults, "]}\n");
}

std::string timeline_json() {
    Sums& s = sums();
    const std::scoped_lock lock(s.mutex);
    std::string result = "{\"traceEvents\":[";
    const double origin = s.timeline.empty() ? 0 : s.timeline.front().started;
    for (bool first = true; const TaskTime& span : s.timeline) {
        result += text(first ? "" : ",\n", "{\"ph\":\"X\",\"pid\":0,\"tid\":", span.stream, ",\"name\":", quoted(span.name), ",\"ts\":", json_number((span.started - origin) * 1e6),
                       ",\"dur\":", json_number((span.ended - span.started) * 1e6), "}");
        first = false;
    }
    for (const std::string& kernel : s.kernels) result += (result.back() == '[' ? "" : ",\n") + kernel;
    return result + "]}\n";
}

void clear_statistics() {
    Sums& s = sums();
    const std::scoped_lock lock(s.mutex);
    s.tasks.clear();
    s.refusals.clear();
    s.contested.clear();
    s.copies.clear();
    s.timeline.clear();
    s.kernels.clear();
    s.kernel_events = 0;
}

}  // namespace cannsim
