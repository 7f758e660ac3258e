// Launches that are kept: what was decided about one is moved to other addresses as long as the plan and their alignment stay. Most of them
// are short, and there may be thousands: what those of a single tile need at each run is a few lines of memory.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/copy_bytes.hpp"
#include "cpu/arena.hpp"
#include "cpu/blocking.hpp"
#include "cpu/executor.hpp"
#include "cpu/frame.hpp"
#include "cpu/transfer.hpp"

namespace asnumpy::cpu {
namespace {

using Clock = std::chrono::steady_clock;
using Addresses = std::span<char* const>;

// Longer work is worth no memory for what was decided about it.
constexpr double longest_ns = 100'000;

// An elementwise frame of one tile, without what only several need. It does what Tiles::run does, in that order.
class OneTile {
public:
    // Null where the frame has more, or an operand reaches too far. at: the addresses for which it was prepared.
    static std::unique_ptr<OneTile> of(const Frame& frame, Addresses at) {
        if (frame.scheme != Scheme::elementwise || frame.units != 1 || frame.streaming) return nullptr;
        auto made = std::make_unique<OneTile>();
        return made->take(frame, at) ? std::move(made) : nullptr;
    }

    void run(Addresses data) {
        const Resolved& plan = *plan_;
        Arena& arena = Arena::of_this_thread();
        char* const memory = arena.reserve(arena_bytes_);
        if (arena.operands.size() < plan.most_operands) arena.operands.resize(plan.most_operands);
        void** const operands = arena.operands.data();
        const auto at = [memory, data](Place place) { return (place.operand < 0 ? memory : data[static_cast<std::size_t>(place.operand)]) + place.offset; };
        for (const Constant& constant : constants_) splat(memory + constant.slot, at(constant.from), constant.itemsize, tile_);
        for (Moved& in : gathered_) {
            in.view.data = at(in.start);
            gather(at(in.value), in.view, 0, count_ / in.share);
        }
        const Place* place = places_.data();
        for (const Call& call : plan.calls) {
            const std::size_t all = std::size_t{call.nout} + call.nin;
            for (std::size_t k = 0; k < all; ++k) operands[k] = at(*place++);
            call.forms.each(operands, operands + call.nout, static_cast<std::size_t>(count_ / plan.items.length()));
        }
        for (Moved& out : stored_) {
            if (out.contiguous) {
                copy_bytes(at(out.start), at(out.value), static_cast<std::size_t>(count_ * out.view.itemsize));
            } else {
                out.view.data = at(out.start);
                scatter(out.view, 0, at(out.value), count_);
            }
        }
        for (Moved& one : fetched_) {
            one.view.data = at(one.start);
            gather(at(one.value), one.view, 0, count_);
        }
    }

private:
    struct Place {
        std::int32_t operand = -1;  // of the launch; less than 0: of the scratch memory
        std::int32_t offset = 0;
    };
    struct Constant {
        Place from;
        std::int64_t slot, itemsize;
    };
    struct Moved {
        Strided view;
        Place start, value;  // of the view; of the elements side by side
        bool contiguous;
        std::int64_t share = 1;
    };

    bool take(const Frame& frame, Addresses at) {
        const Resolved& plan = *frame.plan;
        plan_ = &plan;
        count_ = frame.order.size();
        tile_ = frame.tiling.tile;
        arena_bytes_ = frame.arena_bytes;
        bool fits = true;
        const auto placed = [&fits](std::size_t operand, std::int64_t offset) {
            fits = fits && std::in_range<std::int32_t>(offset);
            return Place{static_cast<std::int32_t>(operand), static_cast<std::int32_t>(offset)};
        };
        const auto in_scratch = [&placed](std::int64_t offset) { return placed(~std::size_t{0}, offset); };
        std::vector<Place> of_value(plan.values.size());
        for (std::size_t v = frame.inputs.size(); v < of_value.size(); ++v)
            if (plan.slot_of[v] >= 0) of_value[v] = in_scratch(frame.slot_offset[static_cast<std::size_t>(plan.slot_of[v])]);
        std::vector<Place> starts;
        const auto start = [&](const Strided& view) { return placed(starts.size(), view.data - at[starts.size()]); };
        for (std::size_t k = 0; k < frame.inputs.size(); ++k) {
            const Source& input = frame.inputs[k];
            starts.push_back(start(input.view));
            if (input.access == Source::Access::unused) continue;
            of_value[k] = input.access == Source::Access::in_place ? starts[k] : in_scratch(input.offset);
            if (input.access == Source::Access::constant) constants_.push_back({starts[k], input.offset, input.view.itemsize});
            else if (input.access != Source::Access::in_place) gathered_.push_back({input.view, starts[k], of_value[k], false, input.share});
        }
        for (const Output& output : frame.outputs) {
            starts.push_back(start(output.view));
            if (output.delivery == Output::Delivery::direct) of_value[output.value] = starts.back();
        }
        for (std::size_t k = 0; k < frame.outputs.size(); ++k) {
            const Output& output = frame.outputs[k];
            const Place where = starts[frame.inputs.size() + k];
            if (output.delivery == Output::Delivery::fetched) fetched_.push_back({frame.inputs[output.value].view, starts[output.value], where, false});
            else if (output.delivery != Output::Delivery::direct) stored_.push_back({output.view, where, of_value[output.value], output.delivery == Output::Delivery::copied});
        }
        for (const Call& call : plan.calls) {
            for (const ValueId value : plan.out(call)) places_.push_back(of_value[value]);
            for (const ValueId value : plan.in(call)) places_.push_back(of_value[value]);
        }
        return fits;
    }

