// CANN's compiler at run time, libacl_rtc.so, which lies beside CANN's other libraries from version 9 on.
#pragma once

#include <string>

namespace asnumpy::ascend {

// Why kernels cannot be compiled, loaded and launched with the CANN that is loaded; empty: they can. Where none is loaded, what the
// version whose facts are in use has.
const std::string& why_no_kernels();

// For what it compiles: CANN's version, the chip, the option that names the architecture; the simulator is one of its own.
const std::string& compiler_target();
// Which one it is, by its file, which a version may replace; empty: there is none.
const std::string& compiler_identity();

// The binary of a source. DeviceFailure with the compiler's code; its message is what it said first of what is wrong.
std::string compile_kernel(const std::string& source, const std::string& name);

}  // namespace asnumpy::ascend
