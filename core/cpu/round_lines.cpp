// Every operand of every round is looked at once: where its first line begins and ends, how far it is to the next one.
#include "cpu/round_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#include "cpu/ordered_lines.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::size_t most_looked_at = 1 << 18;  // of all rounds, which are sorted
// Fewer lines than this are hardly worth a loop; so many at least begin where no other thread writes.
constexpr std::int64_t least_lines_at_once = 32, unit_of_lines = 16;
constexpr double step_ns = 0.3;  // on an element

}  // namespace

class RoundLines::Finding {
public:
    Finding(const Round& round, std::span<const std::int64_t> numbers, std::span<const std::int64_t> table, std::size_t rounds)
        : round_(round), numbers_(numbers), table_(table), rounds_(rounds), width_(rounds > 0 ? table.size() / rounds : 0) {}

    std::optional<RoundLines> run() {
        std::size_t operands = 0;
        for (const Round::Part& part : round_.parts) {
            if (!part.program || part.axes == 0 || !part.program->reductions.empty()) return {};
            operands += part.strides.size();
        }
        if (operands * rounds_ > most_looked_at) return {};
        std::size_t first = 0;
        for (const Round::Part& part : round_.parts)
            if (!look_at(part, first)) return {};
        for (auto& [base, lines] : bases_)
            if (!add(lines)) return {};
        return std::move(made_);
    }

private:
    // Where the numbers of an operand are.
    struct Numbers {
        std::size_t base = 0, offset = 0;
        std::array<std::size_t, Round::most_axes> stride{};
    };
    struct Line {
        std::int64_t low, high;
        auto operator<=>(const Line&) const = default;
    };
    // From one base.
    struct Lines {
        std::vector<Line> first;      // of each operand
        std::int64_t stride = 0;
        bool written = false, one_stride = true;
    };

    std::int64_t value(std::size_t number, std::size_t round) const {
        const std::int32_t column = round_.columns[number];
        return numbers_[number] + (column < 0 ? 0 : table_[round * width_ + static_cast<std::size_t>(column)]);
    }
    bool is_one(std::size_t number) const { return round_.columns[number] < 0; }

