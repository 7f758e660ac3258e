// Flags and barriers between the cores of one launch: who has arrived, what it knew, and when by the model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "ascendc/machine/pipes.hpp"

namespace ascendc {

constexpr unsigned cross_flags = 16;
constexpr unsigned cross_flag_limit = 15;

// What an arrival brings: the knowledge of the core that came, as others see it, its modelled time, and where it was issued.
struct Arrival {
    std::shared_ptr<const std::vector<Ticks>> knowledge;
    double time = 0;
    Where where;
};

inline Arrival together(const std::vector<Arrival>& arrivals) {
    Arrival all;
    Knowledge joined;
    for (const Arrival& arrival : arrivals) {
        joined.join_others(arrival.knowledge);
        all.time = std::max(all.time, arrival.time);
        all.where = arrival.where;
    }
    all.knowledge = std::move(joined.others);
    return all;
}

// A place where a set of cores meets: each brings arrivals, and once every one of them has brought one, each receiver has a flag.
struct Meeting {
    std::vector<std::uint32_t> members;
    std::vector<std::uint32_t> receivers;
    std::map<std::uint32_t, std::deque<Arrival>> brought;

    // Gives what all have brought, when the arrival of `member` was the last one missing.
    bool arrive(std::uint32_t member, Arrival arrival, Arrival& all) {
        brought[member].push_back(std::move(arrival));
        for (const std::uint32_t each : members)
            if (brought[each].empty()) return false;
        std::vector<Arrival> parts;
        for (const std::uint32_t each : members) {
            parts.push_back(std::move(brought[each].front()));
            brought[each].pop_front();
        }
        all = together(parts);
        return true;
    }
};

// One flag of one core: it counts to cross_flag_limit. How often it was waited for, as far as a setter can be certain of it, is
// read from the setter's knowledge, so that the limit holds or breaks in every run alike.
struct CrossFlag {
    std::deque<Arrival> pending;
    std::uint64_t sets = 0;
    std::vector<std::uint32_t> waits;  // by the tick of the scalar unit that waited

    bool full(std::uint32_t receiver, const Arrival& arrival) const {
        const std::uint32_t certain = arrival.knowledge ? (*arrival.knowledge)[receiver][index(Pipe::S)] : 0;
        const auto waited = std::upper_bound(waits.begin(), waits.end(), certain) - waits.begin();
        return sets + 1 - static_cast<std::uint64_t>(waited) > cross_flag_limit;
    }
};

// Cores that meet again and again; a round ends when the last of them has come.
struct Barrier {
    std::vector<Arrival> arrivals;
    Arrival result;
    std::uint64_t round = 0;
};

// Used under the launch's lock alone.
class Crossing {
public:
    explicit Crossing(std::size_t cores) : flags_(cores * cross_flags) {}

    // The members' meeting for a flag id (or a barrier, by a number beyond the ids); made when it is first used.
    Meeting& meeting(int mode, std::uint32_t group, unsigned flag, const std::vector<std::uint32_t>& members,
                     const std::vector<std::uint32_t>& receivers) {
        Meeting& found = meetings_[{mode, group, flag}];
        if (found.members.empty()) found.members = members, found.receivers = receivers;
        return found;
    }
    CrossFlag& flag(std::uint32_t core, unsigned id) { return flags_[core * cross_flags + id]; }
    const std::map<std::tuple<int, std::uint32_t, unsigned>, Meeting>& meetings() const { return meetings_; }
    // By a word of global memory, or by a small number where the hardware has the barrier.
    Barrier& barrier(std::uintptr_t key) { return barriers_[key]; }
    // What was posted at a word of global memory, and nobody has taken.
    std::deque<Arrival>& posted(std::uintptr_t address) { return posted_[address]; }

private:
    std::map<std::tuple<int, std::uint32_t, unsigned>, Meeting> meetings_;
    std::vector<CrossFlag> flags_;
    std::map<std::uintptr_t, Barrier> barriers_;
    std::map<std::uintptr_t, std::deque<Arrival>> posted_;
};

}  // namespace ascendc
