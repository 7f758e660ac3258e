// Looking operators up, each at its first use.
#include "ascend/library/operators.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "ascend/library/cann.hpp"
#include "base/error.hpp"
#include "base/immortal.hpp"

namespace asnumpy::ascend {
namespace {

struct Operators {
    std::mutex mutex;
    std::unordered_map<std::string_view, std::size_t> places;
    std::vector<Operator> resolved = std::vector<Operator>(cann::operators().size());
    std::vector<std::atomic<bool>> known = std::vector<std::atomic<bool>>(cann::operators().size());

    Operators() {
        for (std::size_t i = 0; i < cann::operators().size(); ++i) places.emplace(cann::operators()[i].name, i);
    }
};
Operators& all() {
    static Immortal<Operators> instance;
    return *instance;
}

Operator& resolved(const OperatorFacts& facts) {
    Operators& o = all();
    const auto place = static_cast<std::size_t>(&facts - cann::operators().data());
    Operator& op = o.resolved[place];
    if (o.known[place].load(std::memory_order_acquire)) return op;
    const std::lock_guard lock(o.mutex);
    if (o.known[place].load(std::memory_order_relaxed)) return op;
    const Cann& c = cann();
    op.facts = &facts;
    op.parameters = cann::parameters(facts);
    op.asks_for_order = std::ranges::any_of(op.parameters, &cann::Parameter::contiguous);
    op.first = c.find((std::string(facts.name) + "GetWorkspaceSize").c_str());
    op.second = reinterpret_cast<Operator::SecondPhase>(c.find(op.facts->name));
    if (!op.second) op.first = nullptr;
    op.repeatable = c.aclSetAclOpExecutorRepeatable && c.aclDestroyAclOpExecutor && c.aclSetTensorAddr;
    o.known[place].store(true, std::memory_order_release);
    return op;
}

Operator* resolved(std::string_view name) {
    const auto place = all().places.find(name);
    return place == all().places.end() ? nullptr : &resolved(cann::operators()[place->second]);
}

Operator& expect_loaded(Operator& op) {
    if (!op.first) throw DeviceFailure(std::string(op.facts->name) + ": the CANN that is loaded (" + search().version + ") has no such operator");
    return op;
}

}  // namespace

Operator& find_operator(std::string_view name) {
    Operator* const found = resolved(name);
    if (!found) throw DeviceFailure(std::string(name) + ": CANN has no operator of that name");
    return expect_loaded(*found);
}

Operator& find_operator(const OperatorFacts& facts) { return expect_loaded(resolved(facts)); }

bool has_operator(std::string_view name) {
    if (!in_use()) {
        const int place = cann::find_operator(name);
        return place >= 0 && cann::exists(cann::operators()[static_cast<std::size_t>(place)]);
    }
    const Operator* const found = resolved(name);
    return found && found->first;
}

}  // namespace asnumpy::ascend
