// Whole ranges, the latest first: a range is in the cache while it and all that came after it fit.
#include "runtime/reuse.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <mutex>

#include "base/immortal.hpp"
#include "runtime/model.hpp"

namespace cannsim {
namespace {

constexpr std::size_t counted = std::size_t{64} << 10;  // from here on; what moves less takes a launch, from wherever it comes
constexpr std::size_t most_ranges = 256;

struct CachedRange {
    std::uintptr_t begin, end;
};
struct Cache {
    std::mutex mutex;
    std::list<CachedRange> ranges;
    std::uint64_t bytes = 0;

    bool holds(CachedRange wanted) const {
        return std::ranges::any_of(ranges, [&](const CachedRange& one) { return one.begin <= wanted.begin && wanted.end <= one.end; });
    }
    void put(CachedRange used) {
        std::erase_if(ranges, [&](const CachedRange& one) {
            if (one.end <= used.begin || used.end <= one.begin) return false;
            bytes -= one.end - one.begin;
            return true;
        });
        ranges.push_front(used);
        bytes += used.end - used.begin;
        while (bytes > chip().l2 || ranges.size() > most_ranges) {
            bytes -= ranges.back().end - ranges.back().begin;
            ranges.pop_back();
        }
    }
};

}  // namespace

double reused_bytes(int device, std::span<const Use> uses) {
    const auto counts = [](const Use& use) { return use.size >= counted; };
    if (std::ranges::none_of(uses, counts)) return 0;
    static asnumpy::Immortal<std::array<Cache, 64>> caches;
    Cache& cache = (*caches)[static_cast<std::size_t>(device)];
    const std::scoped_lock lock(cache.mutex);
    const auto range = [](const Use& use) {
        const auto begin = reinterpret_cast<std::uintptr_t>(use.address);
        return CachedRange{begin, begin + use.size};
    };
    double reused = 0;
    for (const Use& use : uses)
        if (counts(use) && !use.write && cache.holds(range(use))) reused += static_cast<double>(use.size);
    for (const Use& use : uses)
        if (counts(use)) cache.put(range(use));
    return reused;
}

}  // namespace cannsim
