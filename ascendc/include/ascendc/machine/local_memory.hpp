// One local memory of a core: its bytes, which of them nobody wrote, and which instruction used each block last.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>

#include "ascendc/base/constants.hpp"
#include "ascendc/machine/pipes.hpp"

namespace ascendc {

constexpr const char* memory_names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
constexpr const char* name_of(AscendC::Hardware memory) { return memory_names[static_cast<unsigned>(memory)]; }

// A use of the same bytes whose order to the present one is not certain.
struct Conflict {
    Pipe pipe;
    std::uint32_t tick;
    bool write;
    std::uint32_t address;
};

class LocalMemory {
public:
    LocalMemory(AscendC::Hardware kind, std::uint32_t bytes)
        : kind_(kind), size_(bytes), bytes_(new (std::align_val_t{4096}) std::byte[bytes]), unwritten_(bytes / block_bytes) {
        for (auto& word : unwritten_) word = all;
        std::memset(bytes_.get(), fresh, size_);
    }

    AscendC::Hardware kind() const { return kind_; }
    std::uint32_t size() const { return size_; }
    std::byte* at(std::uint32_t address) { return bytes_.get() + address; }
    bool holds(std::uint64_t address, std::uint64_t length) const { return address <= size_ && length <= size_ - address; }

    // The next kernel or block finds nothing of the one before. The order of uses need not be forgotten: ticks go on.
    void forget() {
        std::memset(bytes_.get(), fresh, reached_);
        for (std::uint32_t block = 0; block < (reached_ + block_bytes - 1) / block_bytes; ++block) unwritten_[block] = all;
        reached_ = 0;
    }

    // Bytes that nobody wrote, or that were computed from such bytes: a bit a byte.
    bool any_unwritten(std::uint32_t address, std::uint32_t length) const {
        bool found = false;
        each_word(
            address, length, [&](std::uint32_t block, std::uint32_t bits) { found |= (unwritten_[block] & bits) != 0; },
            [&](std::uint32_t first, std::uint32_t count) { found |= latest_of(unwritten_.data() + first, count) != 0; });
        return found;
    }
    void set_written(std::uint32_t address, std::uint32_t length) {
        reached_ = std::max(reached_, address + length);
        each_word(
            address, length, [&](std::uint32_t block, std::uint32_t bits) { unwritten_[block] &= ~bits; },
            [&](std::uint32_t first, std::uint32_t count) { std::memset(unwritten_.data() + first, 0, count * sizeof(std::uint32_t)); });
    }
    void set_unwritten(std::uint32_t address, std::uint32_t length) {
        reached_ = std::max(reached_, address + length);
        each_word(
            address, length, [&](std::uint32_t block, std::uint32_t bits) { unwritten_[block] |= bits; },
            [&](std::uint32_t first, std::uint32_t count) { std::memset(unwritten_.data() + first, 0xff, count * sizeof(std::uint32_t)); });
    }
    // What nobody wrote of the source is as if nobody had written it here, element by element.
    void pass_unwritten(const LocalMemory& from, std::uint32_t source, std::uint32_t target, std::uint32_t length, std::uint32_t element) {
        set_written(target, length);
        if (!from.any_unwritten(source, length)) return;
        for (std::uint32_t i = 0; i < length; i += element)
            if (from.any_unwritten(source + i, element)) set_unwritten(target + i, element);
    }
    std::uint32_t first_unwritten(std::uint32_t address, std::uint32_t length) const {
        for (std::uint32_t at = address; at < address + length; ++at)
            if (unwritten_[at / block_bytes] >> (at % block_bytes) & 1u) return at;
        return address + length;
    }

    // Instruction `tick` of `pipe` uses these bytes. `certain`: for each pipe the last instruction that is complete. Gives a use
    // that may not be complete and that this one must not pass; blocks of 32 bytes are what is compared.
    std::optional<Conflict> use(Pipe pipe, std::uint32_t tick, const Ticks& certain, bool write, std::uint32_t address,
                                std::uint32_t length) {
        if (!length) return std::nullopt;
        const std::uint32_t first = address / block_bytes, last = (address + length - 1) / block_bytes;
        std::optional<Conflict> found;
        for (unsigned other = 0; other < pipe_count && !found; ++other) {
            found = later_than(writes_[other], certain[other], first, last, static_cast<Pipe>(other), true);
            if (!found && write) found = later_than(reads_[other], certain[other], first, last, static_cast<Pipe>(other), false);
        }
        Uses& mine = write ? writes_[index(pipe)] : reads_[index(pipe)];
        if (mine.ticks.empty()) mine.ticks.resize(unwritten_.size());
        set_ticks(mine.ticks.data() + first, last + 1 - first, tick);
        mine.latest = tick;
        return found;
    }

private:
    static constexpr std::uint32_t all = ~0u;
    static constexpr int fresh = 0xcb;  // as half and float: a large negative number that nobody mistakes for a result

    // The last use of each block by one pipe.
    struct Uses {
        std::vector<std::uint32_t> ticks;
        std::uint32_t latest = 0;
    };
    struct Release {
        void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{4096}); }
    };

    // Several blocks at a time, which compilers do by themselves only when they are asked for all that they can.
    static constexpr std::uint32_t together = 8;
    using Several = std::uint32_t __attribute__((vector_size(together * sizeof(std::uint32_t))));

    static std::uint32_t latest_of(const std::uint32_t* ticks, std::uint32_t count) {
        Several most{};
        std::uint32_t i = 0, latest = 0;
        for (; i + together <= count; i += together) {
            Several some;
            std::memcpy(&some, ticks + i, sizeof some);
            most = some > most ? some : most;
        }
        for (std::uint32_t k = 0; k < together; ++k) latest = std::max<std::uint32_t>(latest, most[k]);
        for (; i < count; ++i) latest = std::max(latest, ticks[i]);
        return latest;
    }
    static void set_ticks(std::uint32_t* ticks, std::uint32_t count, std::uint32_t tick) {
        const Several some = Several{} + tick;
        std::uint32_t i = 0;
        for (; i + together <= count; i += together) std::memcpy(ticks + i, &some, sizeof some);
        for (; i < count; ++i) ticks[i] = tick;
    }

    static std::optional<Conflict> later_than(const Uses& uses, std::uint32_t certain, std::uint32_t first, std::uint32_t last, Pipe pipe,
                                              bool write) {
        if (uses.latest <= certain) return std::nullopt;
        if (latest_of(uses.ticks.data() + first, last + 1 - first) <= certain) return std::nullopt;
        std::uint32_t block = first;
        while (uses.ticks[block] <= certain) ++block;
        return Conflict{pipe, uses.ticks[block], write, block * block_bytes};
    }

    // The words of blocks of which some bytes are meant, one by one, and those between them.
    template <class Some, class Whole>
    static void each_word(std::uint32_t address, std::uint32_t length, Some some, Whole whole) {
        if (!length) return;
        const std::uint32_t first = address / block_bytes, last = (address + length - 1) / block_bytes;
        const std::uint32_t begin = all << (address % block_bytes), end = all >> (block_bytes - 1 - (address + length - 1) % block_bytes);
        if (first == last) return some(first, begin & end);
        some(first, begin);
        whole(first + 1, last - first - 1);
        some(last, end);
    }

    AscendC::Hardware kind_;
    std::uint32_t size_;
    std::unique_ptr<std::byte[], Release> bytes_;
    std::vector<std::uint32_t> unwritten_;
    std::uint32_t reached_ = 0;
    std::array<Uses, pipe_count> writes_;
    std::array<Uses, pipe_count> reads_;
};

}  // namespace ascendc
