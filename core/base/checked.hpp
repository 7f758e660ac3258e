// Arithmetic on sizes and distances that users choose: it says when a result leaves 64 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/view.hpp"

namespace asnumpy {

// A number that remembers that it overflowed; once it did, whatever is made of it has none either.
class Checked {
public:
    Checked() = default;
    Checked(std::int64_t value) : value_(value) {}
    Checked& operator+=(Checked o) { return join(o, __builtin_add_overflow(value_, o.value_, &value_)); }
    Checked& operator-=(Checked o) { return join(o, __builtin_sub_overflow(value_, o.value_, &value_)); }
    Checked& operator*=(Checked o) { return join(o, __builtin_mul_overflow(value_, o.value_, &value_)); }
    friend Checked operator+(Checked a, Checked b) { return a += b; }
    friend Checked operator-(Checked a, Checked b) { return a -= b; }
    friend Checked operator*(Checked a, Checked b) { return a *= b; }

    bool fits() const { return !overflowed_; }
    std::optional<std::int64_t> value() const { return overflowed_ ? std::nullopt : std::optional(value_); }

private:
    Checked& join(Checked o, bool overflowed) {
        overflowed_ = overflowed_ || o.overflowed_ || overflowed;
        return *this;
    }

    std::int64_t value_ = 0;
    bool overflowed_ = false;
};

// What so many elements occupy. Nothing: more bytes than 64 bits can say, or a negative length. Of an empty shape the axes
// that are not empty count, as NumPy has it.
std::optional<std::int64_t> checked_bytes(std::span<const std::int64_t> shape, std::int64_t itemsize);
// extent(), nothing where the view reaches, or has elements or bytes, beyond what 64 bits can say.
std::optional<Extent> checked_extent(const View&, std::int64_t itemsize);

}  // namespace asnumpy
