// Events of a device, as a program records them.
#pragma once

#include <memory>

#include "device/stream.hpp"

namespace asnumpy::ascend {

class Context;

std::unique_ptr<Event> make_event(Context&, bool timed);

}  // namespace asnumpy::ascend
