// The chips known to the model and its arithmetic.
#include "runtime/model.hpp"

#include <algorithm>
#include <array>
#include <atomic>

namespace cannsim {
namespace {

constexpr double giga = 1e9, tera = 1e12, micro = 1e-6;
constexpr std::uint64_t mebi = std::uint64_t{1} << 20, gibi = std::uint64_t{1} << 30;

constexpr std::array<double, 4> cube_rates(double half) { return {half, 2 * half, half / 2, half / 4}; }

// Cores, clock, memory and cache: the vendor's published figures. Bandwidth: the vendor's own measurement of reading with all
// vector cores (1.46 TB/s of the documented 1.8). cube_rates: of float16 and bfloat16, cores x 16^3 multiply-adds x 2 x clock, as
// published. vector_rate: 64 float32 lanes per vector core and clock. ESTIMATES, not published: launch (5 us between short tasks), issue (2 us of host
// time), link (24 GB/s of a PCIe 4.0 x16 link, 10 us latency), and the other cube rates as shares of float16's: int8 twice (a
// fractal has 32 bytes along the inner axis, and the first 910 is published with 512 TOPS beside 256 TFLOP/s), hf32 half (four
// bytes an element by the same rule), float32 a quarter.
constexpr Chip make_chip(std::string_view name, int cubes, int vectors, double megahertz, std::uint64_t memory, std::uint64_t l2) {
    return {name, "Ascend910B", cubes, vectors, megahertz, memory, l2, 1.46 * tera, cube_rates(cubes * 8192.0 * megahertz * 1e6),
            vectors * 64.0 * megahertz * 1e6, 5 * micro, 2 * micro, 24 * giga, 10 * micro};
}
constexpr std::array chips{
    make_chip("Ascend910B1", 24, 48, 1850, 64 * gibi, 192 * mebi),
    make_chip("Ascend910B2", 24, 48, 1800, 64 * gibi, 192 * mebi),
    make_chip("Ascend910B3", 20, 40, 1800, 64 * gibi, 192 * mebi),
    make_chip("Ascend910B4", 20, 40, 1500, 32 * gibi, 96 * mebi),
    make_chip("Ascend910_9391", 24, 48, 1850, 64 * gibi, 192 * mebi),
};

std::atomic<const Chip*> chosen{&chips[0]};
std::atomic<double> host{0};

}  // namespace

const Chip& chip() { return *chosen.load(std::memory_order_relaxed); }

bool choose_chip(std::string_view name) {
    const auto found = std::ranges::find(chips, name, &Chip::name);
    if (found == chips.end()) return false;
    chosen = &*found;
    return true;
}

double seconds(const Cost& cost) {
    const Chip& c = chip();
    switch (cost.engine) {
        case Engine::link: return c.link_latency + cost.bytes / c.link;
        case Engine::cube: return c.launch + std::max(cost.bytes / c.bandwidth, cost.operations / c.cube_rates[static_cast<std::size_t>(cost.product)]);
        default: return c.launch + std::max(cost.bytes / c.bandwidth, cost.operations / c.vector_rate);
    }
}

double model_now() { return host.load(std::memory_order_relaxed); }
double model_issue() { return host.fetch_add(chip().issue, std::memory_order_relaxed) + chip().issue; }
void model_wait_until(double moment) {
    double now = host.load(std::memory_order_relaxed);
    while (now < moment && !host.compare_exchange_weak(now, moment, std::memory_order_relaxed)) {}
}

}  // namespace cannsim
