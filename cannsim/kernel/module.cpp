// Loading libraries of kernels.
#include "kernel/module.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <shared_mutex>

#include <dlfcn.h>

#include "ascendc/launch/module.hpp"
#include "base/immortal.hpp"
#include "kernel/arguments.hpp"
#include "runtime/report.hpp"
#include "source/cache.hpp"
#include "source/compile.hpp"

namespace cannsim {
namespace {

struct LoadedKernels {
    std::shared_mutex mutex;
    std::map<void*, std::unique_ptr<KernelBinary>> binaries;
    std::map<void*, KernelFunction*> functions;
};
LoadedKernels& loaded_kernels() {
    static asnumpy::Immortal<LoadedKernels> instance;
    return *instance;
}

const ascendc::Module& module_of(const std::string& path) {
    // RTLD_LAZY: functions of the host in the unit may need libraries that this process does not have. A name without a folder is a file
    // in the working folder; the loader would look for it elsewhere.
    void* const library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!library) throw Refusal{ACL_ERROR_INVALID_FILE, text("expected a library of compiled kernels, got ", path, ": ", dlerror())};
    const auto ask = reinterpret_cast<const ascendc::Module* (*)()>(dlsym(library, "ascendc_module"));
    if (!ask) throw Refusal{ACL_ERROR_INVALID_FILE, text("expected a library of kernels compiled for the simulator, got ", path, ", which has none")};
    return *ask();
}

// A library that lies in memory is loaded from a file: the debugger and the loader want a path.
std::string path_of(const void* data, std::size_t bytes) {
    const std::string_view text(static_cast<const char*>(data), bytes);
    const std::filesystem::path path = ascendc::source::cache_folder() / (ascendc::source::digest(text) + ".loaded.so");
    if (!std::filesystem::exists(path)) ascendc::source::write_text(path, text);
    return path.string();
}

void check_module(const ascendc::Module& module) {
    if (module.version != ascendc::module_version || module.layout != ascendc::module_layout)
        throw Refusal{ACL_ERROR_INVALID_FILE, "expected kernels compiled with this version's headers, got some of another version; compile them again"};
}

KernelBinary* made_of(const ascendc::Module& module) {
    check_module(module);
    const ascendc::Module* cube = nullptr;
    if (module.cube_begin) {
        cube = &module_of(path_of(module.cube_begin, static_cast<std::size_t>(module.cube_end - module.cube_begin)));
        check_module(*cube);
    }
    auto binary = std::make_unique<KernelBinary>();
    for (const ascendc::KernelRecord* record = *module.kernels; record; record = record->next) {
        auto function = std::make_unique<KernelFunction>();
        function->name = record->name ? record->name : record->key;
        function->vector = record;
        function->kind = record->kind;
        function->parameters = record->parameters;
        function->places = record->places;
        function->binary = binary.get();
        for (const ascendc::KernelRecord* other = cube ? *cube->kernels : nullptr; other; other = other->next)
            if (std::strcmp(other->key, record->key) == 0) function->cube = other;
        binary->functions.push_back(std::move(function));
    }
    LoadedKernels& all = loaded_kernels();
    const std::unique_lock lock(all.mutex);
    for (const auto& function : binary->functions) all.functions.emplace(function.get(), function.get());
    KernelBinary* const handle = binary.get();
    all.binaries.emplace(handle, std::move(binary));
    return handle;
}

}  // namespace

KernelBinary* load_kernels(const std::string& path) { return made_of(module_of(path)); }

KernelBinary* load_kernels(const void* data, std::size_t bytes) {
    if (bytes == sizeof(ascendc::Module) && std::memcmp(data, ascendc::module_magic, sizeof(ascendc::module_magic)) == 0)
        return made_of(*static_cast<const ascendc::Module*>(data));
    if (bytes < 64 || std::memcmp(data, "\177ELF", 4) != 0)
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("data: expected a library of kernels compiled for the simulator, got ", bytes, " other bytes")};
    return load_kernels(path_of(data, bytes));
}

