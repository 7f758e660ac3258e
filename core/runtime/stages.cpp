// Line by line: the views of two programs on one buffer are compared, as in fusion, but along one axis only.
#include "runtime/stages.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

namespace asnumpy {
namespace {

// Of a program: less stays in a cache anyway. For lines in order of what is overwritten more, since the search compares all operands of a chain,
// several times.
constexpr std::int64_t fewest_elements = 64 * 1024, fewest_overwritten = 1024 * 1024;
// Of one chain: each operand is compared with those before it that have its buffer.
constexpr std::size_t most_stages = 32, most_operands = 96;

// A part as it may take its place in a chain.
struct Candidate {
    Launch launch;
    std::vector<const Array*> arrays;  // by operand; null: a constant
    std::size_t inputs = 0;
    int axis = 0;
    std::int64_t first = 0, behind = 0;  // in order: as in Stages::Stage

    bool writes(std::size_t operand) const { return operand >= inputs; }
    bool reads_through(std::size_t operand) const { return launch.operands[operand].turned; }  // any line of the array with any of its own
    std::int64_t line_stride(std::size_t operand) const { return launch.operands[operand].strides[axis]; }
    // The bytes of the buffer that line 0 of all reaches, or would reach.
    Extent line(std::size_t operand) const {
        const Array& array = *arrays[operand];
        const std::int64_t start = array.view.offset - first * line_stride(operand);
        Extent extent{start, start + static_cast<std::int64_t>(itemsize(array.dtype))};
        for (int a = 0; a < launch.shape.size(); ++a) {
            const std::int64_t reach = launch.operands[operand].strides[a] * (launch.shape[a] - 1);
            if (a != axis) (reach < 0 ? extent.low : extent.high) += reach;
        }
        return extent;
    }
};

enum class Axes : std::uint8_t {
    joined,  // those that it never needs apart as one
    apart,
};

Candidate candidate(std::span<const Instruction> list, const Schedule::Part& part, Axes axes) {
    const Fused& fused = part.fused;
    const Dims& shape = list[part.group.members.front()].shape;
    Candidate made;
    made.inputs = fused.inputs.size();
    for (const auto* places : {&fused.inputs, &fused.outputs}) {
        for (const Place& place : *places) {
            made.arrays.push_back(operand_array(list, place));
            made.launch.operands.push_back({nullptr, Dims(), made.arrays.back() == nullptr});
        }
    }
    std::vector<const Array*> seen = made.arrays;
    for (const Fused::Through& through : fused.through) {
        seen[through.input] = operand_array(list, through.reader);
        made.launch.operands[through.input].turned = &through.turned;
    }
    const auto stride = [&](std::size_t operand, int axis) { return seen[operand] ? seen[operand]->view.strides[axis] : 0; };
    int last = -1;  // the axis of `shape` that was taken last
    for (int axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        const int end = made.launch.shape.size() - 1;
        const std::uint64_t reduced = fused.reduced >> axis & 1u;
        bool joins = last >= 0 && axes == Axes::joined && reduced == (made.launch.reduced >> end & 1u);
        for (std::size_t k = 0; joins && k < made.arrays.size(); ++k) joins = stride(k, last) == stride(k, axis) * shape[axis];
        if (joins) made.launch.shape[end] *= shape[axis];
        else {
            made.launch.shape.push_back(shape[axis]);
            made.launch.reduced |= reduced << (end + 1);
        }
        for (std::size_t k = 0; k < made.arrays.size(); ++k) {
            Dims& strides = made.launch.operands[k].strides;
            if (joins) strides[end] = stride(k, axis);
            else strides.push_back(stride(k, axis));
        }
        last = axis;
    }
    return made;
}

bool is_kept(const Candidate& c, int axis) { return !(c.launch.reduced >> axis & 1u); }

bool same_view(const Candidate& a, std::size_t i, const Candidate& b, std::size_t j) {
    return a.axis == b.axis && a.arrays[i]->view.offset == b.arrays[j]->view.offset && a.arrays[i]->dtype == b.arrays[j]->dtype &&
           a.launch.shape == b.launch.shape && a.launch.operands[i].strides == b.launch.operands[j].strides;
}

// Whether different lines of the two reach different bytes.
bool line_by_line(const Candidate& a, std::size_t i, const Candidate& b, std::size_t j) {
    const std::int64_t stride = a.line_stride(i);
    if (a.reads_through(i) || b.reads_through(j) || stride == 0 || stride != b.line_stride(j)) return false;
    const Extent x = a.line(i), y = b.line(j);
    return std::max(x.high, y.high) - std::min(x.low, y.low) <= std::abs(stride) || same_view(a, i, b, j);
}

// How many lines line l of the later one has to stay behind, so that what it meets of the earlier one has run.
std::optional<std::int64_t> lines_behind(const Candidate& earlier, std::size_t i, const Candidate& later, std::size_t j) {
    if (earlier.first == later.first && line_by_line(earlier, i, later, j)) return 0;
    const std::int64_t stride = earlier.line_stride(i);
    if (earlier.reads_through(i) || later.reads_through(j)) return std::nullopt;
    if (stride <= 0 || stride != later.line_stride(j)) return std::nullopt;
    const std::int64_t apart = later.line(j).high - earlier.line(i).low;
    return apart <= 0 ? 0 : (apart - 1) / stride;
}

// Candidates whose lines may follow one another.
class Chain {
public:
    // overwrites: it may write to what one before uses.
    Chain(const Candidate& start, Lines lines, bool overwrites) : lines_(lines), overwrites_(overwrites) { add(start); }

