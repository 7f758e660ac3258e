// CUDA's words on the host, for generated kernels: the blocks of a grid run one after the other, the threads of a block are threads.
// `__global__` and `__shared__` are given as options: nothing, and `static`.
#pragma once

#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

struct Place {
    unsigned x = 0, y = 0;
};
inline Place gridDim, blockIdx;
inline thread_local Place threadIdx;
inline std::barrier<>* block_barrier = nullptr;

inline void __syncthreads() { block_barrier->arrive_and_wait(); }

template <class Form> void run_grid(void (*kernel)(Form), const Form& launch, unsigned x, unsigned y, unsigned threads) {
    std::barrier<> barrier(static_cast<std::ptrdiff_t>(threads));
    block_barrier = &barrier;
    gridDim = {x, y};
    const auto run = [&](unsigned thread) {
        threadIdx = {thread, 0};
        for (unsigned block = 0; block < x * y; ++block) {
            if (thread == 0) blockIdx = {block % x, block / x};
            barrier.arrive_and_wait();
            kernel(launch);
            barrier.arrive_and_wait();
        }
    };
    std::vector<std::jthread> others;
    for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
    run(0);
}
