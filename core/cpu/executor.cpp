// Resolved::run: prepares a frame, then shares its units between threads.
#include "cpu/executor.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "cpu/blocking.hpp"
#include "cpu/plan.hpp"
#include "cpu/reduce.hpp"
#include "cpu/threads.hpp"
#include "cpu/transfer.hpp"

namespace asnumpy::cpu {
namespace {

// Work that a thread should have before one that had its part of the last work, and looks for more, is left out: what it computed would come from its
// caches.
constexpr double shortest_kept_chunk_ns = 6000;
// Less than this moves nothing to other caches that would count.
constexpr double some_work_ns = 4000;

// How many units are a chunk at least.
std::int64_t least_units(const Frame& frame, double all_ns) {
    const auto least = static_cast<std::int64_t>(worth_sharing_ns() / frame.unit_ns) + 1;
    const int before = last_participants();
    return before > 1 && all_ns >= before * shortest_kept_chunk_ns ? std::clamp<std::int64_t>(frame.units / before, 1, least) : least;
}

// A reduced axis of length 0 leaves the row's neutral element.
void fill_neutral(const Resolved& plan, const Launch& launch) {
    Launch kept;
    kept.shape = launch.shape;
    for (int axis = 0; axis < kept.shape.size(); ++axis)
        if ((launch.reduced >> axis) & 1u) kept.shape[axis] = 1;
    kept.operands.resize(2);
    for (std::size_t k = 0; k < plan.reductions.size(); ++k) {
        const Combine& reduction = plan.reductions[k];
        Scalar value = neutral(reduction.row, reduction.dtype);
        Program copy;
        copy.inputs = {reduction.dtype};
        copy.stores = {Store{0}};
        kept.operands[0] = {reinterpret_cast<char*>(value.bytes.data()), Dims(kept.shape.size())};
        kept.operands[1] = launch.operands[plan.inputs.size() + plan.stores.size() + k];
        Plan(copy).run(kept);
    }
}

}  // namespace

void run_all(std::span<Frame> frames) {
    for (const Frame& frame : frames) frame.reserve();
    for (Frame& frame : frames) {
        Frame* const shared = &frame;
        const double all_ns = static_cast<double>(frame.units) * frame.unit_ns;
        const std::int64_t least = least_units(frame, all_ns);
        if (frame.units < 2 * least) {
            frame.run(0, frame.units);
            if (all_ns > some_work_ns) worked_alone();
        } else {
            parallel_for(frame.units, least, [shared] { shared->reserve(); },
                         [shared](std::int64_t begin, std::int64_t end, int) { shared->run(begin, end); });
        }
        if (frame.scheme == Scheme::segments) combine_chunks(frame);
    }
}

void Frame::reserve() const {
    Tiles::reserve(*this);
    if (scheme == Scheme::segments) reserve_accumulators(*this);
}

void Frame::run(std::int64_t begin, std::int64_t end) {
    switch (scheme) {
    case Scheme::elementwise: Tiles(*this).run_tiles(begin, end); break;
    case Scheme::lines: reduce_lines(*this, begin, end); break;
    case Scheme::segments: reduce_segments(*this, begin, end); break;
    }
    if (streaming) finish_streaming();
}

void Resolved::run(const Launch& launch) const {
    bool kept_empty = false, reduced_empty = false;
    for (int axis = 0; axis < launch.shape.size(); ++axis)
        if (launch.shape[axis] == 0) ((launch.reduced >> axis) & 1u ? reduced_empty : kept_empty) = true;
    if (kept_empty) return;
    if (reduced_empty) return fill_neutral(*this, launch);

    const std::vector<Launch> pieces = block(launch, static_cast<int>(inputs.size()), static_cast<int>(stores.size()));
    if (pieces.empty()) {
        thread_local Frame frame;  // kept for its vectors: a launch allocates nothing
        frame.prepare(*this, launch, Arrangement::natural);
        return run_all({&frame, 1});
    }
    std::vector<Frame> frames(pieces.size());
    for (std::size_t p = 0; p < pieces.size(); ++p) frames[p].prepare(*this, pieces[p], p == 0 ? Arrangement::given : Arrangement::natural);
    run_all(frames);
}

}  // namespace asnumpy::cpu
