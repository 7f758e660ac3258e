// The arguments of a launch while a client puts them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernel/module.hpp"

namespace cannsim {

// An address within the arguments that is that of bytes which go with them.
struct Placeholder {
    std::size_t at = 0;
    std::vector<std::byte> data;
};

struct KernelArguments {
    KernelFunction* function = nullptr;
    std::vector<std::byte> bytes;
    std::vector<Placeholder> placeholders;
    std::uint32_t given = 0;  // parameters
    bool finalized = false;
};

// What a launch takes with it: nobody changes it while the kernel runs.
struct LaunchArguments {
    std::vector<std::byte> bytes;
    std::vector<std::vector<std::byte>> data;  // that placeholders point to
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> memory;  // begin and end of what it may use of allocations that are shared out
    const void* on_device = nullptr;           // where the bytes are read when the kernel begins; null: they are in `bytes`
};

KernelArguments& arguments_of(void* handle);

}  // namespace cannsim
