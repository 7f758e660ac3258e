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
// time), plan (8 us for a phase one), allocation (100 us), replayed (2 us between tasks of a graph), link (24 GB/s of a PCIe 4.0 x16
// link, 10 us latency), L2 (three times the memory's bandwidth), the AICPU (six cores that are left for operators: 30 us a launch,
// 20 GB/s, 2e9 elementary operations per second), and the other cube rates as shares of float16's: int8 twice (a
// fractal has 32 bytes along the inner axis, and the first 910 is published with 512 TOPS beside 256 TFLOP/s), hf32 half (four
// bytes an element by the same rule), float32 a quarter.
constexpr Chip make_chip(std::string_view name, int cubes, int vectors, double megahertz, std::uint64_t memory, std::uint64_t l2) {
    return {name, "Ascend910B", cubes, vectors, megahertz, memory, l2, 1.46 * tera, cube_rates(cubes * 8192.0 * megahertz * 1e6),
            vectors * 64.0 * megahertz * 1e6, 3 * 1.46 * tera, 5 * micro, 2 * micro, 2 * micro, 8 * micro, 100 * micro, 30 * micro, 20 * giga, 2 * giga,
            24 * giga, 10 * micro};
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

// A client that plans and launches each call from interpreted code, one by one. About 100 us and 0.5 TB/s a call, all included, are what
// public figures of such clients show; nothing of theirs tells a cache apart.
constexpr std::pair<double Chip::*, double> eager_client[] = {
    {&Chip::launch, 5 * micro}, {&Chip::issue, 10 * micro}, {&Chip::plan, 80 * micro}, {&Chip::bandwidth, 0.5 * tera}, {&Chip::l2_bandwidth, 0.5 * tera},
};

void take_chip(const Chip& base) {
    const std::scoped_lock lock(measured().mutex);
    if (measured().figures.empty()) {
        chosen = &base;
        return;
    }
    Chip& made = measured().chips.emplace_back(base);
    for (const auto& [place, value] : measured().figures) made.*place = value;
    made.l2_bandwidth = std::max(made.l2_bandwidth, made.bandwidth);
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

namespace {

using Figures = std::vector<std::pair<double Chip::*, double>>;

// Empty: the file has none.
Figures figures_in(std::string_view path) {
    std::ifstream file{std::string(path)};
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto start = text.find("\"profile\":");
    if (start == std::string::npos) return {};
    const std::string_view object = std::string_view(text).substr(start, text.find('}', start) - start);
    Figures found;
    for (const auto& [name, place] : figures_of_a_profile)
        if (const double value = figure_named(object, name); value > 0) found.emplace_back(place, value);
    return found;
}

}  // namespace

bool choose_profile(std::string_view name) {
    Figures figures = name == "eager" ? Figures(std::begin(eager_client), std::end(eager_client)) : name == "backend" ? Figures() : figures_in(name);
    if (figures.empty() && name != "backend") return false;
    {
        const std::scoped_lock lock(measured().mutex);
        measured().figures = std::move(figures);
    }
    return choose_chip(chip().name);  // without the figures of a profile before
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
    const double launch = (cost.replayed ? c.replayed : c.launch) * cost.kernels;
    const double moved = (cost.bytes - cost.reused) / c.bandwidth + cost.reused / c.l2_bandwidth, around = launch + cost.hidden / c.bandwidth;
    switch (cost.engine) {
        case Engine::link: return c.link_latency + cost.bytes / c.link;
        case Engine::cube: return around + std::max(moved, cost.operations / c.cube_rates[static_cast<std::size_t>(cost.product)]);
        case Engine::aicpu: return around + c.aicpu_launch + std::max(cost.bytes / c.aicpu_bandwidth, cost.operations / c.aicpu_rate);
        default: return around + std::max(moved, cost.operations / c.vector_rate);
    }
}

double model_now() { return host.load(std::memory_order_relaxed); }
double model_issue() { return host.fetch_add(chip().issue, std::memory_order_relaxed) + chip().issue; }
void model_spend(double seconds) { host.fetch_add(seconds, std::memory_order_relaxed); }
void model_wait_until(double moment) {
    double now = host.load(std::memory_order_relaxed);
    while (now < moment && !host.compare_exchange_weak(now, moment, std::memory_order_relaxed)) {}
}

}  // namespace cannsim
