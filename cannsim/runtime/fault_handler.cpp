// A touch of device memory by the host: reported, then the process goes the way of any bad access, or on with CANNSIM_STRICT=log.
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/config.hpp"
#include "runtime/memory.hpp"
#include "runtime/memory_ranges.hpp"
#include "runtime/report.hpp"

namespace cannsim {
namespace {

struct sigaction previous;

void handle(int signal, siginfo_t* info, void* context) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const int device = device_of_range(device_ranges(), address);
    if (device >= 0) {
        // The process is lost unless it may go on; what follows is not safe in a handler in general, but this access was
        // the client's own, made outside the simulator and its locks.
        const Strict strict = config().strict;
        const auto block = find_block(info->si_addr);
        note(Fault::host_access, text("the host touched device memory at ", info->si_addr, ", in ",
                                      block ? describe(*block) : text("no allocation of device ", device),
                                      "; copy with aclrtMemcpy instead"));
        if (strict == Strict::log) {
            constexpr std::uintptr_t page = 4096;
            mprotect(reinterpret_cast<void*>(address / page * page), page, PROT_READ | PROT_WRITE);
            return;
        }
    }
    if (previous.sa_flags & SA_SIGINFO) {
        if (previous.sa_sigaction) return previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        return previous.sa_handler(signal);
    }
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);  // the access is repeated and ends the process
}

}  // namespace

void install_fault_handler() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action = {};
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigaction(SIGSEGV, &action, &previous);
    });
}

}  // namespace cannsim
