// What stands behind a kernel's source: its kernels as the simulator finds them, and launches of them by CANN's own functions.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "ascendc/launch/entry.hpp"
#include "ascendc/launch/prelude.hpp"

namespace ascendc {

// Which headers and which library made a unit: what differs may not meet.
constexpr std::uint32_t module_version = 1;
constexpr std::uint32_t module_layout =
    static_cast<std::uint32_t>(sizeof(Core) * 31 + sizeof(Launch) * 37 + sizeof(LocalMemory) * 41 + sizeof(PipeState) * 43 + sizeof(Guard) * 47);
constexpr char module_magic[8] = {'A', 'S', 'C', 'E', 'N', 'D', 'C', '\n'};

struct Module {
    char magic[8];
    std::uint32_t version;
    std::uint32_t layout;
    KernelRecord* const* kernels;     // the first of the list
    const unsigned char* cube_begin;  // the library of the cube pass; null: there is none
    const unsigned char* cube_end;
};

}  // namespace ascendc

extern "C" {
extern const unsigned char ascendc_cube_begin[] __attribute__((weak, visibility("hidden")));
extern const unsigned char ascendc_cube_end[] __attribute__((weak, visibility("hidden")));
}

namespace ascendc {

inline KernelRecord*& first_kernel() {
    static KernelRecord* first = nullptr;
    return first;
}

template <class... Parameters>
struct Places {
    ParameterPlace places[sizeof...(Parameters) + 1] = {};
    constexpr Places() {
        std::uint32_t at = 0, i = 0;
        const auto add = [&](std::uint32_t bytes, std::uint32_t alignment, bool pointer) {
            at = (at + alignment - 1) / alignment * alignment;
            places[i++] = {at, bytes, pointer};
            at += bytes;
        };
        (add(sizeof(Parameters), alignof(Parameters), std::is_pointer_v<Parameters>), ...);
    }
};
template <class... Parameters>
inline constexpr Places<Parameters...> places_of{};

template <class... Parameters>
constexpr const ParameterPlace* places(void (*)(Parameters...)) { return places_of<std::decay_t<Parameters>...>.places; }
template <class... Parameters>
constexpr std::uint32_t parameter_count(void (*)(Parameters...)) { return sizeof...(Parameters); }

template <auto kernel>
constexpr const char* kernel_key() { return __PRETTY_FUNCTION__; }

template <auto kernel>
int enter_kernel(Core* core, const void* arguments, std::size_t bytes) { return run_kernel(*core, kernel, arguments, bytes); }

template <auto kernel, int kind>
KernelRecord& kernel_record() {
    static KernelRecord record = {nullptr, kernel_key<kernel>(), kind, enter_kernel<kernel>, places(kernel), parameter_count(kernel), nullptr};
    [[maybe_unused]] static const bool listed = [] {
        record.next = first_kernel();
        first_kernel() = &record;
        return true;
    }();
    return record;
}

// Lists a kernel that only launches name, when the unit is loaded.
template <auto kernel, int kind>
struct Listed {
    static const bool done;
};
template <auto kernel, int kind>
const bool Listed<kernel, kind>::done = (kernel_record<kernel, kind>(), true);

inline const Module& this_module() {
    static const Module module = {{'A', 'S', 'C', 'E', 'N', 'D', 'C', '\n'}, module_version, module_layout, &first_kernel(),
                                  ascendc_cube_begin, ascendc_cube_end};
    return module;
}

}  // namespace ascendc

extern "C" __attribute__((visibility("default"))) const ascendc::Module* ascendc_module();
inline const ascendc::Module* ascendc_this_module() { return &ascendc::this_module(); }
extern "C" const ascendc::Module* ascendc_module() { return ascendc_this_module(); }

#if defined(ASCENDC_LAUNCHES)  // the unit launches kernels itself
struct aclrtLaunchKernelCfg;
extern "C" {
void* aclrtCreateBinary(const void* data, std::size_t bytes);
int aclrtBinaryLoad(void* binary, void** handle);
int aclrtBinaryGetFunctionByEntry(void* handle, std::uint64_t entry, void** function);
int aclrtKernelArgsInit(void* function, void** arguments);
int aclrtKernelArgsAppend(void* arguments, void* value, std::size_t bytes, void** parameter);
int aclrtKernelArgsParaUpdate(void* arguments, void* parameter, void* value, std::size_t bytes);
int aclrtKernelArgsFinalize(void* arguments);
int aclrtLaunchKernelWithConfig(void* function, std::uint32_t blocks, void* stream, aclrtLaunchKernelCfg* configuration, void* arguments, void*);
}

namespace ascendc {

inline int function_of(KernelRecord& record, void*& function) {
    static void* module = nullptr;
    static const int loaded = aclrtBinaryLoad(aclrtCreateBinary(&this_module(), sizeof(Module)), &module);
    return loaded ? loaded : aclrtBinaryGetFunctionByEntry(module, reinterpret_cast<std::uint64_t>(&record), &function);
}

// The handle of a kernel's arguments is made once a thread, and filled anew each time.
struct KernelArguments {
    void* function = nullptr;
    void* handle = nullptr;
    std::vector<void*> parameters;
};

template <class... Parameters>
int launch_with(KernelArguments& arguments, KernelRecord& record, std::uint32_t blocks, void* stream, Parameters... values) {
    int code = 0;
    const bool fresh = !arguments.handle;
    if (fresh) {
        code = function_of(record, arguments.function);
        if (!code) code = aclrtKernelArgsInit(arguments.function, &arguments.handle);
    }
    std::size_t next = 0;
    const auto put = [&](auto& value) {
        if (code) return;
        if (!fresh) {
            code = aclrtKernelArgsParaUpdate(arguments.handle, arguments.parameters[next++], &value, sizeof(value));
            return;
        }
        arguments.parameters.push_back(nullptr);
        code = aclrtKernelArgsAppend(arguments.handle, &value, sizeof(value), &arguments.parameters.back());
    };
    (put(values), ...);
    if (!code) code = aclrtKernelArgsFinalize(arguments.handle);
    if (code && fresh) arguments = {};
    return code ? code : aclrtLaunchKernelWithConfig(arguments.function, blocks, stream, nullptr, arguments.handle, nullptr);
}

// Converts to the kernel's own parameters, as a call does.
template <class... Parameters, class... Values>
int launch_as(void (*)(Parameters...), KernelArguments& arguments, KernelRecord& record, std::uint32_t blocks, void* stream, Values&&... values) {
    static_assert(sizeof...(Parameters) == sizeof...(Values), "a launch gives as many arguments as the kernel has parameters");
    return launch_with<std::decay_t<Parameters>...>(arguments, record, blocks, stream, static_cast<Values&&>(values)...);
}

template <auto kernel, int kind>
template <class... Values>
int Launching<kernel, kind>::operator()(Values&&... values) const {
    static_cast<void>(Listed<kernel, kind>::done);
    thread_local KernelArguments arguments;
    return launch_as(kernel, arguments, kernel_record<kernel, kind>(), blocks_, stream_, static_cast<Values&&>(values)...);
}

}  // namespace ascendc
#endif
