// The list of demotions.
#include "device/demotion.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"

namespace asnumpy {
namespace {

struct Demotions {
    ForkMutex mutex{91};
    std::vector<Demotion> all;  // few: found by a walk
    std::size_t told = 0;       // so many of them were reported
};
Demotions& known_demotions() {
    static Immortal<Demotions> instance;
    return *instance;
}

std::vector<Demotion>::iterator find_demotion(Demotions& l, const std::string& what) { return std::ranges::find(l.all, what, &Demotion::what); }

// With the lock held.
void add_demotion(Demotions& l, Demotion&& one) {
    one.since = detail::generation.load(std::memory_order_relaxed) + 1;
    l.all.push_back(std::move(one));
    detail::any_demoted.store(true, std::memory_order_release);
    detail::generation.store(l.all.back().since, std::memory_order_release);
}

}  // namespace

void begin_generation() {
    const std::lock_guard lock(known_demotions().mutex);
    detail::generation.fetch_add(1, std::memory_order_acq_rel);
}

bool is_demoted(const std::string& what) {
    if (!any_demoted()) return false;
    Demotions& l = known_demotions();
    const std::lock_guard lock(l.mutex);
    return find_demotion(l, what) != l.all.end();
}

std::string why_demoted(const std::string& what) {
    Demotions& l = known_demotions();
    const std::lock_guard lock(l.mutex);
    const auto found = find_demotion(l, what);
    return found == l.all.end() ? std::string() : found->what + " was refused with " + found->reason;
}

bool demote(Demotion one, std::uint64_t before) {
    Demotions& l = known_demotions();
    const std::lock_guard lock(l.mutex);
    if (const auto found = find_demotion(l, one.what); found != l.all.end()) {
        ++found->count;
        return found->since > before;
    }
    one.count = 1;
    add_demotion(l, std::move(one));
    detail::any_unreported.store(true, std::memory_order_relaxed);
    return true;
}

std::vector<Demotion> demotions() {
    const std::lock_guard lock(known_demotions().mutex);
    return known_demotions().all;
}

void apply_demotions(const std::vector<Demotion>& known) {
    Demotions& l = known_demotions();
    const std::lock_guard lock(l.mutex);
    for (const Demotion& one : known) {
        if (find_demotion(l, one.what) != l.all.end()) continue;
        Demotion copy = one;
        copy.count = 0;
        add_demotion(l, std::move(copy));
    }
}

void forget_demotions() {
    Demotions& l = known_demotions();
    const std::lock_guard lock(l.mutex);
    l.all.clear();
    l.told = 0;
    detail::any_demoted.store(false, std::memory_order_release);
    detail::any_unreported.store(false, std::memory_order_relaxed);
    detail::generation.fetch_add(1, std::memory_order_acq_rel);
}

std::vector<Demotion> unreported_demotions() {
    Demotions& l = known_demotions();
    const std::lock_guard lock(l.mutex);
    std::vector<Demotion> result(l.all.begin() + static_cast<std::ptrdiff_t>(l.told), l.all.end());
    l.told = l.all.size();
    detail::any_unreported.store(false, std::memory_order_relaxed);
    std::erase_if(result, [](const Demotion& one) { return one.operation || !one.count; });
    return result;
}

}  // namespace asnumpy
