// Parts get numbers by what is alike; the launches of those that repeat become numbers; code for them is looked for as it comes.
#include "runtime/rounds.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "runtime/record.hpp"
#include "runtime/repeats.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

// One launch of a round. (What Rounds::Finding captures has linkage as it has itself.)
struct OneLaunch {
    struct Of {
        const Array* array;  // or
        const Scalar* constant;
        std::array<std::int64_t, cpu::Round::most_axes> strides{};
    };
    int axes = 0;
    std::array<std::int64_t, 3> lengths{};
    std::vector<Of> operands;
};

namespace {

using cpu::Number;
using cpu::Stride;

// Rounds are worth code where launches are short and many.
constexpr std::size_t longest_round = 64, fewest_rounds = 8;       // parts
constexpr std::uintptr_t alignment = 8;  // the largest of a dtype that rounds have

// Operands that are no arrays lie anywhere: their offsets count from here.
char anchor;

// A short product of two matrices that the host computes.
std::optional<cpu::MatrixProduct> product_of(std::span<const Instruction> list, const Schedule::Part& part) {
    static const RowId matmul = find_row("matmul");
    const Instruction& only = list[part.group.members.front()];
    if (!part.group.alone || only.work != Work::structured || only.row != matmul || only.on_host || only.on_stream != 0 || !only.out[0].host_visible()) return {};
    const Array &a = *only.in[0].array(), &c = only.out[0];
    if (c.ndim() != 2 || c.size() == 0 || a.size() == 0 || c.size() * a.shape()[1] > cpu::most_multiplications) return {};
    const cpu::MatrixProduct product{c.dtype, only.option == 1};
    return cpu::product_of(product) ? std::optional(product) : std::nullopt;
}

OneLaunch launch_of_product(const Instruction& only) {
    OneLaunch made;
    made.axes = 2;
    made.lengths = {only.out[0].shape()[0], only.out[0].shape()[1], only.in[0].array()->shape()[1]};
    for (const Array* array : {only.in[0].array(), only.in[1].array(), static_cast<const Array*>(&only.out[0])})
        made.operands.push_back({array, nullptr, {array->view.strides[0], array->view.strides[1], 0}});
    return made;
}

bool is_short_program(std::span<const Instruction> list, const Schedule::Part& part, std::int64_t longest = longest_in_lines) {
    const Instruction& first = list[part.group.members.front()];
    return !part.group.alone && !part.fused.outputs.empty() && part.fused.through.empty() && first.out[0].host_visible() && first.on_stream == 0 &&
           count(first.shape) <= longest;
}

// Axes in the order of the shape, neighbours that every operand walks in one go joined; nothing where there are too many, or where the order of
// additions would be another one.
std::optional<OneLaunch> launch_of(std::span<const Instruction> list, const Schedule::Part& part) {
    const Dims& shape = list[part.group.members.front()].shape;
    OneLaunch made;
    std::vector<const Dims*> strides;
    for (const Place& place : part.fused.inputs) {
        const Argument& in = list[place.instruction].in[place.slot];
        made.operands.push_back({in.array(), in.scalar()});
        strides.push_back(in.array() ? &in.array()->view.strides : nullptr);
    }
    for (const Place& place : part.fused.outputs) {
        made.operands.push_back({&list[place.instruction].out[place.slot], nullptr});
        strides.push_back(&made.operands.back().array->view.strides);
    }
    const auto along = [&](std::size_t operand, int axis) { return strides[operand] ? (*strides[operand])[axis] : 0; };
    const auto joined = [&](int axis, int length) {
        for (std::size_t k = 0; k < strides.size(); ++k)
            if (made.operands[k].strides[static_cast<std::size_t>(made.axes - 1)] != along(k, axis) * length) return false;
        return true;
    };
    for (int axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 0) return {};
        if (shape[axis] == 1) continue;
        if (made.axes == 0 || !joined(axis, static_cast<int>(shape[axis]))) {
            if (made.axes == cpu::Round::most_axes) return {};
            made.lengths[static_cast<std::size_t>(made.axes++)] = 1;
        }
        const auto last = static_cast<std::size_t>(made.axes - 1);
        made.lengths[last] *= shape[axis];
        for (std::size_t k = 0; k < strides.size(); ++k) made.operands[k].strides[last] = along(k, axis);
    }
    if (!part.fused.program.reductions.empty()) {
        const std::size_t reads = part.fused.inputs.size() + part.fused.program.stores.size();
        const bool backwards = std::ranges::any_of(made.operands, [](const OneLaunch::Of& one) { return one.strides[0] < 0; });
        if (made.axes != 1 || made.lengths[0] > cpu::longest_folded || backwards || made.operands[reads].strides[0] != 0) return {};
    }
    return made;
}

