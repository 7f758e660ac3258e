// Several launches that come again and again, as one graph for each place that their memory has had often enough.
#pragma once

#include <memory>

#include "device/backend.hpp"

namespace asnumpy::ascend {

class DeviceState;

std::unique_ptr<RecurringWork> make_recurring_work(DeviceState&);

}  // namespace asnumpy::ascend
