// The simulator's own interface.
#pragma GCC visibility push(default)
#include "cannsim.h"
#pragma GCC visibility pop

#include <algorithm>

#include "aclnn/call.hpp"
#include "aclnn/refusals.hpp"
#include "api/life.hpp"
#include "api/place.hpp"
#include "runtime/config.hpp"
#include "runtime/device.hpp"
#include "runtime/memory.hpp"
#include "runtime/misbehaviour.hpp"
#include "runtime/statistics.hpp"

using namespace cannsim;

namespace {

const char* kept(std::string text) {
    thread_local std::string last;
    last = std::move(text);
    return last.c_str();
}

}  // namespace

extern "C" {

int32_t cannsim_set(const char* name, const char* value) {
    return entry("cannsim_set", {{"name", name}, {"value", value}}, [&] {
        expect_given(name, "name");
        expect_given(value, "value");
        if (!config().set(name, value)) throw Refusal{ACL_ERROR_INVALID_PARAM, text("no setting ", name, " takes the value '", value, "'")};
        return 0;
    });
}
int32_t cannsim_fail(const char* function, uint64_t nth, int32_t code) {
    if (!function || !code) return failed(ACL_ERROR_INVALID_PARAM, "cannsim_fail: expected a function's name and a code other than 0");
    plan_fault(function, nth, code);
    return 0;
}
int32_t cannsim_refuse(const char* operator_name, const char* dtypes, int32_t code) {
    if (!operator_name || find_operator(operator_name) < 0 || !code) return failed(ACL_ERROR_INVALID_PARAM, "cannsim_refuse: expected an operator's name and a code other than 0");
    plan_refusal(operator_name, dtypes, code);
    return 0;
}
int32_t cannsim_fail_task(const char* name, uint64_t nth, int32_t code, int32_t lasting) {
    if (!name || !code) return failed(ACL_ERROR_INVALID_PARAM, "cannsim_fail_task: expected a task's name and a code other than 0");
    plan_task_fault(name, nth, code, lasting);
    return 0;
}
int32_t cannsim_lose_device(int32_t device) {
    if (device >= device_count()) return failed(ACL_ERROR_RT_INVALID_DEVICEID, text("cannsim_lose_device: expected less than ", device_count(), ", got ", device));
    lose_device(device);
    return 0;
}
int32_t cannsim_clear_faults(void) {
    clear_faults();
    clear_misbehaviour();
    clear_refusals();
    return 0;
}
uint64_t cannsim_findings(const char* kind) {
    const auto all = findings();
    return static_cast<std::uint64_t>(std::ranges::count_if(all, [&](const Finding& one) { return !kind || name(one.fault) == kind; }));
}
int32_t cannsim_clear(void) {
    clear_findings();
    clear_log();
    clear_statistics();
    return 0;
}
const char* cannsim_report_json(void) { return kept(report_json()); }
const char* cannsim_log_json(void) { return kept(log_json()); }
const char* cannsim_timeline_json(void) { return kept(timeline_json()); }
const char* cannsim_operators_json(void) {
    std::string result = "{";
    for (int op = 0; const OperatorFacts& facts : operators())
        result += text(op ? "," : "", quoted(facts.name), ":", simulated(op) ? "true" : "false"), ++op;
    return kept(result + "}");
}
double cannsim_modelled_seconds(void) { return model_now(); }
int32_t cannsim_check_leaks(void) {
    report_leaks();
    return 0;
}
uint64_t cannsim_memory_used(int32_t device) { return device >= 0 && device < 64 ? books(device).used : 0; }

}  // extern "C"
