// The options, and CANN's functions that take them.
#include "ascend/library/options.hpp"

#include <atomic>
#include <cmath>

#include "ascend/library/cann.hpp"

namespace asnumpy::ascend {
namespace {

std::atomic<double> limit{0};
std::atomic<bool> limit_was_set{false};
std::atomic<MatmulPrecision> precision{MatmulPrecision::float32};
std::atomic<bool> fixed_order{false};
std::atomic<int> policy{cann::ACL_MEM_MALLOC_HUGE_FIRST};
std::atomic<bool> fixed_order_was_set{false};

}  // namespace

void set_wait_limit(double seconds) {
    if (seconds > 0) limit_was_set = true;
    limit = seconds;
}
double wait_limit() { return limit; }
std::int32_t wait_milliseconds() { return static_cast<std::int32_t>(std::fmin(std::ceil(limit.load(std::memory_order_relaxed) * 1000), INT32_MAX)); }
void set_matmul_precision(MatmulPrecision value) { precision = value; }
MatmulPrecision matmul_precision() { return precision.load(std::memory_order_relaxed); }
void set_deterministic(bool on) {
    if (on) fixed_order_was_set = true;
    fixed_order = on;
}
bool deterministic() { return fixed_order; }
void set_memory_policy(int value) { policy = value; }
int memory_policy() { return policy.load(std::memory_order_relaxed); }

void apply_wait_limit() {
    const Cann& c = cann();
    // Whole seconds, of which CANN takes 0 for the longest that it knows.
    if (limit_was_set && c.aclrtSetOpExecuteTimeOut) check(c.aclrtSetOpExecuteTimeOut(static_cast<std::uint32_t>(std::ceil(limit.load()))), "aclrtSetOpExecuteTimeOut");
}

void apply_deterministic() {
    const Cann& c = cann();
    if (fixed_order_was_set && c.aclrtCtxSetSysParamOpt)
        check(c.aclrtCtxSetSysParamOpt(cann::ACL_OPT_DETERMINISTIC, fixed_order ? 1 : 0), "aclrtCtxSetSysParamOpt");
}

int synchronize_stream(void* stream) {
    const Cann& c = cann();
    const std::int32_t most = c.aclrtSynchronizeStreamWithTimeout ? wait_milliseconds() : 0;
    return most ? c.aclrtSynchronizeStreamWithTimeout(stream, most) : c.aclrtSynchronizeStream(stream);
}

int synchronize_event(void* event) {
    const Cann& c = cann();
    const std::int32_t most = c.aclrtSynchronizeEventWithTimeout ? wait_milliseconds() : 0;
    return most ? c.aclrtSynchronizeEventWithTimeout(event, most) : c.aclrtSynchronizeEvent(event);
}

bool gave_up(int code) { return code == cann::ACL_ERROR_RT_STREAM_SYNC_TIMEOUT || code == cann::ACL_ERROR_RT_EVENT_SYNC_TIMEOUT; }

}  // namespace asnumpy::ascend
