// Work on several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "arrays.hpp"

namespace asnumpy::testing {

inline constexpr int thread_number = 4;

inline void on_threads(const std::function<void(int)>& body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_number; ++t) threads.emplace_back(body, t);
    for (std::thread& t : threads) t.join();
}

// A thread's part of work that takes so long that a flush of it pauses: many products, each with its own value.
inline void work_across_pauses(int thread, int products) {
    constexpr std::int64_t side = 200;
    std::vector<Array> squares;
    for (int i = 0; i < products; ++i) {
        Array a = iota(side * side, thread + i);
        a.view = contiguous(Dims{side, side}, 8);
        squares.push_back(matmul(a, a));
    }
    for (int i = 0; i < products; ++i) {
        const Array& square = squares[static_cast<std::size_t>(i)];
        double expected = 0;
        for (int k = 0; k < side; ++k) expected += (k + thread + i) * (k * static_cast<double>(side) + thread + i);
        make_ready(square, Access::read);
        expect(*reinterpret_cast<const double*>(square.data()) == expected, "a product across pauses");
    }
}

}  // namespace asnumpy::testing
