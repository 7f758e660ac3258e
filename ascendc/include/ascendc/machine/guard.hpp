// A kernel that touches what is not there, divides by zero or never ends: a signal brings its thread back to the launcher.
#pragma once

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace ascendc {

// Sent to a thread whose kernel has run past its time.
constexpr int time_signal = SIGURG;

struct Guard {
    sigjmp_buf back;
    volatile bool busy = false;  // inside an instruction, which holds locks and memory: it ends soon, and asks by itself
    volatile int signal = 0;
    volatile std::uintptr_t address = 0;
};

inline thread_local Guard* guard = nullptr;

inline struct sigaction& previous_action(int signal) {
    static struct sigaction actions[NSIG];
    return actions[signal];
}

// A host may have a claim to some faults: global memory that it keeps from itself. True: the access may be repeated.
using FaultClaim = bool (*)(std::uintptr_t address);
inline FaultClaim fault_claim = nullptr;

inline void catch_signal(int signal, siginfo_t* info, void* context) {
    if (guard) {
        const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
        if (signal == SIGSEGV && fault_claim && fault_claim(address)) return;
        if (signal == time_signal && guard->busy) return;
        guard->signal = signal;
        guard->address = signal == time_signal ? 0 : address;
        siglongjmp(guard->back, 1);
    }
    const struct sigaction& previous = previous_action(signal);
    if (previous.sa_flags & SA_SIGINFO) {
        if (previous.sa_sigaction) previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal);
    } else if (signal != time_signal) {
        sigaction(signal, &previous, nullptr);  // the access is repeated and ends the process
    }
}

inline void install_guard() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action = {};
        action.sa_sigaction = catch_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, time_signal}) sigaction(signal, &action, &previous_action(signal));
    });
}

}  // namespace ascendc
