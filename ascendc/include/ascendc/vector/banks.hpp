// The banks of UB: 16 groups by blocks of 32 bytes, of three banks each of 4 KiB. What meets in one comes one after the other.
#pragma once

#include <array>

#include "ascendc/vector/walk.hpp"

namespace ascendc {

constexpr std::uint32_t bank_groups = 16, banks_of_group = 3;

// The blocks of 32 bytes that one repeat of an instruction reads and writes.
class BankUse {
public:
    template <class T>
    void add(const Operand<T>& operand, const Walk& walk, std::uint32_t repeat, bool write) {
        const std::uint32_t lanes = walk.used_lanes(repeat), per = block_bytes / static_cast<std::uint32_t>(sizeof(T));
        for (std::uint32_t lane = 0; lane < lanes; lane += per) {
            const std::uint32_t block = operand.byte(repeat, lane) / block_bytes;
            if (!seen(block)) blocks_[count_++] = {block, write};
        }
    }
    // Reads of one group wait for each other, writes of one bank do, and so do reads and writes of one bank.
    std::uint32_t cycles() const {
        std::array<std::uint32_t, bank_groups> reads{};
        std::array<std::array<std::uint32_t, 2>, bank_groups * banks_of_group> uses{};
        std::uint32_t most = 1;
        for (std::uint32_t i = 0; i < count_; ++i) {
            const auto [block, write] = blocks_[i];
            if (!write) most = std::max(most, ++reads[block % bank_groups]);
            ++uses[bank_of(block)][write];
        }
        for (const auto& [read, written] : uses) most = std::max(most, read + written);
        return most;
    }

private:
    struct Use {
        std::uint32_t block;
        bool write;
    };
    static std::uint32_t bank_of(std::uint32_t block) { return block % bank_groups + block * block_bytes / 65536 * bank_groups; }
    // The same block counts once, also where a result takes the place of a source.
    bool seen(std::uint32_t block) const {
        for (std::uint32_t i = 0; i < count_; ++i)
            if (blocks_[i].block == block) return true;
        return false;
    }

    std::array<Use, 64> blocks_;
    std::uint32_t count_ = 0;
};

// Cycles beyond those of the instruction's rate. Groups come again after 16 repeats: more are not looked at.
template <class D, class... S>
double bank_conflicts(const Walk& walk, double cycles_of_repeat, const Operand<D>& dst, const Operand<S>&... src) {
    const std::uint32_t looked = std::min(walk.repeats, bank_groups);
    double more = 0;
    for (std::uint32_t repeat = 0; repeat < looked; ++repeat) {
        BankUse use;
        (use.add(src, walk, repeat, false), ...);
        use.add(dst, walk, repeat, true);
        more += std::max(0.0, use.cycles() - cycles_of_repeat);
    }
    return looked ? more / looked * walk.repeats : 0;
}

}  // namespace ascendc
