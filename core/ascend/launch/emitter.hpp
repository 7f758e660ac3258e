// What a lowering writes to: operators are enqueued in the order of the calls, temporaries live as long as the launch.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ascend/launch/argument.hpp"
#include "ascend/library/context.hpp"
#include "base/function_ref.hpp"
#include "base/view.hpp"
#include "cann/operators.hpp"

namespace asnumpy::ascend {

using cann::OperatorFacts;

struct Operator;    // operators.hpp of the library
class DeviceState;  // streams, pool and executors of one device (device_state.hpp)
struct Launching;   // what a launch writes down on its way (emitter.cpp)
struct DropLaunching {
    void operator()(Launching*) const;
};

// One per launch. What it enqueues runs later, in order; nothing waits.
class Emitter {
public:
    explicit Emitter(DeviceState&);  // into a graph, where this thread captures one of the device
    ~Emitter();
    Emitter(const Emitter&) = delete;
    Emitter& operator=(const Emitter&) = delete;

    // Enqueues one operator. RuntimeFailure with the operator, its arguments, the code's name and CANN's message;
    // MemoryError when there is no room for its workspace.
    void call(std::string_view op, std::span<const Argument> arguments);
    void call(const OperatorFacts&, std::span<const Argument> arguments);
    void call(std::string_view op, std::initializer_list<Argument> arguments) {
        call(op, std::span(arguments.begin(), arguments.size()));
    }

    // Enqueues work of ours, given CANN's stream, after which all of `out`, which is C-contiguous, has other values. The name lasts.
    void write_all(const char* name, const Tensor& out, FunctionRef<void(void* stream)> enqueue);

    // Enqueues work of ours that uses these bytes. The name lasts.
    void launch(const char* name, std::span<const Use> uses, FunctionRef<void(void* stream)> enqueue);

    // Bytes within the device, between ranges that do not overlap.
    void copy_bytes(void* to, const void* from, std::size_t bytes);

    // Elements of one shape and dtype, from any strides to any, by way of the host: for what no operator moves.
    void move_by_host(const Tensor& from, const Tensor& to);

    // C-contiguous memory of this launch; its block is used again only by work that is enqueued later. What a lowering
    // takes is given back when it returns, or here when it is large and no longer needed.
    Tensor temporary(const Dims& shape, DType);
    void release(const Tensor& temporary);
    // A 0-d tensor of the value, never to be written. It gets memory on the device only when call() gets it as an argument.
    Tensor constant(const Scalar&);
    // The value of a 0-d tensor that constant() gave, as scalars of programs are; nullptr: known on the device only.
    const Scalar* known(const Tensor&) const;

    // The temporaries taken after the mark, for whoever calls a lowering.
    std::size_t mark() const;
    void release_since(std::size_t mark);

    // Whoever runs the lowerings of a launch says which outputs only its last call may write, for the launch reads them.
    void write_last(const char* output);
    bool is_written_last(const Tensor& output) const;
    // A call of several that overwrite such an output has failed: it holds new elements beside old ones, and nothing can run
    // again. The device is lost, if anything was enqueued since `enqueued`.
    void cut_off(int enqueued, const std::exception& why);

    // Parameters and accepted dtypes. RuntimeFailure where there is no such operator.
    const OperatorFacts& facts(std::string_view op) const;
    // Whether the CANN that is loaded has the operator.
    bool has(std::string_view op) const;
    DeviceState& device() const;
    int enqueued() const;  // operators and copies so far
    // Of the host, for lists that end with the launch: taking it costs next to nothing, and none goes back before.
    std::pmr::memory_resource& memory() const;

private:
    void call(Operator&, std::span<const Argument>);
    void call_in_order(Operator&, std::span<const Argument>);

    std::optional<Enqueuing> enqueuing_;  // whoever captures has it already
    std::unique_ptr<Launching, DropLaunching> launching_;
};

}  // namespace asnumpy::ascend