    bool look_at(const Round::Part& part, std::size_t& first) {
        std::array<std::size_t, Round::most_axes> lengths{};
        std::vector<Numbers> operands(part.strides.size());
        std::size_t next = first;
        each_number(part, [&](Number which, std::size_t k, int axis) {
            const auto at = static_cast<std::size_t>(axis);
            switch (which) {
                case Number::length: lengths[at] = next; break;
                case Number::base: operands[k].base = next; break;
                case Number::offset: operands[k].offset = next; break;
                case Number::stride: operands[k].stride[at] = next; break;
            }
            ++next;
        });
        first = next;
        if (!is_one(lengths[0])) return false;
        if (made_.lines_ == 0) made_.lines_ = numbers_[lengths[0]];
        if (numbers_[lengths[0]] != made_.lines_) return false;
        made_.lengths_.push_back(lengths[0]);
        const auto inner = [&](std::size_t axis, std::size_t round) { return axis < static_cast<std::size_t>(part.axes) ? value(lengths[axis], round) : 1; };
        const auto steps = static_cast<std::int64_t>(part.program->steps.size() + part.strides.size());
        for (std::size_t r = 0; r < rounds_; ++r) made_.line_work_ += inner(1, r) * inner(2, r) * steps;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const auto item = static_cast<std::int64_t>(itemsize(dtype_of(*part.program, k)));
            const auto stride = [&](std::size_t axis, std::size_t round) {
                const Stride kind = part.strides[k][axis];
                return kind == Stride::same ? 0 : kind == Stride::next ? item : value(operands[k].stride[axis], round);
            };
            if (part.strides[k][0] == Stride::some && !is_one(operands[k].stride[0])) return false;
            const std::int64_t apart = stride(0, 0);
            if (apart != 0) made_.moved_.push_back({operands[k].offset, apart});
            for (std::size_t r = 0; r < rounds_; ++r) {
                Lines& lines = bases_[value(operands[k].base, r)];
                Line line{value(operands[k].offset, r), value(operands[k].offset, r) + item};
                for (std::size_t axis = 1; axis < static_cast<std::size_t>(part.axes); ++axis) {
                    const std::int64_t reach = stride(axis, r) * (inner(axis, r) - 1);
                    (reach < 0 ? line.low : line.high) += reach;
                }
                if (lines.first.empty()) lines.stride = apart;
                lines.one_stride = lines.one_stride && lines.stride == apart;
                lines.written = lines.written || k >= part.program->inputs.size();
                lines.first.push_back(line);
            }
        }
        return true;
    }

    // False: some line meets another one of those that are written.
    bool add(Lines& lines) {
        std::ranges::sort(lines.first);
        const auto same = std::ranges::unique(lines.first);
        lines.first.erase(same.begin(), same.end());
        if (lines.written && !are_apart(lines)) return false;
        made_.line_bytes_ += bytes_of_line(lines.first, std::abs(lines.stride));
        return true;
    }

    // What lies near each other is in the caches once: within a cache line, or where a few lines reach.
    static std::int64_t bytes_of_line(std::span<const Line> sorted, std::int64_t apart) {
        if (apart == 0) return 0;
        const std::int64_t near = apart < cache_line ? least_lines_at_once * apart : cache_line;
        std::int64_t bytes = 0, low = sorted.front().low, high = sorted.front().high;
        const auto touched = [&] { return apart < cache_line ? apart : std::max(high - low, cache_line); };
        for (const Line& line : sorted) {
            if (line.low - high > near) {
                bytes += touched();
                low = line.low;
                high = line.high;
            }
            high = std::max(high, line.high);
        }
        return bytes + touched();
    }

    // Operands that lie within one distance of lines never meet in different lines; others may not meet at all.
    bool are_apart(const Lines& lines) const {
        const std::int64_t apart = std::abs(lines.stride);
        if (!lines.one_stride || apart == 0) return false;
        std::int64_t low = lines.first.front().low, high = lines.first.front().high;
        for (const Line& line : lines.first) {
            if (std::max(high, line.high) - low <= apart) {
                high = std::max(high, line.high);
                continue;
            }
            if (line.low < high + apart * (made_.lines_ - 1) || line.high - line.low > apart) return false;
            low = line.low;
            high = line.high;
        }
        return true;
    }

    const Round& round_;
    std::span<const std::int64_t> numbers_, table_;
    std::size_t rounds_, width_;
    std::map<std::int64_t, Lines> bases_;
    RoundLines made_;
};

std::optional<RoundLines> RoundLines::find(const Round& round, std::span<const std::int64_t> numbers, std::span<const std::int64_t> table, std::size_t rounds) {
    return Finding(round, numbers, table, rounds).run();
}

std::int64_t RoundLines::at_once() const {
    const double each = step_ns * static_cast<double>(lines_ * line_work_) / free_threads();
    const std::int64_t threads = each >= worth_sharing_ns() ? free_threads() : 1, room = cache_bytes().second / 2;
    if (threads == 1 && lines_ * line_bytes_ <= room) return 0;
    std::int64_t lines = std::max(least_lines_at_once, std::min((lines_ + threads - 1) / threads, room / std::max<std::int64_t>(line_bytes_, 1)));
    lines = (lines + unit_of_lines - 1) / unit_of_lines * unit_of_lines;
    return lines < lines_ ? lines : 0;
}

void RoundLines::run(std::int64_t lines, RunRounds made, std::span<const std::int64_t> numbers, std::span<const std::int64_t> table, std::size_t rounds,
                     std::span<char* const> bases) const {
    thread_local std::vector<std::int64_t> own;  // numbers of a block
    parallel_for((lines_ + lines - 1) / lines, 1, [&] { own.resize(std::max(own.size(), numbers.size())); }, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t b = begin; b < end; ++b) {
            std::ranges::copy(numbers, own.begin());
            for (const std::size_t length : lengths_) own[length] = std::min(lines, lines_ - b * lines);
            for (const Moved& one : moved_) own[one.number] += b * lines * one.stride;
            made(own.data(), table.data(), rounds, bases.data(), nullptr, nullptr, nullptr, nullptr);
        }
    });
}

}  // namespace asnumpy::cpu