    // Adds a candidate if its lines may follow those that are here, and meet them in some buffer.
    bool follow(const Candidate& next) {
        bool meets = false;
        std::int64_t lines_back = next.behind;
        if (lines_ == Lines::in_order && shares_memory(next)) return false;
        const std::int64_t most_behind = stages_.front().launch.shape[stages_.front().axis] / least_share_behind;
        for (std::size_t k = 0; k < next.arrays.size(); ++k) {
            if (!next.arrays[k]) continue;
            const Buffer* const buffer = next.arrays[k]->buffer.get();
            const auto touches = touches_.find(buffer);
            if (touches == touches_.end()) continue;
            if (!overwrites_ && next.writes(k)) return false;
            bool written_here = next.writes(k), one_view = true;
            for (const auto& [stage, operand] : touches->second) {
                const Candidate& earlier = stages_[stage];
                if (earlier.writes(operand) || next.writes(k)) {
                    if (lines_ == Lines::apart) {
                        if (!line_by_line(earlier, operand, next, k)) return false;
                    } else {
                        const std::optional<std::int64_t> behind = lines_behind(earlier, operand, next, k);
                        if (!behind || earlier.behind + *behind > most_behind) return false;
                        lines_back = std::max(lines_back, earlier.behind + *behind);
                    }
                }
                meets = meets || (next.line_stride(k) != 0 && earlier.line_stride(operand) == next.line_stride(k));
                written_here = written_here || earlier.writes(operand);
                one_view = one_view && same_view(earlier, operand, next, k);
            }
            if (lines_ == Lines::in_order) continue;  // which takes all memory before it overwrites anything
            // What failed half-way runs again from its start: nothing that it needs may have been overwritten.
            const auto [stage, operand] = touches->second.front();
            if (written_here && buffer->materialised() && !(stages_[stage].writes(operand) && one_view)) return false;
        }
        if (meets) add(next).behind = lines_back;
        return meets;
    }

