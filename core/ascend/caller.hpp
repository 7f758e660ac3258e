// The one caller of every aclnn operator: descriptors, both phases, workspace, and executors that recurring calls reuse.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ascend/emitter.hpp"
#include "ascend/graphs.hpp"
#include "device/hazards.hpp"

struct aclTensor;
struct aclScalar;

namespace asnumpy::ascend {

// An operator as the CANN that is loaded has it.
struct Operator {
    using SecondPhase = int (*)(void* workspace, std::uint64_t size, aclOpExecutor*, void* stream);
    const OperatorFacts* facts = nullptr;
    std::span<const cann::Parameter> parameters{};
    void* first = nullptr;
    SecondPhase second = nullptr;
    bool repeatable = true;  // until CANN says otherwise
};
// RuntimeFailure when no operator has the name, or the CANN that is loaded lacks it.
Operator& find_operator(std::string_view name);
bool has_operator(std::string_view name);

// What was called, per operator: how often, how often without a first phase of its own, how long the host took for it, how many
// bytes its tensors have, and how much of the time was spent inside the operator's two phases.
struct CallCount {
    std::uint64_t calls = 0, cached = 0, nanoseconds = 0, bytes = 0, inside = 0;
    std::uint64_t replayed = 0;  // of the calls, those that came with a graph
};

// Objects of CANN's that describe arguments; destroyed with this.
class Objects {
public:
    Objects() = default;
    Objects(Objects&& o) noexcept : made_(std::move(o.made_)), tensors_(std::move(o.tensors_)) { o.made_.clear(); }
    Objects& operator=(Objects&& o) noexcept;
    ~Objects() { destroy(); }
    void destroy() noexcept;

    // The argument as a value for the first phase. RuntimeFailure names the operator and the parameter where they do not fit.
    cann::Value make(const Operator&, std::size_t parameter, const Argument&);
    std::span<aclTensor* const> tensors() const { return tensors_; }  // single ones, with null for those not given

private:
    struct Made {
        void* object;
        cann::Kind kind;
    };
    template <class T> T* keep(T* object, cann::Kind, const char* function);
    aclTensor* make_tensor(const Operator&, std::size_t parameter, const Tensor&);

    std::vector<Made> made_;
    std::vector<aclTensor*> tensors_;
};

class Caller {
public:
    explicit Caller(DeviceState& device);
    ~Caller();

    // Enqueues one call on the device's stream, or into a capture. With the device's mutex held, on the device.
    void call(Operator&, std::span<const Argument>, Capture* = nullptr);
    // A graph's calls were enqueued, all by one call of CANN's that took so many nanoseconds.
    void count_replay(std::span<const CapturedCalls>, std::uint64_t nanoseconds);
    std::span<const CallCount> counts() const { return counts_; }  // by the operator's place in cann::operators()
    void release() noexcept;

private:
    struct Recipe;
    struct Recipes;

    void encode(const Operator&, std::span<const Argument>);
    void collect(const Operator&, std::span<const Argument>);
    void run(Operator&, std::span<const Argument>, aclOpExecutor*, std::uint64_t workspace, bool kept);
    void capture(Operator&, std::span<const Argument>, Capture&);
    aclOpExecutor* first_phase(Operator&, std::span<const Argument>, std::uint64_t& workspace);

    DeviceState& device_;
    std::vector<CallCount> counts_;
    std::unique_ptr<Recipes> recipes_;
    std::vector<std::uint64_t> words_;  // the call's content: everything but addresses, these too where there is a list
    std::vector<char*> bases_;          // the addresses of its tensors
    std::vector<Use> uses_;
    bool may_repeat_ = true;
    std::uint64_t bytes_ = 0, inside_ = 0;
    Objects last_;
};

// "self=float32(3, 4), other=float32(4,), alpha=1"
std::string text_of(const Operator&, std::span<const Argument>);

}  // namespace asnumpy::ascend
