// The model of the chip's time: what a launch, a byte and an operation cost. Everything from here is modelled, not measured.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cannsim {

// What the cube units multiply; each has a rate of its own. hf32: float32 rounded to 11 bits first.
enum class Product : std::uint8_t { half, byte, hf32, single };

struct Chip {
    std::string_view name;         // as aclrtGetSocName gives it
    std::string_view short_name;
    int cube_cores, vector_cores;
    double megahertz;
    std::uint64_t memory;          // bytes
    std::uint64_t l2;              // bytes
    double bandwidth;              // bytes per second, of the device memory
    std::array<double, 4> cube_rates;  // operations per second, by product
    double vector_rate;            // operations per second, float32 elementwise
    double l2_bandwidth;           // bytes per second, of what the tasks before have left in the cache
    double launch;                 // seconds of device time per task
    double replayed;               // the same of a graph's task
    double issue;                  // seconds of host time per call
    double plan;                   // of a phase one
    double allocation;             // of giving and taking device memory
    double aicpu_launch, aicpu_bandwidth, aicpu_rate;  // of the few host-like cores
    double link;                   // bytes per second between host and device
    double link_latency;           // seconds per copy
};

const Chip& chip();
bool choose_chip(std::string_view name);  // false: unknown

enum class Engine : std::uint8_t { vector, cube, aicpu, copy, link };

// What a task costs the model: bytes moved in device memory (or over the link), operations on an engine.
struct Cost {
    double bytes = 0;
    double operations = 0;
    Engine engine = Engine::vector;
    Product product = Product::half;  // on the cube
    double hidden = 0;                // bytes moved by kernels before and after, for operands that lie elsewise or are of other dtypes
    int kernels = 1;                  // with these
    double reused = 0;                // of `bytes`: in the cache
    bool replayed = false;            // of a graph
};
double seconds(const Cost&);

// The host's modelled time: each call adds its issue cost; a wait moves it to the end of what it waited for.
double model_now();
double model_issue();                 // adds the cost of one call, gives the time
void model_spend(double seconds);     // of the host's
void model_wait_until(double moment);

}  // namespace cannsim
