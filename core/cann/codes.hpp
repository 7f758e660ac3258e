// Names of the codes that CANN's functions return.
#pragma once

namespace asnumpy::cann {

const char* code_name(int code);  // null for an unknown code
// Of an operator's first phase: it does not do this, and will not the next time (as opposed to what memory or the device lack).
bool means_unsupported(int code);

}  // namespace asnumpy::cann