Stride kind_of(std::int64_t stride, DType dtype) { return stride == 0 ? Stride::same : stride == item_bytes(dtype) ? Stride::next : Stride::some; }

// What the rounds of a part have in common.
cpu::Round::Part common_of(std::span<const Instruction> list, const Schedule::Part& part) {
    cpu::Round::Part common;
    cpu::Round::Strides strides;
    common.product = product_of(list, part);
    if (common.product) {
        strides.fill(Stride::some);
        common.strides.assign(3, strides);
    }
    if (!is_short_program(list, part) || !cpu::may_be_in_round(part.fused.program, count(list[part.group.members.front()].shape) == 1)) return common;
    const std::optional<OneLaunch> launch = launch_of(list, part);
    if (!launch) return common;
    common.program = part.fused.program;
    common.axes = launch->axes;
    for (const OneLaunch::Of& one : launch->operands) {
        strides.fill(Stride::same);
        const DType dtype = one.array ? one.array->dtype : one.constant->dtype;
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(launch->axes); ++axis) strides[axis] = kind_of(one.strides[axis], dtype);
        common.strides.push_back(strides);
    }
    return common;
}

// Numbers of parts, by what is alike in rounds.
class Kinds {
public:
    std::uint32_t of(std::span<const Instruction> list, const Schedule::Part& part) {
        const auto numbered = [this](auto& numbers, auto&& key) {
            const auto [found, added] = numbers.try_emplace(std::forward<decltype(key)>(key), next_);
            if (added) ++next_;
            return found->second;
        };
        if (cpu::Round one{{common_of(list, part)}, {}}; !one.parts[0].is_others()) return numbered(coded_, std::move(one));
        const Instruction& first = list[part.group.members.front()];
        if (is_short_program(list, part)) return numbered(programs_, &part.fused.program);
        // Somebody else's; longer programs belong to no round, or they would not run together with others.
        if (!part.group.alone && first.out[0].host_visible()) return next_++;
        return numbered(others_, std::pair(first.row, part.group.alone));
    }

private:
    struct Hash {
        std::size_t operator()(const cpu::Round& round) const { return round.hash(); }
        std::size_t operator()(const Program* program) const { return program->hash(); }
    };
    struct Equal {
        bool operator()(const Program* a, const Program* b) const { return *a == *b; }
    };

    std::uint32_t next_ = 0;
    std::unordered_map<cpu::Round, std::uint32_t, Hash> coded_;
    std::unordered_map<const Program*, std::uint32_t, Hash, Equal> programs_;
    std::map<std::pair<RowId, bool>, std::uint32_t> others_;
};

}  // namespace

// From launches to numbers: of each round first, then those that differ as columns.
class Rounds::Finding {
public:
    Finding(std::span<const Instruction> list, const Schedule& schedule, const Roots& roots) : list_(list), schedule_(schedule), roots_(roots) {}

    std::optional<Rounds> made(const Repeat& repeat) {
        Rounds rounds;
        rounds.first_ = repeat.first;
        rounds.count_ = repeat.count;
        for (std::size_t k = 0; k < repeat.period; ++k) rounds.round_.parts.push_back(common_of(list_, schedule_.parts[repeat.first + k]));
        if (std::ranges::none_of(rounds.round_.parts, [](const cpu::Round::Part& part) { return part.program.has_value(); })) return {};
        numbers_.clear();
        std::vector<std::int64_t> all;  // round after round
        for (std::size_t r = 0; r < repeat.count; ++r)
            for (std::size_t k = 0; k < repeat.period; ++k)
                if (!rounds.round_.parts[k].is_others() && !add(rounds, rounds.round_.parts[k], schedule_.parts[repeat.first + r * repeat.period + k], all)) return {};
        put_down(rounds, all);
        rounds.interpreted_.emplace(rounds.round_);
        rounds.lines_ = cpu::RoundLines::find(rounds.round_, rounds.numbers_, rounds.table_, rounds.count_);
        const auto is_long = [&](const Schedule::Part& part) { return is_short_program(list_, part) && !is_short_program(list_, part, longest_in_round); };
        if (!rounds.lines_ && std::ranges::any_of(std::span(schedule_.parts).subspan(repeat.first, repeat.period), is_long)) return {};
        rounds.called_ = cpu::called_loops(rounds.round_);
        rounds.products_ = cpu::called_products(rounds.round_);
        return rounds;
    }

private:
    // False: an operand is not aligned.
    bool add(Rounds& rounds, const cpu::Round::Part& common, const Schedule::Part& part, std::vector<std::int64_t>& to) {
        const OneLaunch launch = common.product ? launch_of_product(list_[part.group.members.front()]) : *launch_of(list_, part);
        bool aligned = true;
        std::int64_t offset = 0;
        cpu::each_number(common, [&](Number which, std::size_t k, int axis) {
            const auto at = static_cast<std::size_t>(axis);
            switch (which) {
                case Number::length: to.push_back(launch.lengths[at]); break;
                case Number::base:
                    to.push_back(base_of(rounds, launch.operands[k], offset));
                    aligned = aligned && is_aligned(launch.operands[k], offset);
                    break;
                case Number::offset: to.push_back(offset); break;
                case Number::stride: to.push_back(launch.operands[k].strides[at]); break;
            }
        });
        return aligned;
    }

