// The one caller of every aclnn operator: descriptors, both phases, workspace, and executors that recurring calls reuse.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ascend/launch/graphs.hpp"
#include "ascend/launch/objects.hpp"
#include "device/hazards.hpp"

namespace asnumpy::ascend {

std::uint64_t now();  // nanoseconds of a clock that only goes forward

class DeviceState;  // streams, pool and executors of one device (device_state.hpp)

// What was called, per operator: how often, how often without a first phase of its own, how long the host took for it, how many
// bytes its tensors have, and how much of the time was spent inside the operator's two phases.
struct CallCount {
    std::uint64_t calls = 0, cached = 0, nanoseconds = 0, bytes = 0, inside = 0;
    std::uint64_t replayed = 0;  // of the calls, those that came with a graph
    std::uint64_t workspace = 0; // the most bytes that a call asked for
};

// Calls f(place, tensor) for each tensor of a call, those of lists included.
template <class F> void each_tensor(std::span<const Argument> arguments, F&& f) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (const auto* t = std::get_if<Tensor>(&arguments[i])) f(i, *t);
        else if (const auto* formatted = std::get_if<Formatted>(&arguments[i])) f(i, formatted->tensor);
        else if (const auto* list = std::get_if<std::vector<Tensor>>(&arguments[i]))
            for (const Tensor& one : *list) f(i, one);
    }
}
// The bytes that a call uses: of one of its tensors, and all.
Use use_of(const Tensor&, bool written);
void add_uses(const Operator&, std::span<const Argument>, std::vector<Use>&);

class Caller {
public:
    explicit Caller(DeviceState& device);
    ~Caller();

    // Enqueues one call on the device's stream, or into a capture. With the device's mutex held, on the device. What is
    // no program's is counted apart.
    void call(Operator&, std::span<const Argument>, Capture* = nullptr, CallCount* apart = nullptr);
    // A graph's calls were enqueued, all by one call of CANN's that took so many nanoseconds.
    void count_replay(std::span<const CapturedCalls>, std::uint64_t nanoseconds);
    std::span<const CallCount> counts() const { return counts_; }  // by the operator's place in cann::operators()
    void release() noexcept;

private:
    struct Executor;
    struct Executors;

    [[noreturn]] void refuse(const Operator&, std::span<const Argument>, int code);
    void encode(const Operator&, std::span<const Argument>);
    void note(const Operator&, std::span<const Argument>, StreamId);
    void run(Operator&, std::span<const Argument>, aclOpExecutor*, std::uint64_t workspace, bool kept);
    void capture(Operator&, std::span<const Argument>, Capture&);
    aclOpExecutor* first_phase(Operator&, std::span<const Argument>, std::uint64_t& workspace);

    DeviceState& device_;
    std::vector<CallCount> counts_;
    std::unique_ptr<Executors> executors_;
    std::vector<std::uint64_t> words_;  // the call's content: everything but addresses, these too where there is a list
    std::vector<char*> bases_;          // the addresses of its tensors
    std::vector<Use> uses_;
    bool may_repeat_ = true;
    std::uint64_t bytes_ = 0, inside_ = 0, left_ = 0;  // left_: when phase two was over
    Objects last_;
};

}  // namespace asnumpy::ascend
