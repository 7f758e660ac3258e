// Settings from the environment.
#include "runtime/config.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "base/immortal.hpp"
#include "cann/versions.hpp"
#include "runtime/misbehaviour.hpp"
#include "runtime/model.hpp"
#include "runtime/profile.hpp"
#include "runtime/report.hpp"

extern char** environ;

namespace cannsim {
namespace {

// "512", "64K", "8G": bytes.
bool parse_size(std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return false;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (unit.empty()) return true;
    constexpr std::string_view units = "KMGT";
    const auto power = units.find(static_cast<char>(std::toupper(unit[0])));
    if (power == std::string_view::npos) return false;
    value <<= 10 * (power + 1);
    return true;
}

bool parse_switch(std::string_view text, std::atomic<bool>& value) {
    if (text != "0" && text != "1") return false;
    value = text == "1";
    return true;
}

// "aclrtMalloc:3:207001,...": the third call of the function, or task of the name, fails with the code.
bool parse_faults(std::string_view text, void (*plan)(std::string, std::uint64_t, int)) {
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(one.size() + (one.size() < text.size() ? 1 : 0));
        const auto first = one.find(':'), second = one.find(':', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos) return false;
        std::uint64_t nth = 0;
        int code = 0;
        if (std::from_chars(one.data() + first + 1, one.data() + second, nth).ec != std::errc{}) return false;
        if (std::from_chars(one.data() + second + 1, one.data() + one.size(), code).ec != std::errc{}) return false;
        plan(std::string(one.substr(0, first)), nth, code);
    }
    return true;
}

}  // namespace

bool Config::set(std::string_view name, std::string_view value) {
    if (name == "STRICT") {
        if (value != "log" && value != "error" && value != "abort") return false;
        strict = value == "log" ? Strict::log : value == "error" ? Strict::error : Strict::abort;
        return true;
    }
    std::uint64_t number = 0;
    if (name == "DEVICES") {
        if (!parse_size(value, number) || number > 64) return false;
        devices = static_cast<int>(number);
        return true;
    }
    if (name == "MEMORY") {
        if (!parse_size(value, number)) return false;
        memory = number;
        return true;
    }
    if (name == "CANN") {
        const auto known = std::ranges::find(versions(), value, [](const KnownVersion& one) { return std::string_view(one.name); });
        if (known == versions().end()) return false;
        use_version(*known);
        return true;
    }
    if (name == "CHIP") return choose_chip(value);
    if (name == "PROFILE") return choose_profile(value);
    if (name == "COMPUTE") return parse_switch(value, compute);
    if (name == "CLOCK") {
        if (value != "wall" && value != "model") return false;
        model_clock = value == "model";
        return true;
    }
    if (name == "LOG") {
        log = value != "0" && !value.empty();
        if (log) watch();
        log_path = log && value != "1" ? std::string(value) : std::string();
        return true;
    }
    if (name == "TRACE") {
        trace = value != "0" && !value.empty();
        trace_path = trace && value != "1" ? std::string(value) : std::string();
        return true;
    }
    if (name == "REPORT") return report_path = value, true;
    if (name == "FINDINGS") return findings_path = value, true;
    if (name == "FAULTS") return parse_faults(value, plan_fault);
    if (name == "TASK_FAULTS") return parse_faults(value, [](std::string task, std::uint64_t nth, int code) { plan_task_fault(std::move(task), nth, code, false); });
    if (name == "CORRUPT") return plan_misbehaviour(Misbehaviour::corrupt, value);
    if (name == "HANG") return plan_misbehaviour(Misbehaviour::hang, value);
    if (name == "CRASH") return plan_misbehaviour(Misbehaviour::crash, value);
    if (name == "THREADS") {
        if (!parse_size(value, number) || number < 1) return false;
        threads = static_cast<int>(std::min<std::uint64_t>(number, 16));
        return true;
    }
    if (name == "KERNEL_SECONDS") {
        if (!parse_size(value, number) || number < 1) return false;
        kernel_seconds = static_cast<double>(number);
        return true;
    }
    if (name == "LAG") {
        if (!parse_size(value, number)) return false;
        lag = static_cast<std::int64_t>(number);
        return true;
    }
    if (name == "LOST_DEVICE") {
        if (!parse_size(value, number)) return false;
        lose_device(static_cast<int>(number));
        return true;
    }
    return false;
}

Config& config() {
    static asnumpy::Immortal<Config> instance;
    static const bool loaded = [] {
        constexpr std::string_view prefix = "CANNSIM_";
        for (char** variable = environ; variable && *variable; ++variable) {
            const std::string_view line(*variable);
            const auto equals = line.find('=');
            if (!line.starts_with(prefix) || equals == std::string_view::npos) continue;
            const std::string_view name = line.substr(prefix.size(), equals - prefix.size());
            if (!instance->set(name, line.substr(equals + 1)))
                std::fprintf(stderr, "cannsim: the environment variable %s makes no sense; known: STRICT=log|error|abort DEVICES MEMORY "
                                     "CANN=8.0|8.1|8.2|8.3|8.5|9.0 CHIP PROFILE COMPUTE CLOCK=wall|model LOG REPORT TRACE FINDINGS FAULTS=function:n:code TASK_FAULTS=operator:n:code CORRUPT|HANG|CRASH=operator,... LAG LOST_DEVICE THREADS KERNEL_SECONDS\n", *variable);
        }
        return true;
    }();
    static_cast<void>(loaded);
    return *instance;
}

}  // namespace cannsim
