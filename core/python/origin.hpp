// The line of the user's program that is being run.
#pragma once

#include "device/origin.hpp"

namespace asnumpy::python {

// Of the innermost frame whose file is not the package's own; nothing where there is none, or this thread has not the interpreter's lock.
Origin origin();

}  // namespace asnumpy::python