    // The candidate as one line, beside those that its buffers have here: what is written to an edge.
    std::optional<Candidate> as_line(Candidate next) const {
        const int axis = next.launch.shape.size();
        if (axis == max_ndim) return std::nullopt;
        next.axis = axis;
        next.launch.shape.push_back(1);
        std::optional<std::int64_t> first;
        for (std::size_t k = 0; k < next.arrays.size(); ++k) {
            const auto touches = next.arrays[k] ? touches_.find(next.arrays[k]->buffer.get()) : touches_.end();
            std::int64_t stride = 0;
            if (touches != touches_.end()) {
                const auto [stage, operand] = touches->second.front();
                stride = stages_[stage].line_stride(operand);
                const std::int64_t below = next.arrays[k]->view.offset - stages_[stage].line(operand).low;
                if (stride > 0 && (!first || next.writes(k))) first = std::max<std::int64_t>(0, below / stride);
            }
            next.launch.operands[k].strides.push_back(stride);
        }
        next.first = first.value_or(0);
        return first ? std::optional(std::move(next)) : std::nullopt;
    }

    std::size_t size() const { return stages_.size(); }
    std::size_t operands() const { return operands_; }
    std::vector<Candidate> take() && { return std::move(stages_); }

private:
    // Small values of a recorded function that are there one after the other may have one place: their lines may not mix.
    bool shares_memory(const Candidate& next) const {
        return std::ranges::any_of(next.arrays, [this](const Array* array) {
            if (!array || !array->buffer->materialised()) return false;
            const Buffer& mine = *array->buffer;
            return std::ranges::any_of(touches_, [&mine](const auto& known) {
                const Buffer& other = *known.first;
                return &mine != &other && other.materialised() && mine.data() < other.data() + other.bytes() && other.data() < mine.data() + mine.bytes();
            });
        });
    }

    Candidate& add(const Candidate& one) {
        for (std::size_t k = 0; k < one.arrays.size(); ++k)
            if (one.arrays[k]) touches_[one.arrays[k]->buffer.get()].emplace_back(stages_.size(), k);
        operands_ += one.arrays.size();
        return stages_.emplace_back(one);
    }

    // A chain that stays further behind than this share of its lines is hardly quicker.
    static constexpr std::int64_t least_share_behind = 8;

    Lines lines_;
    bool overwrites_;
    std::vector<Candidate> stages_;
    std::size_t operands_ = 0;
    std::unordered_map<const Buffer*, std::vector<std::pair<std::size_t, std::size_t>>> touches_;  // stage and operand, in order
};

// Whether a part alone may be run again after it failed half-way among others.
bool repeats(const Candidate& c) {
    for (std::size_t k = c.inputs; k < c.arrays.size(); ++k)
        for (std::size_t i = 0; i < c.inputs; ++i)
            if (c.arrays[i] && c.arrays[i]->buffer == c.arrays[k]->buffer && c.arrays[k]->buffer->materialised()) return false;
    return true;
}

bool is_large(std::span<const Instruction> list, const Schedule& schedule, std::size_t first, std::int64_t elements) {
    const auto has = [&](std::size_t p) { return count(list[schedule.parts[p].group.members.front()].shape) >= elements; };
    return has(first) || has(first + 1);
}

// Whether the second part may follow the first one with nothing overwritten, and something between them that nobody else sees: tells without a
// search what steps of a simulation in place are.
bool may_follow_apart(std::span<const Instruction> list, const Schedule& schedule, std::size_t first) {
    const Schedule::Part& one = schedule.parts[first];
    const Schedule::Part& two = schedule.parts[first + 1];
    const auto buffer_of = [&](const Place& place) {
        const Array* const array = operand_array(list, place);
        return array ? array->buffer.get() : nullptr;
    };
    bool between = false;
    for (std::size_t k = 0; k < one.fused.outputs.size(); ++k)
        between = between || (one.last_touch[k] != Schedule::outside && !buffer_of(one.fused.outputs[k])->materialised());
    const auto overwrites = [&](const Place& written) {
        const auto is_same = [&](const Place& place) { return buffer_of(place) == buffer_of(written); };
        return std::ranges::any_of(one.fused.inputs, is_same) || std::ranges::any_of(one.fused.outputs, is_same);
    };
    return between && std::ranges::none_of(two.fused.outputs, overwrites);
}

// The parts from one on as candidates, made when they are asked for: a chain along each axis looks at them.
class Candidates {
public:
    Candidates(std::span<const Instruction> list, const Schedule& schedule, std::size_t first) : list_(list), schedule_(schedule), first_(first) {}

