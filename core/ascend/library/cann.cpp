// Looking for CANN's libraries, opening them, and the table of functions.
#include "ascend/library/cann.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "ascend/library/driver.hpp"
#include "ascend/library/libraries.hpp"
#include "ascend/library/places.hpp"
#include "base/error.hpp"
#include "base/immortal.hpp"
#include "cann/codes.hpp"
#include "cann/versions.hpp"

struct aclCANNPackageVersion {
    char version[asnumpy::cann::ACL_PKG_VERSION_MAX_SIZE];
    char majorVersion[asnumpy::cann::ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char minorVersion[asnumpy::cann::ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char releaseVersion[asnumpy::cann::ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char patchVersion[asnumpy::cann::ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char reserved[asnumpy::cann::ACL_PKG_VERSION_MAX_SIZE];
};

namespace asnumpy::ascend {
namespace {

// Beginnings of the names of the chips that core/cann's facts are about: Atlas A2 and A3.
constexpr std::array<std::string_view, 2> known_chips{"Ascend910B", "Ascend910_93"};

struct Loaded {
    Cann cann;
    Search search;
    Libraries libraries;
    bool started = false;  // by us
    void (*on_start)() = nullptr;
    std::vector<void (*)()> at_end;
    std::mutex mutex;
    std::atomic<bool> in_use{false};
    std::atomic<bool> ended{false};             // for all but `ending`
    std::atomic<std::thread::id> ending{};      // the thread that ends it, while it does
    bool forked = false;   // why it has ended
};

Loaded& loaded_state() {
    static Immortal<Loaded> state;
    return *state;
}

// Opens the libraries of a folder (empty: by the loader's own path); notes what came of it.
bool open(Loaded& state, const std::string& folder, const std::string& shown) {
    Search& s = state.search;
    s.operators = s.simulated ? std::string() : operators_folder(folder);
    const std::string refused = state.libraries.open(folder, vendor_libraries(s.operators));
    if (state.libraries.find("cannsim_clear")) s.simulated = true, s.operators.clear();
    s.libraries = state.libraries.outcomes();
    s.tried.emplace_back(shown, refused.empty() ? "opened" : refused);
    if (refused.empty()) s.folder = folder;
    return refused.empty();
}

bool open_toolkit(Loaded& state, const std::string& path, const std::string& origin) {
    const std::string shown = origin.empty() ? path : path + " (" + origin + ")";
    const std::string folder = library_folder(path);
    if (!folder.empty()) return open(state, folder, shown);
    struct stat found {};
    const bool is_file = stat(path.c_str(), &found) == 0 && !S_ISDIR(found.st_mode);
    state.search.tried.emplace_back(shown, is_file ? "is a file, not a folder" : exists(path) ? std::string("has no lib64/") + runtime_library : "does not exist");
    return false;
}

bool look(Loaded& state) {
    const std::string& asked = state.search.asked;
    if (asked == "off") {
        state.search.tried.emplace_back("ASNUMPY_CANN=off", "not looked for");
        return false;
    }
    if (asked == "sim") {
        state.search.simulated = true;
        const std::string folder = simulator_folder(variable("CANNSIM_CANN"));
        if (!exists(folder + "/" + runtime_library)) {
            state.search.tried.emplace_back(folder + " (the simulator)", std::string("has no ") + runtime_library);
            return false;
        }
        // Opened by its own name first: glibc's table for unwinding lacks a library that comes only as another one's filtee,
        // and no exception within it could be caught.
        dlopen((folder + "/libcannsim.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
        return open(state, folder, folder + " (the simulator)");
    }
    if (!asked.empty()) return open_toolkit(state, asked, "ASNUMPY_CANN");
    for (const char* const name : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"}) {
        const std::string path = variable(name);
        if (!path.empty() && open_toolkit(state, path, name)) return true;
    }
    if (open(state, "", std::string(runtime_library) + " (the loader's path)")) return true;
    return std::ranges::any_of(usual_toolkits(), [&](const std::string& usual) { return open_toolkit(state, usual, "where it is usually installed"); });
}

std::string places_text(const Search& search) {
    std::string text;
    for (const auto& [place, outcome] : search.tried) text += "\n  " + place + ": " + outcome;
    return text;
}

void take_functions(Loaded& state) {
    const auto take = [&state](auto& member, const char* name, bool required) {
        member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(state.libraries.find(name));
        if (!member) (required ? state.search.missing : state.search.absent).emplace_back(name);
    };
#define ASNUMPY_CANN_TAKE(name) take(state.cann.name, #name, true);
    ASNUMPY_CANN_REQUIRED(ASNUMPY_CANN_TAKE)
#undef ASNUMPY_CANN_TAKE
#define ASNUMPY_CANN_TAKE(name) take(state.cann.name, #name, false);
    ASNUMPY_CANN_OPTIONAL(ASNUMPY_CANN_TAKE)
#undef ASNUMPY_CANN_TAKE
    if (!state.cann.aclSetTensorAddr) state.cann.aclSetTensorAddr = state.cann.AclSetTensorAddr;
}

std::string version_of(const Loaded& state) {
    if (state.cann.aclsysGetCANNVersion) {
        aclCANNPackageVersion version{};
        if (state.cann.aclsysGetCANNVersion(cann::ACL_PKG_NAME_CANN, &version) == 0 && version.version[0]) return version.version;
    }
    int major = 0, minor = 0, patch = 0;
    if (state.cann.aclrtGetVersion && state.cann.aclrtGetVersion(&major, &minor, &patch) == 0)
        return "interface " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
    return {};
}

// The facts by which operations are lowered from now on: those of the version found, of the newest where it is not known.
void choose_facts(Search& s) {
    const auto numbers = cann::version_numbers(s.version);
    const cann::KnownVersion& facts = cann::version_for(numbers);
    cann::use_version(facts);
    s.facts = std::string(facts.name) + ", " + facts.sure;
    if (!numbers) s.facts += " (CANN's version is not known)";
    const cann::KnownVersion& oldest = cann::versions().front();
    if (numbers && *numbers < std::pair(oldest.major, oldest.minor))
        s.doubts.push_back("CANN " + s.version + " is older than " + oldest.name + ", the oldest that asnumpy knows: what it refuses is computed in other ways or on the host; install CANN " +
                           oldest.name + " or newer");
}

std::string message_of(const Cann& cann) {
    const char* const message = cann.aclGetRecentErrMsg ? cann.aclGetRecentErrMsg() : nullptr;
    return message ? message : "";
}

std::string after_colon(const std::string& message) { return message.empty() ? message : ": " + message; }

// Empty where it is known what the chip's operators take. ASNUMPY_CHIP lets a chip be taken for another.
std::string why_not_the_chip(Search& s) {
    const std::string named = variable("ASNUMPY_CHIP");
    const std::string& chip = named.empty() ? s.chip : named;
    if (chip.empty()) {
        s.doubts.push_back("CANN does not say which chip it is: it is taken for an " + std::string(known_chips.front()) + "; ASNUMPY_CHIP names it");
        return {};
    }
    const bool known = std::ranges::any_of(known_chips, [&](std::string_view one) { return chip.starts_with(one); });
    if (known && chip != s.chip)
        s.doubts.push_back("the chip " + s.chip + " is taken for " + chip + " (ASNUMPY_CHIP): what its operators refuse goes another way, what they compute otherwise is not noticed");
    if (known) return {};
    std::string text = (named.empty() ? "the chip is " + chip : "ASNUMPY_CHIP is " + chip) + ", and what its operators take is not known; known are";
    for (const std::string_view one : known_chips) text += std::string(one == known_chips.front() ? " " : ", ") + std::string(one) + "*";
    return text + "; arrays stay on the CPU; to try it nevertheless, set ASNUMPY_CHIP to the known chip that is most like it";
}

void start(Loaded& state) {
    Search& s = state.search;
    s.asked = variable("ASNUMPY_CANN");
    if (!look(state)) {
        if (s.asked == "off") s.failure = "CANN is switched off (ASNUMPY_CANN=off); unset the variable, or set it to sim to use the simulator";
        else if (s.asked == "sim") s.failure = "the CANN simulator was not found; looked for:" + places_text(s) + "\nthis build of asnumpy has none, or ASNUMPY_CANNSIM_LIB is wrong";
        else s.failure = "CANN was not found; looked for:" + places_text(s) +
                         "\ninstall CANN and source its set_env.sh, or set ASNUMPY_CANN: to the toolkit's folder (the one with lib64), or to sim to use the simulator";
        return;
    }
    s.loaded = true;
    take_functions(state);
    if (!s.missing.empty()) {
        constexpr std::size_t most_named = 6;
        s.failure = "CANN in " + (s.folder.empty() ? std::string("the loader's path") : s.folder) + " is too old or incomplete; it lacks";
        for (std::size_t i = 0; i < std::min(most_named, s.missing.size()); ++i) s.failure += (i ? ", " : " ") + s.missing[i];
        if (s.missing.size() > most_named) s.failure += " and " + std::to_string(s.missing.size() - most_named) + " more";
        s.failure += "; install CANN 8.0 or newer, or set ASNUMPY_CANN=sim to use the simulator";
        return;
    }
    const Cann& c = state.cann;
    const std::string too_old = s.simulated ? std::string() : why_too_old(installed_driver(), required_interface(s.folder));
    const int code = c.aclInit(nullptr);
    if (code && code != cann::ACL_ERROR_REPEAT_INITIALIZE) {
        s.failure = "aclInit failed with " + code_text(code) + after_colon(message_of(c)) + "; " +
                    (too_old.empty() ? "is the driver installed, and may this user open /dev/davinci*? " : too_old + "; ") + "ASNUMPY_CANN=sim uses the simulator";
        return;
    }
    state.started = code == 0;
    s.version = version_of(state);
    choose_facts(s);
    std::uint32_t devices = 0;
    if (const int counted = c.aclrtGetDeviceCount(&devices); counted || !devices) {
        s.failure = "CANN " + s.version + " sees no device" + (counted ? " (" + code_text(counted) + after_colon(message_of(c)) + ")" : std::string()) +
                    (s.simulated ? "; set CANNSIM_DEVICES to how many there shall be" : !too_old.empty() ? "; " + too_old : "; see what npu-smi info says, and ASCEND_RT_VISIBLE_DEVICES; ASNUMPY_CANN=sim uses the simulator");
        return;
    }
    if (const char* const chip = c.aclrtGetSocName()) s.chip = chip;
    if (s.failure = why_not_the_chip(s); !s.failure.empty()) return;
    s.devices = static_cast<int>(devices);
    if (!too_old.empty()) s.doubts.push_back(too_old);
    if (!s.simulated && s.operators.empty()) s.doubts.push_back(why_no_operators());
    if (state.on_start) state.on_start();
    pthread_atfork(nullptr, nullptr, [] {
        loaded_state().forked = true;
        loaded_state().ended.store(true, std::memory_order_release);
    });
    state.in_use.store(true, std::memory_order_release);
}

Loaded& loaded() {
    static Loaded& state = []() -> Loaded& {
        start(loaded_state());
        return loaded_state();
    }();
    return state;
}

}  // namespace

void* Cann::find(const char* name) const { return loaded_state().libraries.find_operator(name); }

const Search& search() { return loaded().search; }
int device_count() { return ended() ? 0 : search().devices; }
std::string why_not() {
    const Loaded& state = loaded();
    if (!ended()) return state.search.failure;
    if (state.forked)
        return "this process is a child of fork(), in which CANN and the parent's devices cannot be used; start processes by "
               "multiprocessing.get_context(\"spawn\"), or move the arrays with to_device(\"cpu\") before the fork";
    return "CANN has ended with the process";
}

const Cann& cann() {
    Loaded& state = loaded();
    if (!state.search.devices || ended()) [[unlikely]] throw DeviceFailure("ascend: " + why_not());
    return state.cann;
}

std::string code_text(int code) {
    const char* const known = cann::code_name(code);
    return std::string(known ? known : "an unknown code") + " (" + std::to_string(code) + ")";
}

void fail(const std::string& what, int code) {
    const std::string said = message_of(loaded_state().cann);
    const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    throw DeviceFailure(what + " failed with " + code_text(code) + after_colon(said), {what.begin(), std::ranges::find_if_not(what, is_part)}, code, said);
}

void on_start(void (*action)()) { loaded_state().on_start = action; }

void at_end(void (*action)()) {
    const std::lock_guard lock(loaded().mutex);
    loaded().at_end.push_back(action);
}

bool ended() {
    const Loaded& state = loaded_state();
    return state.ended.load(std::memory_order_acquire) && state.ending.load(std::memory_order_relaxed) != std::this_thread::get_id();
}
bool wanted() { return search().loaded || (!search().asked.empty() && search().asked != "off"); }
bool in_use() { return loaded_state().in_use.load(std::memory_order_acquire); }

void shut_down() noexcept {
    Loaded& state = loaded_state();
    if (!state.search.devices || state.ended) return;
    const std::lock_guard lock(state.mutex);
    if (state.ended) return;
    // From now on other threads' calls fail, so that none of them takes anew what is given back here.
    state.ending = std::this_thread::get_id();
    state.ended = true;
    for (auto action = state.at_end.rbegin(); action != state.at_end.rend(); ++action) (*action)();
    // What these say, nobody can hear any more. Each aclInit counts, also one that finds CANN started by another library.
    std::uint64_t left = 0;
    if (state.cann.aclFinalizeReference) state.cann.aclFinalizeReference(&left);
    else if (state.started) state.cann.aclFinalize();
    state.ending = std::thread::id{};
}

}  // namespace asnumpy::ascend
