// What was planned of operators that misbehave.
#include "runtime/misbehaviour.hpp"

#include <atomic>
#include <mutex>
#include <vector>

#include "base/immortal.hpp"
#include "cann/operators.hpp"

namespace cannsim {
namespace {

struct Plans {
    std::atomic<bool> any{false};
    std::mutex mutex;
    std::vector<Misbehaviour> of = std::vector<Misbehaviour>(asnumpy::cann::operators().size());
};
Plans& plans() {
    static asnumpy::Immortal<Plans> instance;
    return *instance;
}

}  // namespace

bool plan_misbehaviour(Misbehaviour what, std::string_view names) {
    std::vector<int> found;
    while (!names.empty()) {
        const std::string_view one = names.substr(0, names.find(','));
        names.remove_prefix(one.size() + (one.size() < names.size() ? 1 : 0));
        found.push_back(asnumpy::cann::find_operator(one));
        if (found.back() < 0) return false;
    }
    const std::scoped_lock lock(plans().mutex);
    for (const int op : found) plans().of[static_cast<std::size_t>(op)] = what;
    if (!found.empty()) plans().any = true;
    return true;
}

void clear_misbehaviour() {
    const std::scoped_lock lock(plans().mutex);
    plans().of.assign(plans().of.size(), Misbehaviour::none);
    plans().any = false;
}

Misbehaviour misbehaviour_of(int op) {
    if (!plans().any.load(std::memory_order_relaxed)) return Misbehaviour::none;
    const std::scoped_lock lock(plans().mutex);
    return plans().of[static_cast<std::size_t>(op)];
}

}  // namespace cannsim
