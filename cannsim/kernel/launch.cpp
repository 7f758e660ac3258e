// aclrtLaunchKernel and its like: a kernel is queued on a stream and runs on the host's cores.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include <sys/mman.h>

#include "api/place.hpp"
#include "ascendc/launch/entry.hpp"
#include "ascendc/machine/run.hpp"
#include "ascendc/machine/timeline.hpp"
#include "base/immortal.hpp"
#include "kernel/arguments.hpp"
#include "runtime/config.hpp"
#include "runtime/device.hpp"
#include "runtime/memory.hpp"
#include "runtime/memory_ranges.hpp"
#include "runtime/statistics.hpp"

using namespace cannsim;

namespace {

constexpr std::uintptr_t host_page = 4096;

// Kernels read global memory through pointers as well as by copies. The pages that they touch so are open while kernels run.
struct OpenedPages {
    std::mutex mutex;
    std::set<std::uintptr_t> pages;
    int running = 0;
};
OpenedPages& opened_pages() {
    static asnumpy::Immortal<OpenedPages> instance;
    return *instance;
}

bool open_page(std::uintptr_t address) {
    if (device_of_range(device_ranges(), address) < 0) return false;
    const auto block = find_block(reinterpret_cast<const void*>(address));
    if (!block || !block->live) return false;
    OpenedPages& all = opened_pages();
    const std::scoped_lock lock(all.mutex);
    const std::uintptr_t page = address / host_page * host_page;
    all.pages.insert(page);
    return mprotect(reinterpret_cast<void*>(page), host_page, PROT_READ | PROT_WRITE) == 0;
}

class PagesMayOpen {
public:
    PagesMayOpen() {
        install_fault_handler();
        ascendc::fault_claim = open_page;
        const std::scoped_lock lock(opened_pages().mutex);
        ++opened_pages().running;
    }
    ~PagesMayOpen() {
        OpenedPages& all = opened_pages();
        const std::scoped_lock lock(all.mutex);
        if (--all.running) return;
        for (const std::uintptr_t page : all.pages) mprotect(reinterpret_cast<void*>(page), host_page, PROT_NONE);
        all.pages.clear();
    }
    PagesMayOpen(const PagesMayOpen&) = delete;
    PagesMayOpen& operator=(const PagesMayOpen&) = delete;
};

// Global memory is what the device has allocated, and the data that went with the launch.
class SimulatedHost : public ascendc::Host {
public:
    SimulatedHost(int device, const LaunchArguments& arguments) : device_(device), arguments_(arguments) {}

    bool find(std::uintptr_t address, ascendc::Allocation& found) override {
        for (const auto& data : arguments_.data) {
            const auto begin = reinterpret_cast<std::uintptr_t>(data.data());
            if (address < begin || address >= begin + data.size()) continue;
            found = {begin, begin + data.size(), begin + data.size(), 0};
            return true;
        }
        const auto block = find_block(reinterpret_cast<const void*>(address));
        if (!block || !block->live || block->device != device_) return false;
        found = {block->begin, block->begin + block->reserved, block->end(), device_ranges()[static_cast<std::size_t>(device_)].distance};
        return narrow(address, found);
    }

private:
    // Of an allocation in which the client has told where the arguments lie, nothing else may be used. Copies of whole blocks
    // may end up to 31 bytes behind an argument: those who share out memory do so in larger pieces.
    bool narrow(std::uintptr_t address, ascendc::Allocation& found) const {
        constexpr std::uintptr_t block = 32;
        bool shared_out = false;
        for (const auto& [begin, end] : arguments_.memory) {
            if (begin < found.begin || begin >= found.end) continue;
            shared_out = true;
            const std::uintptr_t last = std::min(begin + (end - begin + block - 1) / block * block, found.end);
            if (address < begin || address >= last) continue;
            found = {begin, last, end, found.distance};
            return true;
        }
        return !shared_out;
    }

