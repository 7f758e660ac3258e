// Whether devices may round a sum of products once where NumPy rounds twice: the user's choice, off unless it was made.
#pragma once

#include <atomic>

namespace asnumpy {

inline std::atomic<bool> may_contract{false};

}  // namespace asnumpy
