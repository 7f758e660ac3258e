// Chooses blocks whose stages leave their results in the caches of the threads, and lets each stage follow the first one at its distance.
#include "cpu/ordered_stages.hpp"

#include <algorithm>
#include <vector>

#include "cpu/frame.hpp"
#include "cpu/legs.hpp"
#include "cpu/ordered_lines.hpp"
#include "cpu/stages.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

// Less in the operands of a stage is not worth that its threads meet, fewer blocks than this are not worth the way.
constexpr std::int64_t least_stage_bytes = 192 * kb, fewest_ordered_blocks = 4;
// Work of a stage that is worth a second thread: it is awake.
constexpr double shared_ns = 8000;

// A stage over so many lines, decided once, wherever they begin.
class Piece {
public:
    Piece(const Stages::Stage& stage, const Resolved& plan, const LinesBetween& rooms, LineSpan span, std::int64_t block, std::int64_t lines, std::uint64_t reread)
        : stage_(stage), rooms_(rooms), count_(span.count), begin_(span.begin), block_(block), lines_(lines) {
        Launch launch = stage.launch;
        launch.shape[stage.axis] = span.count;
        for (std::size_t k = 0; k < launch.operands.size(); ++k) {
            const Stages::Reach& reach = stage.reach[k];
            char* const start = rooms.hidden(reach.buffer) ? rooms.first_line(reach.buffer, 0) + reach.offset : launch.operands[k].data;
            launch.operands[k].data = start + line(k, span.begin, block) * stride(k);
        }
        frame_.prepare(plan, launch, Arrangement::natural, {span.count, length_of(stage), reread});
        for (std::size_t k = 0; k < frame_.inputs.size(); ++k) frame_.inputs[k].view.before += line(k, span.begin, block) * stride(k);
    }

    std::int64_t count() const { return count_; }
    void reserve() const { frame_.reserve(); }

    void run(std::int64_t begin, std::int64_t block) {
        std::size_t k = 0;
        const auto move = [&](auto& operands) {
            for (auto& operand : operands) {
                const std::int64_t bytes = (line(k, begin, block) - line(k, begin_, block_)) * stride(k);
                operand.view.data += bytes;
                operand.view.before += bytes;
                ++k;
            }
        };
        move(frame_.inputs);
        move(frame_.outputs);
        begin_ = begin;
        block_ = block;
        const std::int64_t units = frame_.units, threads = thread_count();
        if (frame_.unit_ns * static_cast<double>(units) < shared_ns) return frame_.run(0, units);
        // The threads keep their lines from stage to stage.
        parallel_for(units, (units + 2 * threads - 1) / (2 * threads), [this] { frame_.reserve(); },
                     [this](std::int64_t from, std::int64_t to, int) { frame_.run(from, to); });
    }

private:
    std::int64_t stride(std::size_t operand) const { return stage_.launch.operands[operand].strides[stage_.axis]; }
    std::int64_t line(std::size_t operand, std::int64_t begin, std::int64_t block) const {
        return rooms_.hidden(stage_.reach[operand].buffer) ? begin - block * lines_ : begin;
    }

    const Stages::Stage& stage_;
    const LinesBetween& rooms_;
    std::int64_t count_, begin_, block_, lines_;
    Frame frame_;
};

}  // namespace

std::int64_t ordered_lines_at_once(const Stages& stages, std::span<const Resolved* const> plans) {
    if (!may_meet(stages)) return 0;
    const LineBytes bytes(stages, plans);
    if (!bytes.any()) return 0;
    // All of a block stays in the last cache, and what one stage leaves for the next in the threads' own.
    const std::int64_t room = cache_bytes().last / 4 - bytes.beside - bytes.all, lines = std::min(room / bytes.all, thread_count() * cache_bytes().second / 2 / bytes.of_stage);
    if (lines < 2 || lines * bytes.of_stage < least_stage_bytes || bytes.length < fewest_ordered_blocks * (lines + bytes.behind)) return 0;
    if (most_share_moved * bytes.moved > bytes.met_again * lines) return 0;
    // What the last cache holds from one stage to the next does not pay for threads that meet at every stage of a block.
    if (bytes.of_stage * bytes.length < cache_bytes().last / 2) return 0;
    return lines;
}

void run_ordered_stages(const Stages& stages, std::span<const Resolved* const> plans, std::int64_t lines) {
    const LinesBetween rooms(stages, lines, std::vector<LinesBetween::Kept>(stages.buffers.size()), 1);
    const std::int64_t blocks = (end_of_lines(stages) + lines - 1) / lines;
    std::vector<std::vector<Piece>> pieces(stages.stages.size());  // of each number of lines
    const auto piece_of = [&](std::size_t s, std::int64_t count) {
        return std::ranges::find_if(pieces[s], [count](const Piece& piece) { return piece.count() == count; });
    };
    for (std::size_t s = 0; s < pieces.size(); ++s) {
        for (std::int64_t b = 0; b < blocks; ++b) {
            const LineSpan span = own_lines(stages.stages[s], b, lines);
            if (span.count > 0 && piece_of(s, span.count) == pieces[s].end())
                pieces[s].emplace_back(stages.stages[s], *plans[s], rooms, span, b, lines, stores_met(stages, s, *plans[s]));
        }
        for (const Piece& piece : pieces[s]) piece.reserve();
    }
    for (std::int64_t b = 0; b < blocks; ++b) {
        for (std::size_t s = 0; s < pieces.size(); ++s)
            if (const LineSpan span = own_lines(stages.stages[s], b, lines); span.count > 0) piece_of(s, span.count)->run(span.begin, b);
        for (std::size_t buffer = 0; buffer < stages.buffers.size(); ++buffer) rooms.slide(buffer, 0);
    }
}

}  // namespace asnumpy::cpu