    const int device_;
    const LaunchArguments& arguments_;
};

// What cannsim_kernel_memory told of the next launch by this thread.
thread_local std::vector<std::pair<std::uintptr_t, std::uintptr_t>> told_memory;

// What aclrtLaunchKernelCfg points to: each attribute is a number and 16 bytes.
struct LaunchAttribute {
    std::int32_t id;
    std::uint32_t value[4];
};
struct LaunchConfiguration {
    const LaunchAttribute* attributes;
    std::size_t count;
};
constexpr std::int32_t timeout_attribute = 7, timeout_in_microseconds_attribute = 8;

// A structure of the interface, which is only declared here, by its documented layout.
template <class T> const T* read_as(const void* given) { return static_cast<const T*>(given); }

double seconds_allowed(const LaunchConfiguration* configuration) {
    double seconds = config().kernel_seconds;
    for (std::size_t i = 0; configuration && i < configuration->count; ++i) {
        const LaunchAttribute& one = configuration->attributes[i];
        if (one.id == timeout_attribute && (one.value[0] & 0xffff)) seconds = one.value[0] & 0xffff;
        if (one.id == timeout_in_microseconds_attribute)
            seconds = static_cast<double>(std::uint64_t{one.value[1]} << 32 | one.value[0]) * 1e-6;
    }
    return seconds;
}

int failure_code(const ascendc::Finding& finding, int kind) {
    const bool vector = kind == 0;
    const bool late = finding.rule == ascendc::Rule::time || finding.rule == ascendc::Rule::deadlock;
    if (late) return vector ? ACL_ERROR_RT_VECTOR_CORE_TIMEOUT : ACL_ERROR_RT_AICORE_TIMEOUT;
    return vector ? ACL_ERROR_RT_VECTOR_CORE_EXCEPTION : ACL_ERROR_RT_AICORE_EXCEPTION;
}

const char* kept_name(const std::string& name) {
    static asnumpy::Immortal<std::pair<std::mutex, std::set<std::string>>> names;
    const std::scoped_lock lock(names->first);
    return names->second.insert(name).first->c_str();
}

int run_kernel_task(const KernelFunction& function, const LaunchArguments& given, std::uint32_t blocks, int device, double seconds, Stream& stream) {
    const char* const outer = std::exchange(cannsim::detail::current_function, kept_name(function.name));
    std::vector<std::byte> bytes = given.bytes;
    if (given.on_device && !bytes.empty()) std::memcpy(bytes.data(), alias(given.on_device), bytes.size());
    SimulatedHost host(device, given);
    ascendc::Options options;
    options.vector_cores = static_cast<std::uint32_t>(chip().vector_cores);
    options.cube_cores = static_cast<std::uint32_t>(chip().cube_cores);
    if (config().threads) options.threads = static_cast<unsigned>(config().threads.load());
    options.seconds = seconds;
    options.trace = keeps_kernels();
    options.tiling_key = function.tiling_key;
    ascendc::Launch launch(host, options, function.name, static_cast<ascendc::Kind>(function.kind), blocks);
    const auto entry_of = [&](const ascendc::KernelRecord* record) -> ascendc::Entry {
        if (!record) return {};
        return [record, &bytes](ascendc::Core& core) { return record->enter(&core, bytes.data(), bytes.size()); };
    };
    {
        const PagesMayOpen open;
        launch.run(entry_of(function.vector), entry_of(function.cube));
    }
    double begin = 0;
    {
        const std::scoped_lock lock(stream.issuing);
        begin = stream.modelled;
        stream.modelled += launch.cycles / (chip().megahertz * 1e6);
    }
    if (options.trace) keep_kernel(launch.events.size(), timeline_of(launch, chip().megahertz, next_kernel(), begin * 1e6));
    for (const ascendc::Finding& found : launch.findings) note(Fault::kernel, describe(found));
    const int code = launch.findings.empty() ? 0 : failure_code(launch.findings.front(), function.kind);
    cannsim::detail::current_function = outer;
    return code;
}

int submit_kernel(void* function_handle, std::uint32_t blocks, const LaunchConfiguration* configuration, LaunchArguments arguments, void* stream_handle) {
    arguments.memory = std::exchange(told_memory, {});
    const KernelFunction function = function_of(function_handle);  // a copy: its binary may be unloaded while the work is queued
    if (!blocks) throw Refusal{ACL_ERROR_INVALID_PARAM, "numBlocks: expected at least 1, got 0"};
    if (function.kind != 0 && !function.cube)
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("the kernel ", function.name, " is for cube cores, and was compiled for vector cores alone")};
    const std::shared_ptr<Stream> stream = stream_of(stream_handle);
    const int device_number = stream->context->device->id;
    Task task;
    task.name = kept_name(function.name);
    task.cost.engine = function.kind == 0 ? Engine::vector : Engine::cube;
    // Which of its arguments' memory a kernel writes is not known: it counts as read, with gaps.
    std::vector<std::byte> seen = arguments.bytes;
    if (arguments.on_device) {
        check_device_range(arguments.on_device, arguments.bytes.size(), "argsData");
        task.uses.push_back({arguments.on_device, arguments.bytes.size(), false, true, "argsData"});
        std::memcpy(seen.data(), alias(arguments.on_device), seen.size());
    }
    for (std::size_t at = 0; at + sizeof(void*) <= seen.size(); at += sizeof(void*)) {
        const void* address = nullptr;
        std::memcpy(&address, seen.data() + at, sizeof(address));
        const auto block = is_device_address(address) ? find_block(address) : std::nullopt;
        if (block && block->live) task.uses.push_back({reinterpret_cast<const void*>(block->begin), block->size, false, false, "argument"});
    }
    const double seconds = seconds_allowed(configuration);
    if (config().compute)
        task.run = [function, kept = std::make_shared<LaunchArguments>(std::move(arguments)), blocks, device_number, seconds, on = stream.get()] {
            return run_kernel_task(function, *kept, blocks, device_number, seconds, *on);
        };
    stream->submit(std::move(task));
    return 0;
}

LaunchArguments on_device(const void* data, std::size_t bytes) {
    if (bytes) expect_given(data, "argsData");
    LaunchArguments arguments;
    arguments.bytes.resize(bytes);
    arguments.on_device = bytes ? data : nullptr;
    return arguments;
}

