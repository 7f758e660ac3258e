// Launches that are kept: a frame that is moved to other addresses as long as the plan and their alignment stay.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cpu/blocking.hpp"
#include "cpu/executor.hpp"
#include "cpu/frame.hpp"

namespace asnumpy::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Longer work is worth no memory for what was decided about it.
constexpr double longest_ns = 100'000;

class KeptFrame final : public PreparedLaunch {
public:
    KeptFrame(const Plan& plan, const Launch& launch) : plan_(plan), launch_(launch), points_(count(launch.shape)) {
        for (const Operand& operand : launch.operands) at_.push_back(operand.data);
        decide(plan.resolved());
    }

    void run(std::span<char* const> data) override {
        const Plan::Turn turn = plan_.next();
        const bool stays = turn.plan == frame_.plan && std::ranges::equal(data, at_, same_alignment);
        if (stays) {
            move(data);
        } else {
            for (std::size_t k = 0; k < data.size(); ++k) launch_.operands[k].data = at_[k] = data[k];
            decide(*turn.plan);
        }
        if (!turn.timed) return run_all({&frame_, 1});
        const Clock::time_point begin = Clock::now();
        run_all({&frame_, 1});
        plan_.note(turn, points_, Clock::now() - begin);
    }

    double ns() const { return frame_.unit_ns * static_cast<double>(frame_.units); }

private:
    static bool same_alignment(const char* a, const char* b) {
        return ((reinterpret_cast<std::uintptr_t>(a) ^ reinterpret_cast<std::uintptr_t>(b)) & static_cast<std::uintptr_t>(cache_line - 1)) == 0;
    }

    void decide(const Resolved& plan) { frame_.prepare(plan, launch_, Arrangement::natural); }

    void move(std::span<char* const> data) {
        std::size_t k = 0;
        const auto each = [&](auto& operands) {
            for (auto& operand : operands) {
                operand.view.data += data[k] - at_[k];
                at_[k] = data[k];
                ++k;
            }
        };
        each(frame_.inputs);
        each(frame_.outputs);
        each(frame_.results);
    }

    const Plan& plan_;
    Launch launch_;
    std::int64_t points_;
    std::vector<char*> at_;  // by operand: the addresses for which the frame stands
    Frame frame_;
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
