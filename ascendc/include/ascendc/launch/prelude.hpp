// What stands before every kernel's source: the language's words, and declarations that the source step's additions name.
// Their definitions are in launch/module.hpp, which stands behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ascendc/base/qualifiers.hpp"

namespace ascendc {

class Core;

struct ParameterPlace {
    std::uint32_t offset;
    std::uint32_t bytes;
    bool pointer;
};

// One kernel of a compiled unit. Both passes of a unit have the same keys.
struct KernelRecord {
    const char* name;  // by which a launch asks for it; null: only launches within the unit do
    const char* key;
    std::int32_t kind;  // ascendc::Kind
    int (*enter)(Core*, const void* arguments, std::size_t bytes);
    const ParameterPlace* places;
    std::uint32_t parameters;
    KernelRecord* next;
};

template <auto kernel, int kind>
KernelRecord& kernel_record();

// Gives a kernel its name.
template <auto kernel, int kind>
struct Named {
    explicit Named(const char* name) { kernel_record<kernel, kind>().name = name; }
};

// A launch: the call takes the kernel's arguments.
template <auto kernel, int kind>
class Launching {
public:
    Launching(std::uint32_t blocks, void* stream) : blocks_(blocks), stream_(stream) {}
    // Gives the launch's code; a device's compiler gives none.
    template <class... Values>
    int operator()(Values&&... values) const;

private:
    std::uint32_t blocks_;
    void* stream_;
};
template <auto kernel, int kind, class Memory>
Launching<kernel, kind> launch(std::uint32_t blocks, Memory, void* stream) { return {blocks, stream}; }

template <bool condition>
using when = std::enable_if_t<condition, int>;
template <class A, class B>
inline constexpr bool is_same = std::is_same_v<A, B>;

}  // namespace ascendc
