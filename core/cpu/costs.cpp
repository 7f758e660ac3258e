// A loop of the core's is timed on elements that a cache holds; what a frame takes follows from where its operands may lie.
#include "cpu/costs.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "cpu/frame.hpp"
#include "cpu/ordered_lines.hpp"
#include "kernels/kernels.hpp"

namespace asnumpy::cpu {
namespace {

constexpr double gather_ns = 1;  // of an element

// What work on operands in a cache of the thread's own takes of that on operands in memory.
double measured_share() {
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t elements = 16384, turns = 6;
    static const RowId multiply = find_row("multiply");
    std::size_t which = 0;
    for (const Signature& signature : row(multiply).loops) {
        if (signature.in[0] == DType::float64 && signature.out[0] == DType::float64) break;
        ++which;
    }
    const Loop made = loop(multiply, static_cast<int>(which));
    std::vector<double> a(elements, 1.5), b(elements, 0.5), c(elements);
    void* const out[] = {c.data()};
    const void* const in[] = {a.data(), b.data()};
    double best = 1e9;
    for (std::size_t turn = 0; turn < turns; ++turn) {
        const Clock::time_point begin = Clock::now();
        made(out, in, elements);
        best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
    }
    return std::clamp(best / (elements * sizeof(double) * (step_ns_per_byte + 3 * memory_ns_per_byte)), 0.05, 1.0);
}

double cached_share() {
    static const double share = measured_share();
    return share;
}

}  // namespace

void Frame::estimate() {
    double ns = plan->cost, gathers = 0;
    std::int64_t bytes = 0;
    std::intptr_t before = 0;
    const auto reached = [&](const Strided& view, bool in_place) {
        const std::int64_t all = view.itemsize * order.size();
        const auto start = reinterpret_cast<std::intptr_t>(view.data);
        if (std::abs(start - before) >= all) bytes += all;  // else another view of what was counted
        before = start;
        (in_place ? ns : gathers) += in_place ? memory_ns_per_byte * static_cast<double>(view.itemsize) : gather_ns;
    };
    for (const Source& input : inputs)
        if (input.access != Source::Access::constant) reached(input.view, input.access == Source::Access::in_place || input.access == Source::Access::turned);
    for (const Output& output : outputs) reached(output.view, output.delivery != Output::Delivery::scattered);
    if (bytes <= cache_bytes().second) ns *= cached_share();
    unit_ns = (ns + gathers + plan->called_cost) * static_cast<double>(order.size()) / static_cast<double>(units);
}

}  // namespace asnumpy::cpu
