// What a lowering writes to: operators are enqueued in the order of the calls, temporaries live as long as the launch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/dtype.hpp"
#include "base/view.hpp"
#include "cann/operators.hpp"
#include "device/backend.hpp"

namespace asnumpy::ascend {

using cann::OperatorFacts;

class DeviceState;  // streams, pool and executors of one device (device_state.hpp)

// An argument of an aclnn operator, in its signature's order, workspace and executor left out. A tensor is a device
// address of element (0, ..., 0) that is a multiple of its dtype's alignment, with at most 8 axes and byte strides that
// are multiples of the item size and not negative. nullptr: an optional parameter that is not given.
using Argument = std::variant<std::nullptr_t, Tensor, std::vector<Tensor>, Scalar, std::vector<Scalar>, std::int64_t, double, bool,
                              Dims, std::vector<double>, std::vector<bool>, DType, std::string>;

// One per launch. What it enqueues runs later, in order; nothing waits.
class Emitter {
public:
    explicit Emitter(DeviceState&);
    ~Emitter();
    Emitter(const Emitter&) = delete;
    Emitter& operator=(const Emitter&) = delete;

    // Enqueues one operator. RuntimeFailure with the operator, its arguments, the code's name and CANN's message;
    // MemoryError when there is no room for its workspace.
    void call(std::string_view op, std::span<const Argument> arguments);
    void call(std::string_view op, std::initializer_list<Argument> arguments) {
        call(op, std::span(arguments.begin(), arguments.size()));
    }

    // C-contiguous memory of this launch; its block is used again only by work that is enqueued later.
    Tensor temporary(const Dims& shape, DType);
    // A 0-d tensor of the value; memory that is kept between launches, never to be written.
    Tensor constant(const Scalar&);
    // The value of a 0-d tensor that constant() gave, or that the program has as a scalar; nullptr: known on the device only.
    const Scalar* known(const Tensor&) const;
    // For operators whose output's shape depends on values: after the call, waits for the device and gives the shape that
    // the last call's output with this position among its arguments has.
    Dims late_shape(std::size_t argument);

    // Parameters and accepted dtypes. RuntimeFailure where there is no such operator.
    const OperatorFacts& facts(std::string_view op) const;
    // Whether the CANN that is loaded has the operator.
    bool has(std::string_view op) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace asnumpy::ascend