void write_address(std::vector<std::byte>& bytes, std::size_t at, const void* address) {
    std::memcpy(bytes.data() + at, &address, sizeof(address));
}

}  // namespace

extern "C" {

CANN_ABI int32_t cannsim_kernel_memory(const void* const* begins, const uint64_t* bytes, uint64_t count) {
    return entry("cannsim_kernel_memory", {{"count", count}}, [&] {
        if (count) expect_given(begins, "begins"), expect_given(bytes, "bytes");
        told_memory.clear();
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto begin = reinterpret_cast<std::uintptr_t>(begins[i]);
            told_memory.emplace_back(begin, begin + bytes[i]);
        }
        return 0;
    });
}

int32_t aclrtLaunchKernel(void* funcHandle, uint32_t blockDim, const void* argsData, size_t argsSize, void* stream) {
    return entry("aclrtLaunchKernel", {{"funcHandle", funcHandle}, {"blockDim", blockDim}, {"argsSize", argsSize}, {"stream", stream}},
                 [&] { return submit_kernel(funcHandle, blockDim, nullptr, on_device(argsData, argsSize), stream); });
}
int32_t aclrtLaunchKernelV2(void* funcHandle, uint32_t numBlocks, const void* argsData, size_t argsSize, aclrtLaunchKernelCfg* cfg, void* stream) {
    return entry("aclrtLaunchKernelV2", {{"funcHandle", funcHandle}, {"numBlocks", numBlocks}, {"argsSize", argsSize}, {"stream", stream}}, [&] {
        return submit_kernel(funcHandle, numBlocks, read_as<LaunchConfiguration>(cfg), on_device(argsData, argsSize), stream);
    });
}
int32_t aclrtLaunchKernelWithConfig(void* funcHandle, uint32_t blockDim, void* stream, aclrtLaunchKernelCfg* cfg, void* argsHandle, void*) {
    return entry("aclrtLaunchKernelWithConfig", {{"funcHandle", funcHandle}, {"blockDim", blockDim}, {"stream", stream}}, [&] {
        const KernelArguments& given = arguments_of(argsHandle);
        if (!given.finalized) throw Refusal{ACL_ERROR_INVALID_PARAM, "argsHandle: expected one that aclrtKernelArgsFinalize closed"};
        LaunchArguments arguments;
        arguments.bytes = given.bytes;
        for (const Placeholder& placeholder : given.placeholders) {
            arguments.data.push_back(placeholder.data);
            write_address(arguments.bytes, placeholder.at, arguments.data.back().data());
        }
        return submit_kernel(funcHandle, blockDim, read_as<LaunchConfiguration>(cfg), std::move(arguments), stream);
    });
}
int32_t aclrtLaunchKernelWithHostArgs(void* funcHandle, uint32_t numBlocks, void* stream, aclrtLaunchKernelCfg* cfg, void* hostArgs, size_t argsSize,
                                      aclrtPlaceHolderInfo* placeHolderArray, size_t placeHolderNum) {
    return entry("aclrtLaunchKernelWithHostArgs", {{"funcHandle", funcHandle}, {"numBlocks", numBlocks}, {"argsSize", argsSize}, {"stream", stream}}, [&] {
        if (argsSize) expect_given(hostArgs, "hostArgs");
        struct Hole {
            std::uint32_t address, data;
        };
        const Hole* const holes = read_as<Hole>(placeHolderArray);
        LaunchArguments arguments;
        const auto* const first = static_cast<const std::byte*>(hostArgs);
        arguments.bytes.assign(first, first + argsSize);
        arguments.data.push_back(arguments.bytes);
        for (std::size_t i = 0; holes && i < placeHolderNum; ++i) {
            if (holes[i].address + sizeof(void*) > argsSize || holes[i].data > argsSize)
                throw Refusal{ACL_ERROR_INVALID_PARAM, text("placeHolderArray: expected offsets within ", argsSize, " bytes, got ", holes[i].address, " and ", holes[i].data)};
            write_address(arguments.bytes, holes[i].address, arguments.data[0].data() + holes[i].data);
        }
        return submit_kernel(funcHandle, numBlocks, read_as<LaunchConfiguration>(cfg), std::move(arguments), stream);
    });
}
int32_t aclrtLaunchKernelWithArgsArray(void* func, uint32_t numBlocks, void* stream, aclrtLaunchKernelCfg* cfg, void** args) {
    return entry("aclrtLaunchKernelWithArgsArray", {{"func", func}, {"numBlocks", numBlocks}, {"stream", stream}}, [&] {
        const KernelFunction& function = function_of(func);
        if (function.parameters) expect_given(args, "args");
        LaunchArguments arguments;
        arguments.bytes.resize(function.bytes());
        for (std::uint32_t i = 0; i < function.parameters; ++i) {
            expect_given(args[i], "args");
            std::memcpy(arguments.bytes.data() + function.places[i].offset, args[i], function.places[i].bytes);
        }
        return submit_kernel(func, numBlocks, read_as<LaunchConfiguration>(cfg), std::move(arguments), stream);
    });
}

}  // extern "C"