    static bool is_aligned(const OneLaunch::Of& operand, std::int64_t offset) {
        if (!operand.array) return true;
        const std::int64_t unit = std::min<std::int64_t>(item_bytes(operand.array->dtype), alignment);
        return offset % unit == 0 && std::ranges::all_of(operand.strides, [unit](std::int64_t stride) { return stride % unit == 0; });
    }

    std::int64_t base_of(Rounds& rounds, const OneLaunch::Of& operand, std::int64_t& offset) {
        Where where{0, nullptr};
        if (!operand.array) {
            // Equal constants are one.
            const Scalar*& first = constants_[*operand.constant];
            if (!first) first = operand.constant;
            where.base = no_base;
            offset = reinterpret_cast<std::intptr_t>(bytes_of(*first)) - reinterpret_cast<std::intptr_t>(&anchor);
        } else {
            offset = operand.array->view.offset;
            if (const auto root = roots_.find(operand.array->buffer.get()); root != roots_.end()) {
                where.base = root->second.base;
                offset += root->second.offset;
            } else {
                where.buffer = operand.array->buffer.get();
            }
        }
        const auto [found, added] = numbers_.try_emplace(std::pair(where.base, where.buffer), 0);
        if (added) {
            found->second = rounds.where_.size();
            rounds.where_.push_back(where);
        }
        return static_cast<std::int64_t>(found->second);
    }

    // What differs from the first round's, where it does; equal ones of these are one column.
    static void put_down(Rounds& rounds, const std::vector<std::int64_t>& all) {
        const std::size_t numbers = all.size() / rounds.count_;
        rounds.numbers_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(numbers));
        std::vector<std::vector<std::int64_t>> columns;
        std::map<std::vector<std::int64_t>, std::int32_t> known;
        std::vector<std::int64_t> differs(rounds.count_);
        for (std::size_t k = 0; k < numbers; ++k) {
            for (std::size_t r = 0; r < rounds.count_; ++r) differs[r] = all[r * numbers + k] - all[k];
            if (std::ranges::all_of(differs, [](std::int64_t one) { return one == 0; })) {
                rounds.round_.columns.push_back(-1);
                continue;
            }
            const auto [found, added] = known.try_emplace(differs, static_cast<std::int32_t>(columns.size()));
            if (added) columns.push_back(differs);
            rounds.round_.columns.push_back(found->second);
        }
        rounds.table_.reserve(rounds.count_ * columns.size());
        for (std::size_t r = 0; r < rounds.count_; ++r)
            for (const auto& column : columns) rounds.table_.push_back(column[r]);
    }

    static constexpr std::uint32_t no_base = ~std::uint32_t{0};
    struct ByBytes {
        bool operator()(const Scalar& a, const Scalar& b) const { return a.dtype != b.dtype ? a.dtype < b.dtype : a.bytes < b.bytes; }
    };

    std::span<const Instruction> list_;
    const Schedule& schedule_;
    const Roots& roots_;
    std::map<Scalar, const Scalar*, ByBytes> constants_;
    std::map<std::pair<std::uint32_t, const Buffer*>, std::size_t> numbers_;  // of bases; of the rounds that are being made

    friend class Rounds;
};

