// The banks of UB: 16 groups by blocks of 32 bytes, of three banks each of 4 KiB. What meets in one comes one after the other.
#pragma once

#include <array>

#include "ascendc/vector/walk.hpp"

namespace ascendc {

constexpr std::uint32_t bank_groups = 16, banks_of_group = 3, bank_bytes = 65536;  // the latter: of one bank of every group

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
    static std::uint32_t bank_of(std::uint32_t block) { return block % bank_groups + block * block_bytes / bank_bytes * bank_groups; }
    // The same block counts once, also where a result takes the place of a source. A table of twice as many places as there are uses.
    bool seen(std::uint32_t block) {
        std::uint32_t place = block % places;
        for (; table_[place]; place = (place + 1) % places)
            if (table_[place] == block + 1) return true;
        table_[place] = block + 1;
        return false;
    }

    static constexpr std::uint32_t most_uses = 64, places = 2 * most_uses;
    std::array<Use, most_uses> blocks_;
    std::array<std::uint32_t, places> table_{};  // blocks and 1
    std::uint32_t count_ = 0;
};

// Whether `count` repeats have as many lanes each, and this operand stays in one bank of each group.
template <class T>
bool in_one_bank(const Operand<T>& operand, const Walk& walk, std::uint32_t count) {
    const std::uint32_t lanes = walk.used_lanes(0);
    return lanes && walk.used_lanes(count - 1) == lanes && operand.byte(0, 0) / bank_bytes == operand.byte(count - 1, lanes - 1) / bank_bytes;
}

// Cycles beyond those of the instruction's rate. Groups come again after 16 repeats: more are not looked at. Where all operands
// go on by the same step, what meets in the first repeat meets in each.
template <class D, class... S>
double bank_conflicts(const Walk& walk, double cycles_of_repeat, const Operand<D>& dst, const Operand<S>&... src) {
    std::uint32_t looked = std::min(walk.repeats, bank_groups);
    if (looked && ((src.strides.repeat == dst.strides.repeat) && ...) && in_one_bank(dst, walk, looked) && (in_one_bank(src, walk, looked) && ...))
        looked = 1;
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
