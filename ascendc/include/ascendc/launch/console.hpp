// printf, ASSERT and DumpTensor in kernels: texts go to the launch's host, whole and in the order in which a core made them.
#pragma once

#include <cassert>
#include <cstdio>

#include "ascendc/sync/scalar.hpp"

namespace ascendc {

// A format's arguments as C passes them: half and bfloat16 as floats.
template <class T>
auto printable(const T& value) {
    if constexpr (one_of<T, half, bfloat16_t>) return static_cast<double>(static_cast<float>(value));
    else if constexpr (std::is_enum_v<T>) return static_cast<std::int64_t>(value);
    else return value;
}

template <class... Values>
std::string formatted(const char* format, const Values&... values) {
    std::string text(static_cast<std::size_t>(std::max(0, std::snprintf(nullptr, 0, format, printable(values)...))), '\0');
    std::snprintf(text.data(), text.size() + 1, format, printable(values)...);
    return text;
}
inline std::string formatted(const char* text) { return formatted("%s", text); }

inline void print(const std::string& text) {
    Core& core = current();
    core.launch->host.print(core.text() + ": " + text + (text.empty() || text.back() != '\n' ? "\n" : ""));
}

inline void assertion(bool holds, const char* condition, Where where) {
    if (!holds) current().fail(Rule::assertion, where, join("the kernel's assertion does not hold: ", condition));
}

}  // namespace ascendc

namespace AscendC {

template <class... Values>
void PRINTF(const char* format, const Values&... values) { ascendc::print(ascendc::formatted(format, values...)); }
template <class... Values>
void printf(const char* format, const Values&... values) { ascendc::print(ascendc::formatted(format, values...)); }

// The first elements of a tensor, eight a line, under a number of the caller's.
template <class T>
void DumpTensor(const LocalTensor<T>& tensor, std::uint32_t number, std::uint32_t count,
                ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().drain();
    ascendc::Instruction at("DumpTensor", ascendc::Pipe::S, where);
    check_alive(at, tensor.place(), "a tensor");
    ascendc::LocalMemory& memory = at.core.memory(tensor.place().memory);
    if (tensor.place().address + ascendc::bytes_of<T>(count) > tensor.place().end)
        at.fail(ascendc::Rule::bounds, "shows ", count, " elements of a tensor of ", tensor.GetSize());
    std::string text = ascendc::join("tensor ", number, " (", ascendc::name_of(memory.kind()), " at byte ", tensor.place().address, ")\n");
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto byte = static_cast<std::uint32_t>(tensor.place().address + ascendc::bytes_of<T>(i));
        T value;
        std::memcpy(&value, memory.at(byte), sizeof(T));
        text += memory.any_unwritten(byte, sizeof(T)) ? std::string("?") : ascendc::join(+ascendc::printable(value));
        text += i % 8 == 7 || i + 1 == count ? "\n" : " ";
    }
    ascendc::print(text);
}
template <class T>
void DumpTensor(const GlobalTensor<T>& tensor, std::uint32_t number, std::uint32_t count,
                ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().drain();
    std::string text = ascendc::join("tensor ", number, " (GM)\n");
    for (std::uint32_t i = 0; i < count; ++i)
        text += ascendc::join(+ascendc::printable(tensor.GetValue(i, where)), i % 8 == 7 || i + 1 == count ? "\n" : " ");
    ascendc::print(text);
}

}  // namespace AscendC

#define ASSERT(...) ascendc::assertion(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, {__FILE__, __LINE__})
#define ascendc_assert(condition, ...) ascendc::assertion(static_cast<bool>(condition), #condition, {__FILE__, __LINE__})
// The standard's would end the process.
#undef assert
#define assert(...) ascendc::assertion(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, {__FILE__, __LINE__})
// What the device's library asks of its own callers: where a condition does not hold, the text that the handler logs is never shown.
#define ASCENDC_ASSERT(condition, ...) ascendc::assertion(static_cast<bool>(condition), #condition, {__FILE__, __LINE__})
#define KERNEL_LOG(level, ...) static_cast<void>(0)
