// Compiled kernels: the libraries that hold them, and their functions by name.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "ascendc/launch/prelude.hpp"

namespace ascendc {
struct Module;
}

namespace cannsim {

// One kernel in both passes of its unit.
struct KernelFunction {
    std::string name;
    const ascendc::KernelRecord* vector = nullptr;
    const ascendc::KernelRecord* cube = nullptr;  // null: the unit has no pass for cube cores
    int kind = 0;                                 // ascendc::Kind
    std::uint32_t parameters = 0;
    const ascendc::ParameterPlace* places = nullptr;
    std::uint64_t tiling_key = 0;                 // the variant that TILING_KEY_IS asks for
    struct KernelBinary* binary = nullptr;
    std::uint32_t bytes() const { return parameters ? places[parameters - 1].offset + places[parameters - 1].bytes : 0; }
};

struct KernelArguments;

// What the client's handle of a binary is. Its code stays loaded until the process ends: queued work and reports name it.
struct KernelBinary {
    std::vector<std::unique_ptr<KernelFunction>> functions;
    std::mutex mutex;
    std::vector<std::unique_ptr<KernelArguments>> arguments;  // made for its functions
};

// Refusal where the file or the bytes are no compiled kernels, or were compiled with other headers.
KernelBinary* load_kernels(const std::string& path);
// A library's bytes, or the description that a unit with launches gives of itself.
KernelBinary* load_kernels(const void* data, std::size_t bytes);
void unload_kernels(void* handle);

KernelBinary& binary_of(void* handle);
KernelFunction& function_of(void* handle);
// By its name, or by that with a tiling key behind it: "name_3".
KernelFunction& function_named(void* binary, const char* name);
// By the entry of a kernel that the binary launches itself; of a binary with one kernel by the tiling key.
KernelFunction& function_of_entry(void* binary, std::uint64_t entry);

// The folder of the Ascend C headers that belong to this library.
std::string kernel_headers();
// The folder of this library itself.
std::string library_folder();

}  // namespace cannsim
