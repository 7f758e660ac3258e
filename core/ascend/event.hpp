// Events of a device, as a program records them.
#pragma once

#include <memory>

#include "device/stream.hpp"

namespace asnumpy::ascend {

class DeviceState;

std::unique_ptr<Event> make_event(DeviceState&, bool timed);

}  // namespace asnumpy::ascend
