// Where each buffer of a draft is read and written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "runtime/record.hpp"

namespace asnumpy {

// Positions in the list, in order, taken before anything is changed; an instruction may be there several times. buffers: of the census.
class Touches {
public:
    Touches(std::span<const Instruction> list, std::size_t buffers) : first_(2 * buffers + 1, 0) {
        const auto each = [&](auto&& f) {
            for (std::uint32_t k = 0; k < list.size(); ++k)
                each_buffer(list[k], [&](const Buffer& b, bool written) { f(k, 2 * std::size_t{b.number} + (written ? 1 : 0)); });
        };
        each([&](std::uint32_t, std::size_t which) { ++first_[which + 1]; });
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        positions_.resize(first_.back());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        each([&](std::uint32_t k, std::size_t which) { positions_[next[which]++] = k; });
    }
    std::span<const std::uint32_t> reads(const Buffer& b) const { return all(2 * std::size_t{b.number}); }
    std::span<const std::uint32_t> writes(const Buffer& b) const { return all(2 * std::size_t{b.number} + 1); }
    // After position k.
    std::span<const std::uint32_t> reads(const Buffer& b, std::uint32_t k) const { return after(reads(b), k); }
    std::span<const std::uint32_t> writes(const Buffer& b, std::uint32_t k) const { return after(writes(b), k); }
    // Before position k.
    std::span<const std::uint32_t> writes_before(const Buffer& b, std::uint32_t k) const {
        const std::span<const std::uint32_t> found = writes(b);
        return found.first(static_cast<std::size_t>(std::ranges::lower_bound(found, k) - found.begin()));
    }

private:
    std::span<const std::uint32_t> all(std::size_t which) const { return std::span(positions_).subspan(first_[which], first_[which + 1] - first_[which]); }
    static std::span<const std::uint32_t> after(std::span<const std::uint32_t> found, std::uint32_t k) {
        return found.subspan(static_cast<std::size_t>(std::ranges::upper_bound(found, k) - found.begin()));
    }

    std::vector<std::size_t> first_;  // by buffer, reads and writes
    std::vector<std::uint32_t> positions_;
};

}  // namespace asnumpy
