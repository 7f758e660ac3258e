// Work on several threads at once.
#pragma once

#include <functional>
#include <thread>
#include <vector>

namespace asnumpy::testing {

inline constexpr int thread_number = 4;

inline void on_threads(const std::function<void(int)>& body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_number; ++t) threads.emplace_back(body, t);
    for (std::thread& t : threads) t.join();
}

}  // namespace asnumpy::testing
