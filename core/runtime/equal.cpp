// What a list computes twice is computed once: instructions are found by what they do and the values that they read.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/hash.hpp"
#include "cpu/backend.hpp"
#include "runtime/passes.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

using ValueNumber = std::uint32_t;  // equal ones: the buffers hold the same bytes

class EqualSearch {
public:
    explicit EqualSearch(Draft& draft) : draft_(draft), writes_(draft.writes()), holds_(draft.census.marks().size()), kept_(holds_.size(), {nobody, 0, false}),
          table_(std::bit_ceil(2 * draft.list.size()), nobody) {
        for (ValueNumber& value : holds_) value = next_++;
        firsts_.reserve(draft.list.size());
    }

    std::size_t run() {
        for (std::uint32_t j = 0; j < draft_.list.size(); ++j)
            if (!draft_.dead[j]) visit(j);
        if (draft_.edits.redirects.empty()) draft_.edits.equal.clear();
        return shared_;
    }

private:
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};

    struct First {
        std::size_t hash;
        std::uint32_t position;
        std::array<ValueNumber, most_read> read;
        ValueNumber made;  // that of the first output; the others follow
    };

    void visit(std::uint32_t j) {
        Instruction& instruction = draft_.list[j];
        std::array<ValueNumber, most_read> read{};
        for (std::uint8_t slot = 0; slot < instruction.in.size(); ++slot) {
            const Array* const a = instruction.in[slot].array();
            if (!a) continue;
            const std::uint32_t number = a->buffer->number;
            read[slot] = holds_[number];
            if (kept_[number].instruction != nobody) draft_.redirect({j, slot, kept_[number], replaces_[number]});
        }
        ValueNumber made = next_;
        next_ += static_cast<ValueNumber>(instruction.out.size());
        if (std::ranges::all_of(instruction.out, [&](const Array& out) { return writes_[out.buffer->number] == 1; })) {
            const First* const first = find(instruction, {hash(instruction, read), j, read, made});
            if (first) {
                made = first->made;
                draft_.edits.equal.emplace_back(first->position, j);
                if (pays(instruction)) share(first->position, j);
            }
        }
        for (std::size_t k = 0; k < instruction.out.size(); ++k) holds_[instruction.out[k].buffer->number] = made + static_cast<ValueNumber>(k);
    }

    // What was computed before; null where this is the first of its kind, which is then known.
    const First* find(const Instruction& instruction, const First& made) {
        std::size_t at = made.hash & (table_.size() - 1);
        for (; table_[at] != nobody; at = (at + 1) & (table_.size() - 1)) {
            const First& first = firsts_[table_[at]];
            if (first.hash == made.hash && first.read == made.read && computes_alike(draft_.list[first.position], instruction)) return &first;
        }
        table_[at] = static_cast<std::uint32_t>(firsts_.size());
        firsts_.push_back(made);
        return nullptr;
    }

    // What a program computes again on its way costs less than memory for it.
    static bool pays(const Instruction& i) {
        return i.work != Work::elementwise || i.on_host || !i.out[0].host_visible() || !cpu::recomputes(i.row, i.loop);
    }

    // Who reads a result of `later` will read that of `first`. Others may see only the latter.
    void share(std::uint32_t first, std::uint32_t later) {
        const Instruction& instruction = draft_.list[later];
        if (std::ranges::any_of(instruction.out, [&](const Array& out) { return draft_.census[*out.buffer].outside; })) return;
        if (replaces_.empty()) replaces_.resize(kept_.size());
        for (std::uint8_t k = 0; k < instruction.out.size(); ++k) {
            const std::uint32_t number = instruction.out[k].buffer->number;
            kept_[number] = {first, k, true};
            replaces_[number] = {later, k, true};
        }
        ++shared_;
    }

    static std::size_t hash(const Instruction& i, const std::array<ValueNumber, most_read>& read) {
        std::uint64_t h = std::uint64_t{i.row} << 32 | std::uint64_t{i.loop} << 16 | static_cast<std::uint64_t>(i.work);
        const auto add = [&h](std::uint64_t word) { h = mixed(h, word); };
        for (std::size_t slot = 0; slot < i.in.size(); ++slot) {
            if (const Array* a = i.in[slot].array()) {
                add(read[slot]);
                add(static_cast<std::uint64_t>(a->view.offset));
            } else {
                add(i.in[slot].scalar()->get<std::uint64_t>());
            }
        }
        add(static_cast<std::uint64_t>(i.axis));
        return h;
    }

    Draft& draft_;
    const std::vector<std::uint32_t> writes_;  // by buffer: over the whole list
    ValueNumber next_ = 0;
    std::vector<ValueNumber> holds_;           // by buffer: up to the instruction that is looked at
    std::vector<Place> kept_, replaces_;       // by buffer: what is read in its place
    std::vector<First> firsts_;                // of each kind
    std::vector<std::uint32_t> table_;         // by hash: which of these
    std::size_t shared_ = 0;
};

}  // namespace

std::size_t share_equal(Draft& draft) { return EqualSearch(draft).run(); }

}  // namespace asnumpy
