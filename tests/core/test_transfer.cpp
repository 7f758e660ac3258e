// Lines of elements with gaps between them, gathered and scattered: every size, distance and length, at any address, and nothing beyond their ends.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cpu/transfer.hpp"
#include "random_programs.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

// Of exactly so many bytes, so that a sanitizer sees what is read before or behind them.
std::vector<char> bytes_of(std::int64_t count) {
    std::vector<char> made(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<char>(i * 37 + i / 251);
    return made;
}

void test_line(std::int64_t size, std::int64_t distance, std::int64_t n, std::int64_t shift) {
    const std::int64_t stride = distance * size, reach = std::abs(stride) * (n - 1) + size;
    std::vector<char> apart = bytes_of(shift + reach);
    char* const first = apart.data() + shift + (stride < 0 ? -stride * (n - 1) : 0);
    std::vector<char> together(static_cast<std::size_t>(shift + n * size));
    cpu::move_line(together.data() + shift, size, first, stride, size, n);
    bool same = true;
    for (std::int64_t i = 0; i < n; ++i) same = same && std::memcmp(together.data() + shift + i * size, first + i * stride, static_cast<std::size_t>(size)) == 0;
    expect(same, "gathered: elements of " + std::to_string(size) + " bytes, " + std::to_string(distance) + " apart, " + std::to_string(n) + " of them");

    const std::vector<char> before = apart;
    for (std::int64_t i = 0; i < n * size; ++i) together[static_cast<std::size_t>(shift + i)] = static_cast<char>(i * 11 + 5);
    cpu::move_line(first, stride, together.data() + shift, size, size, n);
    std::vector<char> wanted = before;
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(wanted.data() + (first - apart.data()) + i * stride, together.data() + shift + i * size, static_cast<std::size_t>(size));
    expect(apart == wanted, "scattered, and the gaps as before: elements of " + std::to_string(size) + " bytes, " + std::to_string(distance) + " apart, " + std::to_string(n) + " of them");
}

}  // namespace

int main() {
    for (const std::int64_t size : {1, 2, 4, 8, 16, 32})
        for (const std::int64_t distance : {1, 2, 3, 4, 5, -1, -2, -3})
            for (const std::int64_t shift : {0, 1, 8})
                for (std::int64_t n = 1; n < 150; n += n < 70 ? 1 : 13) test_line(size, distance, n, shift);
    std::printf("lines with gaps: %d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