    Candidate& of(std::size_t part, Axes axes) {
        std::deque<Candidate>& made = axes == Axes::joined ? joined_ : apart_;
        while (made.size() <= part - first_) made.push_back(candidate(list_, schedule_.parts[first_ + made.size()], axes));
        return made[part - first_];
    }
    std::size_t looked_at() const { return std::max(joined_.size(), apart_.size()); }

private:
    std::span<const Instruction> list_;
    const Schedule& schedule_;
    std::size_t first_;
    std::deque<Candidate> joined_, apart_;  // from the first part on
};

// What follows the first part along each axis of it: lines in order along one axis of an array, lines apart often along several, which some
// parts need apart and others do not.
std::vector<std::vector<Candidate>> chains_of(std::span<const Instruction> list, const Schedule& schedule, std::size_t first, Lines lines, Candidates& parts) {
    std::vector<std::vector<Candidate>> found_chains;
    const bool ordered = lines == Lines::in_order, overwrites = !ordered || is_large(list, schedule, first, fewest_overwritten);
    const auto takes_part = [ordered](const Candidate& c) { return ordered ? c.launch.reduced == 0 : repeats(c); };
    const auto follow_along = [&](const Candidate& start, int axis) {
        Candidate along = start;
        along.axis = axis;
        Chain chain(along, lines, overwrites);
        const std::int64_t length = start.launch.shape[axis];
        const auto follows = [&](Candidate& next) {
            bool found = false;
            for (next.axis = 0; next.axis < next.launch.shape.size() && !found; ++next.axis) {
                const std::int64_t other = next.launch.shape[next.axis];
                found = is_kept(next, next.axis) && (ordered ? 2 * std::abs(other - length) <= length : other == length) && chain.follow(next);
            }
            return found;
        };
        for (std::size_t p = first + 1; p < schedule.parts.size() && schedule.parts[p].follows && chain.size() < most_stages; ++p) {
            Candidate& next = parts.of(p, ordered ? Axes::apart : Axes::joined);
            if (chain.operands() + next.arrays.size() > most_operands || !takes_part(next)) break;
            bool found = follows(next);
            if (!found && !ordered) found = follows(parts.of(p, Axes::apart));
            if (!found && ordered)
                if (const std::optional<Candidate> line = chain.as_line(next)) found = chain.follow(*line);
            if (!found) break;
        }
        found_chains.push_back(std::move(chain).take());
    };
    const Candidate& apart = parts.of(first, Axes::apart);
    if (!takes_part(apart)) return found_chains;
    const auto along_each_axis = [&](const Candidate& start) {
        for (int axis = 0; axis < start.launch.shape.size(); ++axis)
            if (is_kept(start, axis)) follow_along(start, axis);
    };
    if (!ordered)
        if (const Candidate& joined = parts.of(first, Axes::joined); !(joined.launch.shape == apart.launch.shape)) along_each_axis(joined);
    along_each_axis(apart);
    return found_chains;
}

// Which buffers only these stages see, and where in a line of theirs the operands lie.
void find_hidden(std::span<const Candidate> chain, const Schedule& schedule, std::size_t first, std::span<const Buffer* const> buffers, Stages& stages) {
    const auto in_one_line = [&stages](const Extent& extent, std::int64_t stride) { return stages.in_order || extent.high - extent.low <= stride; };
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> reached(buffers.size());  // stage and operand
    for (std::size_t s = 0; s < chain.size(); ++s)
        for (std::size_t k = 0; k < chain[s].arrays.size(); ++k)
            if (const std::int32_t b = stages.stages[s].reach[k].buffer; b >= 0) reached[static_cast<std::size_t>(b)].emplace_back(s, k);
    for (std::size_t b = 0; b < buffers.size(); ++b) {
        bool hidden = false;
        std::int64_t stride = 0;
        Extent extent{};
        const auto each = [&](auto&& f) {
            for (const auto& [s, k] : reached[b]) f(s, k);
        };
        each([&](std::size_t s, std::size_t k) {
            const Extent line = chain[s].line(k);
            if (stride == 0) {
                stride = chain[s].line_stride(k);
                extent = line;
            }
            extent = {std::min(extent.low, line.low), std::max(extent.high, line.high)};
            if (chain[s].writes(k)) hidden = schedule.parts[first + s].last_touch[k - chain[s].inputs] < first + chain.size();
            if (chain[s].line_stride(k) != stride || chain[s].first != 0) stride = -1;
        });
        if (!hidden || buffers[b]->materialised() || stride <= 0 || !in_one_line(extent, stride)) continue;
        stages.buffers[b] = {true, stride, extent.high - extent.low};
        each([&](std::size_t s, std::size_t k) { stages.stages[s].reach[k].offset = chain[s].arrays[k]->view.offset - extent.low; });
    }
}

Stages stages_of(std::span<const Candidate> chain, const Schedule& schedule, std::size_t first, Lines lines) {
    Stages stages;
    stages.in_order = lines == Lines::in_order;
    std::vector<const Buffer*> buffers;
    std::unordered_map<const Buffer*, std::int32_t> numbers;
    for (const Candidate& c : chain) {
        Stages::Stage& stage = stages.stages.emplace_back();
        stage.launch = c.launch;
        stage.axis = c.axis;
        stage.first = c.first;
        stage.behind = c.behind;
        for (const Array* array : c.arrays) {
            Stages::Reach& reach = stage.reach.emplace_back();
            if (!array) continue;
            const auto [found, is_new] = numbers.try_emplace(array->buffer.get(), static_cast<std::int32_t>(buffers.size()));
            reach.buffer = found->second;
            if (is_new) buffers.push_back(array->buffer.get());
        }
    }
    stages.buffers.resize(buffers.size());
    find_hidden(chain, schedule, first, buffers, stages);
    return stages;
}

}  // namespace

std::size_t let_share_lines(Draft& draft) {
    draft.shares_lines = true;
    return 0;
}

bool may_share_lines(const Dims& shape) { return count(shape) >= fewest_elements; }

std::size_t find_stages(std::span<const Instruction> list, const Schedule& schedule, std::size_t first, Lines lines, FunctionRef<std::size_t(Stages&&)> offer) {
    if (first + 1 >= schedule.parts.size() || !schedule.parts[first + 1].follows) return 1;
    const bool overwrites_few = lines == Lines::in_order && !is_large(list, schedule, first, fewest_overwritten);
    if (!is_large(list, schedule, first, fewest_elements) || (overwrites_few && !may_follow_apart(list, schedule, first))) return 2;
    Candidates parts(list, schedule, first);
    const auto chains = chains_of(list, schedule, first, lines, parts);
    std::size_t asked = 0;
    for (const auto& chain : chains) asked = std::max(asked, chain.size());
    while (asked > 1) {
        const std::vector<Candidate>& enough = *std::ranges::find_if(chains, [asked](const auto& chain) { return chain.size() >= asked; });
        asked = std::min(asked - 1, offer(stages_of(std::span(enough).first(asked), schedule, first, lines)));
    }
    return std::max<std::size_t>(2, parts.looked_at());
}

void place_operands(std::span<const Instruction> list, const Schedule& schedule, std::size_t first, Stages& stages) {
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
        const Fused& fused = schedule.parts[first + s].fused;
        Stages::Stage& stage = stages.stages[s];
        for (std::size_t k = 0; k < stage.reach.size(); ++k) {
            const Place& place = k < fused.inputs.size() ? fused.inputs[k] : fused.outputs[k - fused.inputs.size()];
            const Array* const array = operand_array(list, place);
            if (!array) {
                stage.launch.operands[k].data = const_cast<char*>(reinterpret_cast<const char*>(list[place.instruction].in[place.slot].scalar()->bytes.data()));
            } else if (!stages.buffers[static_cast<std::size_t>(stage.reach[k].buffer)].hidden) {
                array->buffer->materialise();
                stage.launch.operands[k].data = array->data();
            }
        }
    }
}

}  // namespace asnumpy
