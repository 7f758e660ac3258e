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

// What an arrival brings: the knowledge of the core that came, as others see it, and its modelled time.
struct Arrival {
    std::shared_ptr<const std::vector<Ticks>> knowledge;
    double time = 0;
};

inline Arrival together(const std::vector<Arrival>& arrivals) {
    Arrival all;
    Knowledge joined;
    for (const Arrival& arrival : arrivals) {
        joined.join_others(arrival.knowledge);
        all.time = std::max(all.time, arrival.time);
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
    std::deque<Arrival>& flag(std::uint32_t core, unsigned id) { return flags_[core * cross_flags + id]; }

private:
    std::map<std::tuple<int, std::uint32_t, unsigned>, Meeting> meetings_;
    std::vector<std::deque<Arrival>> flags_;
};

}  // namespace ascendc
