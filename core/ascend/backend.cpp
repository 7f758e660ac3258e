// A build without an Ascend backend has no Ascend devices.
#include "ascend/backend.hpp"

#include "base/error.hpp"

namespace asnumpy::ascend {

int device_count() { return 0; }

std::string why_not() { return "this build of asnumpy has no Ascend backend"; }

Pool& pool(int index) { throw RuntimeFailure("ascend:" + std::to_string(index) + ": " + why_not()); }

}  // namespace asnumpy::ascend
