// A program on an Ascend device: its steps one after the other, each as the operators that the lowering gives.
#pragma once

#include <memory>

#include "ascend/launch/device_state.hpp"
#include "device/backend.hpp"

namespace asnumpy::ascend {

// Uncomputed when a step or reduction has no way on the device.
std::unique_ptr<Executable> make_executable(DeviceState&, const Program&);

}  // namespace asnumpy::ascend
