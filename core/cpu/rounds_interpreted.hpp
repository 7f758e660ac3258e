// Rounds without machine code: single elements are computed step by step, by the rows' loops, from numbers and table, so that a launch costs no more
// than its operands' addresses. Lines are somebody else's.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/rounds.hpp"

namespace asnumpy::cpu {

class InterpretedRounds {
public:
    explicit InterpretedRounds(const Round&);

    // As RunRounds; parts that it does not compute are `other`.
    void run(const std::int64_t* numbers, const std::int64_t* table, std::size_t rounds, char* const* bases, OtherPart other, void* context) const;
    bool computes(std::size_t part) const { return parts_[part].kind != Kind::other; }

private:
    enum class Kind : std::uint8_t { other, element, product };
    struct Term {
        std::uint32_t number;
        std::int32_t column;  // -1: none
        std::int64_t in(const std::int64_t* numbers, const std::int64_t* row) const { return numbers[number] + (column < 0 ? 0 : row[column]); }
    };
    struct Place {
        Term base, offset;
        std::uint32_t bytes;  // of an element
        char* in(const std::int64_t* numbers, const std::int64_t* row, char* const* bases) const { return bases[base.in(numbers, row)] + offset.in(numbers, row); }
    };
    struct Call {
        Loop loop;
        ValueId out;
        std::array<ValueId, 3> in;
    };
    struct Part {
        Kind kind = Kind::other;
        std::vector<Place> operands;
        std::size_t inputs = 0;
        std::vector<Call> calls;
        std::vector<ValueId> stores;
        RunProduct product = nullptr;
        std::vector<Term> sizes;  // of the product: as it takes them
    };

    void run_element(const Part&, const std::int64_t* numbers, const std::int64_t* row, char* const* bases) const;
    void run_product(const Part&, const std::int64_t* numbers, const std::int64_t* row, char* const* bases) const;

    std::vector<Part> parts_;
    std::size_t width_ = 0;  // of the table
    std::size_t most_values_ = 0;
};

}  // namespace asnumpy::cpu