    const Resolved* plan_ = nullptr;
    std::int64_t count_ = 0, tile_ = 0, arena_bytes_ = 0;
    std::vector<Place> places_;  // of the calls' operands, call after call
    std::vector<Constant> constants_;
    std::vector<Moved> gathered_, stored_, fetched_;
};

class KeptFrame final : public PreparedLaunch {
public:
    KeptFrame(const Plan& plan, const Launch& launch) : plan_(plan), points_(count(launch.shape)), launch_(launch) {
        for (const Operand& operand : launch.operands) at_.push_back(operand.data);
        decide(plan.resolved());
    }

    void run(Addresses data) override {
        const Plan::Turn turn = plan_.next();
        if (turn.plan != decided_ || !aligned_alike(data)) {
            for (std::size_t k = 0; k < data.size(); ++k) launch_.operands[k].data = at_[k] = data[k];
            decide(*turn.plan);
        }
        if (!turn.timed) return run_decided(data);
        const Clock::time_point begin = Clock::now();
        run_decided(data);
        plan_.note(turn, points_, Clock::now() - begin);
    }

    double ns() const { return ns_; }

private:
    static constexpr std::uintptr_t within_line = static_cast<std::uintptr_t>(cache_line - 1);

    bool aligned_alike(Addresses data) const {
        std::uintptr_t differing = 0;
        for (std::size_t k = 0; k < data.size(); ++k) differing |= (reinterpret_cast<std::uintptr_t>(data[k]) & within_line) ^ within_lines_[k];
        return differing == 0;
    }

    void decide(const Resolved& plan) {
        decided_ = nullptr;  // until it is done
        auto frame = std::make_unique<Frame>();
        frame->prepare(plan, launch_, Arrangement::natural);
        ns_ = frame->unit_ns * static_cast<double>(frame->units);
        within_lines_.clear();
        for (const char* address : at_) within_lines_.push_back(static_cast<std::uint8_t>(reinterpret_cast<std::uintptr_t>(address) & within_line));
        tile_ = OneTile::of(*frame, at_);
        frame_ = tile_ ? nullptr : std::move(frame);
        decided_ = &plan;
    }

    void run_decided(Addresses data) {
        if (tile_) return tile_->run(data);
        std::size_t k = 0;
        const auto move = [&](auto& operands) {
            for (auto& operand : operands) {
                operand.view.data += data[k] - at_[k];
                at_[k] = data[k];
                ++k;
            }
        };
        move(frame_->inputs);
        move(frame_->outputs);
        move(frame_->results);
        run_all({frame_.get(), 1});
    }

    const Plan& plan_;
    const Resolved* decided_ = nullptr;
    std::unique_ptr<OneTile> tile_;  // or
    std::unique_ptr<Frame> frame_;
    std::vector<std::uint8_t> within_lines_;  // of the addresses that were decided for
    std::int64_t points_;
    double ns_ = 0;
    // What runs seldom need.
    Launch launch_;
    std::vector<char*> at_;  // by operand: the addresses for which the frame stands
};

}  // namespace

std::unique_ptr<PreparedLaunch> Plan::prepare(const Launch& launch) const {
    if (std::ranges::find(launch.shape, 0) != launch.shape.end()) return nullptr;
    const Resolved& plan = resolved();
    if (!block(launch, static_cast<int>(plan.inputs.size()), static_cast<int>(plan.stores.size())).empty()) return nullptr;
    auto made = std::make_unique<KeptFrame>(*this, launch);
    return made->ns() < longest_ns ? std::move(made) : nullptr;
}

}  // namespace asnumpy::cpu