KernelBinary& binary_of(void* handle) {
    LoadedKernels& all = loaded_kernels();
    const std::shared_lock lock(all.mutex);
    const auto found = all.binaries.find(handle);
    if (found == all.binaries.end())
        throw Refusal{ACL_ERROR_RT_PARAM_INVALID, text("binHandle: expected one of aclrtBinaryLoadFromFile, got ", static_cast<const void*>(handle))};
    return *found->second;
}

void unload_kernels(void* handle) {
    binary_of(handle);
    LoadedKernels& all = loaded_kernels();
    const std::unique_lock lock(all.mutex);
    for (const auto& function : all.binaries.at(handle)->functions) all.functions.erase(function.get());
    all.binaries.erase(handle);
}

KernelFunction& function_of(void* handle) {
    LoadedKernels& all = loaded_kernels();
    const std::shared_lock lock(all.mutex);
    const auto found = all.functions.find(handle);
    if (found == all.functions.end())
        throw Refusal{ACL_ERROR_RT_PARAM_INVALID, text("funcHandle: expected one of aclrtBinaryGetFunction, got ", static_cast<const void*>(handle))};
    return *found->second;
}

namespace {

// The same kernel for a tiling key; under the lock of `loaded_kernels`.
KernelFunction& variant_of(KernelFunction& function, std::uint64_t key) {
    for (const auto& other : function.binary->functions)
        if (other->vector == function.vector && other->tiling_key == key) return *other;
    auto made = std::make_unique<KernelFunction>(function);
    made->tiling_key = key;
    made->name += "_" + std::to_string(key);
    KernelFunction& result = *made;
    loaded_kernels().functions.emplace(&result, &result);
    function.binary->functions.push_back(std::move(made));
    return result;
}

}  // namespace

KernelFunction& function_named(void* handle, const char* name) {
    KernelBinary& binary = binary_of(handle);
    const std::unique_lock lock(loaded_kernels().mutex);
    std::string names;
    for (const auto& function : binary.functions) {
        if (function->name == name) return *function;
        if (!function->tiling_key) names += (names.empty() ? "" : ", ") + function->name;
    }
    const std::string_view given = name;
    const std::size_t end = given.find_last_of('_');
    std::uint64_t key = 0;
    const char* const last = given.data() + given.size();
    if (end != std::string_view::npos && std::from_chars(given.data() + end + 1, last, key).ptr == last && end + 1 < given.size())
        for (const auto& function : binary.functions)
            if (function->name == given.substr(0, end)) return variant_of(*function, key);
    throw Refusal{ACL_ERROR_RT_KERNEL_LOOKUP, text("kernelName: expected one of ", names.empty() ? "none" : names, ", or one with a tiling key behind it, got ", name)};
}

KernelFunction& function_of_entry(void* handle, std::uint64_t entry) {
    KernelBinary& binary = binary_of(handle);
    const std::unique_lock lock(loaded_kernels().mutex);
    KernelFunction* only = nullptr;
    std::size_t kernels = 0;
    for (const auto& function : binary.functions) {
        if (function->tiling_key) continue;
        if (reinterpret_cast<std::uint64_t>(function->vector) == entry) return *function;
        only = function.get();
        ++kernels;
    }
    if (kernels == 1) return variant_of(*only, entry);
    throw Refusal{ACL_ERROR_RT_KERNEL_LOOKUP, text("funcEntry: expected the entry of one of the binary's ", kernels, " kernels, or a tiling key of its only one, got ", entry)};
}

std::string library_folder() {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(&library_folder), &info);
    return std::filesystem::absolute(info.dli_fname).parent_path().string();
}

std::string kernel_headers() {
    const std::filesystem::path here = library_folder();
    for (const char* const way : {"../../ascendc/include", "../../../ascendc/include"}) {
        const std::filesystem::path folder = (here / way).lexically_normal();
        if (std::filesystem::exists(folder / "kernel_operator.h")) return folder.string();
    }
    throw Refusal{ACL_ERROR_INTERNAL_ERROR, text("expected the Ascend C headers near ", here.string(), ", found none; install asnumpy again")};
}

}  // namespace cannsim
