// How a launch's host divided the work, as its kernel reads it: structures, keys, workspace.
#pragma once

#include "ascendc/launch/entry.hpp"

namespace ascendc {

// A structure of global memory, copied by the scalar unit.
template <class T>
T tiling_data(const void* address, Where where) {
    Instruction at("GET_TILING_DATA", Pipe::S, where);
    T value;
    std::memcpy(static_cast<void*>(&value), at.uses_global({reinterpret_cast<std::uintptr_t>(address), sizeof(T), 1, 0}, false), sizeof(T));
    at.takes(40 + sizeof(T) / 8.);
    return value;
}

inline std::uint64_t tiling_key() { return current().launch->options.tiling_key; }

// What the library's own functions take of a workspace, before the kernel's part.
constexpr std::uint64_t system_workspace_bytes = 16 * 1024 * 1024;

}  // namespace ascendc

namespace AscendC {

inline void SetSysWorkspace(GM_ADDR workspace) { ascendc::current().system_workspace = workspace; }
inline GM_ADDR GetSysWorkSpacePtr() { return ascendc::current().system_workspace; }
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace ? workspace + ascendc::system_workspace_bytes : nullptr; }

}  // namespace AscendC

// The structure that GET_TILING_DATA reads; declared in the kernel before it, or beside the kernel.
#define REGISTER_TILING_DEFAULT(...) using ascendc_tiling_of_this_kernel = __VA_ARGS__
#define REGISTER_TILING_FOR_TILINGKEY(expression, ...) static_assert(sizeof(__VA_ARGS__) > 0, expression)
#define REGISTER_NONE_TILING static_assert(true, "no structure")
#define GET_TILING_DATA(variable, address) \
    [[maybe_unused]] auto variable = ascendc::tiling_data<ascendc_tiling_of_this_kernel>(address, {__FILE__, __LINE__})
#define GET_TILING_DATA_WITH_STRUCT(Type, variable, address) \
    [[maybe_unused]] auto variable = ascendc::tiling_data<Type>(address, {__FILE__, __LINE__})
#define GET_TILING_DATA_PTR_WITH_STRUCT(Type, variable, address) \
    auto variable##_data = ascendc::tiling_data<Type>(address, {__FILE__, __LINE__}); \
    [[maybe_unused]] auto* const variable = &variable##_data
#define GET_TILING_DATA_MEMBER(Type, member, variable, address) \
    [[maybe_unused]] auto variable = ascendc::tiling_data<Type>(address, {__FILE__, __LINE__}).member
// Which variant the launch asks for.
#define TILING_KEY_IS(...) (ascendc::tiling_key() == static_cast<std::uint64_t>(__VA_ARGS__))
#define TILING_KEY_VAR ascendc::tiling_key()

// The host's way to declare the same structure: fields in order, each with its natural alignment.
#define BEGIN_TILING_DATA_DEF(Type) struct Type {
#define TILING_DATA_FIELD_DEF(type, name)        \
    type name = {};                              \
    void set_##name(type value) { name = value; } \
    type get_##name() const { return name; }
#define TILING_DATA_FIELD_DEF_ARR(type, count, name)                              \
    type name[count] = {};                                                        \
    void set_##name(const type* values) { std::copy(values, values + count, name); } \
    const type* get_##name() const { return name; }
#define TILING_DATA_FIELD_DEF_STRUCT(Type, name) alignas(8) Type name;
#define END_TILING_DATA_DEF \
    }                       \
    ;
// The source step gives the kernel of the operator's name this structure where it says no other.
#define REGISTER_TILING_DATA_CLASS(operator_name, Type) using ascendc_tiling_of_##operator_name [[maybe_unused]] = Type;
