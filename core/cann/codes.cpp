// What codes mean beyond their names.
#include "cann/codes.hpp"

#include "cann/abi.hpp"

namespace asnumpy::cann {

bool means_unsupported(int code) {
    // Parameters that it does not take; then all codes of the operators' own framework, from shapes to kernels that are missing.
    constexpr int inner = ACLNN_ERR_INNER, last_inner = inner + 999;
    return code == ACLNN_ERR_PARAM_NULLPTR || code == ACLNN_ERR_PARAM_INVALID || (code >= inner && code <= last_inner);
}

}  // namespace asnumpy::cann
