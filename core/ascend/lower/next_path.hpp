// What CANN refuses is done in its next way: noted, and tried again, until nothing refuses or no way is left.
#pragma once

#include <optional>
#include <string>

#include "ascend/launch/refused.hpp"
#include "ascend/library/context.hpp"
#include "device/demotion.hpp"

namespace asnumpy::ascend {

// Runs the attempt, which is to use what this generation has and to begin anew each time; nothing that it reads is overwritten when
// it fails. at_work says which operation was under way: the host gets it when no other call is known that would do.
// Uncomputed goes on to whoever can give it to the host.
template <class Attempt, class AtWork> void by_next_paths(const std::string& device, Attempt&& attempt, AtWork&& at_work) {
    if (capturing) return attempt();  // who captures it launches it as ever when this fails
    for (;;) {
        const std::uint64_t now = generation();
        const auto give_up = [&](int code, const std::string& reason) {
            const std::optional<std::string> operation = at_work();
            if (!operation) return false;
            demote({.what = *operation, .device = device, .operation = true, .code = code, .reason = reason}, now);
            return true;
        };
        try {
            return attempt();
        } catch (const Refused& refused) {
            std::string reason = refused.code ? code_text(refused.code) : "no such operator";
            if (!refused.message.empty()) reason += ": " + refused.message;
            if (demote({.what = refused.call, .device = device, .code = refused.code, .reason = reason}, now)) continue;
            if (!give_up(refused.code, reason)) throw;
        } catch (const NoWay& why) {
            if (generation() != now) continue;
            if (!give_up(0, why.what())) throw;
        }
    }
}

}  // namespace asnumpy::ascend
