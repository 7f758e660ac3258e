// Waiting for what another thread is about to do, awake.
#pragma once

#include <chrono>
#include <thread>

namespace asnumpy::cpu {

// Sleeping and waking costs so much, within which nobody lets others run.
inline constexpr std::chrono::microseconds short_patience{40};

inline void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// True once `done` is; gives up after `patience`.
template <class Done> bool spin_until(Done done, std::chrono::steady_clock::duration patience) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    for (;;) {
        for (int i = 0; i < 32; ++i) {
            if (done()) return true;
            pause();
        }
        const auto waited = Clock::now() - start;
        if (waited >= patience) return false;
        if (waited >= short_patience) std::this_thread::yield();
    }
}

}  // namespace asnumpy::cpu
