// The list of planned refusals; while it is empty, a call costs one load.
#include "aclnn/refusals.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/immortal.hpp"

namespace cannsim {
namespace {

struct PlannedRefusal {
    std::string operator_name;
    std::optional<std::string> dtypes;
    int code;
};
struct PlannedRefusals {
    std::mutex mutex;
    std::vector<PlannedRefusal> all;
    std::atomic<bool> any{false};
};
PlannedRefusals& planned_refusals() {
    static asnumpy::Immortal<PlannedRefusals> instance;
    return *instance;
}

std::string dtypes_of(const Call& call) {
    std::string result;
    for (const Call::Slot& slot : call.slots())
        if (slot.tensor) result += text(result.empty() ? "" : ", ", acl_name(slot.tensor->dtype));
    return result;
}

}  // namespace

void plan_refusal(std::string operator_name, const char* dtypes, int code) {
    PlannedRefusals& p = planned_refusals();
    const std::scoped_lock lock(p.mutex);
    p.all.push_back({std::move(operator_name), dtypes ? std::optional<std::string>(dtypes) : std::nullopt, code});
    p.any.store(true, std::memory_order_release);
}

void clear_refusals() {
    PlannedRefusals& p = planned_refusals();
    const std::scoped_lock lock(p.mutex);
    p.all.clear();
    p.any.store(false, std::memory_order_release);
}

void refuse_as_planned(const Call& call) {
    PlannedRefusals& p = planned_refusals();
    if (!p.any.load(std::memory_order_acquire)) return;
    const std::string given = dtypes_of(call);
    const std::scoped_lock lock(p.mutex);
    for (const PlannedRefusal& one : p.all)
        if (one.operator_name == call.facts.name && (!one.dtypes || *one.dtypes == given))
            throw Refusal{one.code, text("tensors of ", given, " are refused, as planned")};
}

}  // namespace cannsim
