// Text for messages from values of any kind.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/view.hpp"

namespace cannsim {

inline void append(std::string& to, std::string_view value) { to += value; }
inline void append(std::string& to, const void* value) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(value)));
    to += digits;
}
inline void append(std::string& to, const asnumpy::Dims& value) {
    to += asnumpy::to_string({value.data(), static_cast<std::size_t>(value.size())});
}
template <class T> requires std::is_arithmetic_v<T> void append(std::string& to, T value) { to += std::to_string(value); }

template <class... A> std::string text(const A&... parts) {
    std::string result;
    const auto one = [&]<class T>(const T& part) {
        if constexpr (std::is_convertible_v<const T&, std::string_view>) append(result, std::string_view(part));
        else append(result, part);
    };
    (one(parts), ...);
    return result;
}

// A string as JSON writes it, with the quotes.
std::string quoted(std::string_view);

}  // namespace cannsim
