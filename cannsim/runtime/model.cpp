// The chips known to the model and its arithmetic.
#include "runtime/model.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/immortal.hpp"
#include "runtime/profile.hpp"

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

// What was measured, by the place of the figure in a chip; chips with such figures stay, since others may look at them.
struct Measured {
    std::mutex mutex;
    std::vector<std::pair<double Chip::*, double>> figures;
    std::deque<Chip> chips;
};
Measured& measured() {
    static asnumpy::Immortal<Measured> instance;
    return *instance;
}

constexpr std::pair<std::string_view, double Chip::*> figures_of_a_profile[] = {
    {"launch_seconds", &Chip::launch}, {"memory_bytes_per_second", &Chip::bandwidth},
    {"link_bytes_per_second", &Chip::link}, {"link_latency_seconds", &Chip::link_latency},
};

void take_chip(const Chip& base) {
    const std::scoped_lock lock(measured().mutex);
    if (measured().figures.empty()) {
        chosen = &base;
        return;
    }
    Chip& made = measured().chips.emplace_back(base);
    for (const auto& [place, value] : measured().figures) made.*place = value;
    chosen = &made;
}

// The number after `"name":` in the text; not above 0: there is none.
double figure_named(std::string_view text, std::string_view name) {
    const std::string key = '"' + std::string(name) + "\":";
    const auto at = text.find(key);
    if (at == std::string_view::npos) return 0;
    text.remove_prefix(at + key.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

bool read_profile(std::string_view path) {
    std::ifstream file{std::string(path)};
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto start = text.find("\"profile\":");
    if (start == std::string::npos) return false;
    const std::string_view object = std::string_view(text).substr(start, text.find('}', start) - start);
    std::vector<std::pair<double Chip::*, double>> found;
    for (const auto& [name, place] : figures_of_a_profile)
        if (const double value = figure_named(object, name); value > 0) found.emplace_back(place, value);
    if (found.empty()) return false;
    {
        const std::scoped_lock lock(measured().mutex);
        measured().figures = std::move(found);
    }
    take_chip(chip());
    return true;
}

const Chip& chip() { return *chosen.load(std::memory_order_relaxed); }

bool choose_chip(std::string_view name) {
    const auto found = std::ranges::find(chips, name, &Chip::name);
    if (found == chips.end()) return false;
    take_chip(*found);
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