std::vector<Rounds> Rounds::find(std::span<const Instruction> list, const Schedule& schedule, const Roots& roots, FunctionRef<bool(std::size_t part)> gives_back) {
    std::vector<Rounds> found;
    if (schedule.parts.size() < fewest_rounds) return found;
    Kinds kinds;
    std::vector<std::uint32_t> sequence;
    sequence.reserve(schedule.parts.size());
    for (const Schedule::Part& part : schedule.parts) sequence.push_back(kinds.of(list, part));
    Finding finding(list, schedule, roots);
    for (const Repeat& repeat : find_repeats(sequence, longest_round, fewest_rounds))
        if (auto made = finding.made(repeat)) found.push_back(std::move(*made));
    for (Rounds& one : found)
        for (std::size_t p = one.first(); p < one.first() + one.parts(); ++p)
            if (gives_back(p)) one.giving_back_.push_back(p);
    return found;
}

bool Rounds::awaits_code() const {
    cpu::want_code(round_, cpu::Effort::compile);
    return cpu::find_code(round_).state == cpu::CodeState::coming;
}

void Rounds::note(std::int64_t ns) {
    if (refused_ || cpu::code_mode() == cpu::CodeMode::off) return;
    spent_ns_ += ns;
    if (spent_ns_ < cpu::long_enough_to_look) return;
    const cpu::Effort worth = spent_ns_ < cpu::long_enough_to_compile ? cpu::Effort::look : cpu::Effort::compile;
    if (wanted_ && *wanted_ >= worth) return;
    cpu::want_code(round_, worth);
    wanted_ = worth;
}

std::string Rounds::text() const {
    const auto coded = std::ranges::count_if(round_.parts, [](const cpu::Round::Part& part) { return !part.is_others(); });
    const cpu::CodeState state = cpu::code_mode() == cpu::CodeMode::off ? cpu::CodeState::refused : cpu::find_code(round_).state;
    const std::string how = state == cpu::CodeState::refused ? "without machine code"
                                                             : "of which " + std::to_string(coded) + (state == cpu::CodeState::there ? " run in machine code" : " are to run in machine code") +
                                                                   (lines_ ? ", some lines at a time" : "");
    return "programs " + std::to_string(first_) + " to " + std::to_string(first_ + parts() - 1) + ": " + std::to_string(count_) + " rounds of " +
           std::to_string(round_.parts.size()) + ", " + how + "\n";
}

bool Rounds::decide(std::span<char* const> bases) {
    const bool wanted = cpu::code_mode() != cpu::CodeMode::off;
    if (const std::uint32_t now = cpu::code_generation(); wanted && !code_ && !refused_ && generation_ != now) {
        generation_ = now;
        const cpu::FoundCode found = cpu::find_code(round_);
        refused_ = found.state == cpu::CodeState::refused;
        if (found.state == cpu::CodeState::there) code_ = found.codes[0].rounds;
    }
    const auto is_aligned = [](const char* address) { return reinterpret_cast<std::uintptr_t>(address) % alignment == 0; };
    const bool aligned = std::ranges::all_of(where_, [&](const Where& where) {
        if (where.buffer) return !where.buffer->materialised() || is_aligned(where.buffer->data());  // the pool's memory is
        return where.base == Finding::no_base || is_aligned(bases[where.base]);
    });
    const Way before = std::exchange(now_, !aligned ? Way::one_by_one : wanted && code_ ? Way::code : Way::interpreted);
    return now_ == before;
}

void Rounds::run(std::span<char* const> bases, FunctionRef<void(std::size_t part)> other) {
    addresses_.clear();
    for (const Where& where : where_) {
        if (where.buffer) where.buffer->materialise();
        addresses_.push_back(where.buffer ? where.buffer->data() : where.base != Finding::no_base ? bases[where.base] : &anchor);
    }
    struct Context {
        FunctionRef<void(std::size_t)> other;
        std::size_t first;
    } context{other, first_};
    const cpu::OtherPart call = [](void* given, std::size_t part) {
        const Context& to = *static_cast<Context*>(given);
        to.other(to.first + part);
    };
    if (const std::int64_t lines = has_code() && lines_ ? lines_->at_once() : 0; lines > 0) lines_->run(lines, code_, numbers_, table_, count_, addresses_);
    else if (has_code()) code_(numbers_.data(), table_.data(), count_, addresses_.data(), called_.data(), products_.data(), call, &context);
    else interpreted_->run(numbers_.data(), table_.data(), count_, addresses_.data(), call, &context);
}

}  // namespace asnumpy
