// The pool: classes, splitting and merging, limit, out of memory, forks; figures return to their start.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "device/pool.hpp"
#include "device/segments.hpp"
#include "device/trace.hpp"
#include "small_device.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

void reuses_small_blocks() {
    SmallDevice device(256 * megabyte);
    Pool pool(device);
    void* a = pool.allocate(100);
    expect(reinterpret_cast<std::uintptr_t>(a) % 64 == 0, "small blocks are 64-byte aligned");
    pool.deallocate(a, 100);
    expect(pool.allocate(128) == a, "the same class reuses the block");
    pool.deallocate(a, 128);
    expect(pool.figures().hits == 1 && pool.figures().requests == 2 && device.calls == 1, "the second request is a hit");
    void* empty = pool.allocate(0);
    expect(empty != nullptr && pool.figures().in_use == 0 && pool.figures().blocks == 1, "an empty block exists");
    pool.deallocate(empty, 0);
    pool.deallocate(nullptr, 7);
    pool.free_all_blocks();
    expect(device.used() == 0 && pool.figures().cached == 0, "free_all_blocks gives everything back");
}

void splits_and_merges() {
    SmallDevice device(512 * megabyte);
    Pool pool(device);
    void* whole = pool.allocate(80 * megabyte);
    pool.deallocate(whole, 80 * megabyte);
    std::vector<void*> parts;
    for (int i = 0; i < 4; ++i) parts.push_back(pool.allocate(20 * megabyte));
    expect(device.calls == 1, "a cached block is split for smaller requests");
    expect(pool.figures().cached == 0, "nothing of the split block is left over");
    for (const int i : {1, 3, 0, 2}) pool.deallocate(parts[static_cast<std::size_t>(i)], 20 * megabyte);
    expect(pool.allocate(80 * megabyte) == whole && device.calls == 1, "freed neighbours merge again");
    void* small = pool.allocate(200);
    expect(device.calls == 2, "a small request does not break a large segment");
    pool.deallocate(small, 200);
    pool.deallocate(whole, 80 * megabyte);
}

void best_fit_wins() {
    SmallDevice device(512 * megabyte);
    Pool pool(device);
    void* large = pool.allocate(96 * megabyte);
    void* medium = pool.allocate(32 * megabyte);
    pool.deallocate(medium, 32 * megabyte);
    pool.deallocate(large, 96 * megabyte);
    void* got = pool.allocate(30 * megabyte);
    expect(got == medium, "the tightest cached block is taken");
    pool.deallocate(got, 30 * megabyte);
}

void streams_keep_their_blocks() {
    SmallDevice device(128 * megabyte);
    Pool pool(device);
    for (const std::size_t bytes : {std::size_t{200}, std::size_t{300000}, 20 * megabyte}) {
        void* const first = pool.allocate(bytes);
        void* const second = pool.allocate(bytes, 2);
        pool.deallocate(first, bytes);
        pool.deallocate(second, bytes, 2);
        expect(pool.allocate(bytes, 2) == second && pool.allocate(bytes) == first, "a stream gets its own block again");
        pool.deallocate(second, bytes, 2);
        void* const third = pool.allocate(bytes);
        expect(third != second, "and not another's");
        pool.deallocate(first, bytes);
        pool.deallocate(third, bytes);
    }
    pool.free_all_blocks();
    expect(device.used() == 0 && pool.figures().blocks == 0, "the blocks of all streams are given back");
    void* const most = pool.allocate(100 * megabyte, 1);
    pool.deallocate(most, 100 * megabyte, 1);
    void* const part = pool.allocate(60 * megabyte, 3);
    expect(part == most, "where the device has no more, a stream gets another's block");
    void* const small = pool.allocate(64, 5);
    pool.deallocate(part, 60 * megabyte, 3);
    pool.deallocate(small, 64, 5);
    pool.free_all_blocks();
    expect(device.used() == 0 && !device.wrong_release, "which goes back to where it was");
}

void limit_holds() {
    SmallDevice device(512 * megabyte);
    Pool pool(device);
    pool.set_limit(50 * megabyte);
    expect(pool.limit() == 50 * megabyte, "the limit is kept");
    void* a = pool.allocate(30 * megabyte);
    std::string text;
    try {
        pool.allocate(30 * megabyte);
    } catch (const MemoryError& e) {
        text = e.what();
    }
    expect(text.find("30.0 MB") != std::string::npos && text.find("limit 50.0 MB") != std::string::npos &&
               text.find("largest blocks alive: 30.0 MB") != std::string::npos, "the error names sizes, limit and holders");
    pool.deallocate(a, 30 * megabyte);
    void* b = pool.allocate(48 * megabyte);  // needs the cached 30 MB to go first
    pool.deallocate(b, 48 * megabyte);
    pool.set_limit(1000);
    void* c = pool.allocate(900);
    bool refused = false;
    try {
        pool.allocate(200);
    } catch (const MemoryError&) {
        refused = true;
    }
    expect(refused, "a limit below a slab still counts bytes");
    pool.deallocate(c, 900);
    pool.set_limit(0);
    pool.deallocate(pool.allocate(100 * megabyte), 100 * megabyte);
}

void survives_exhaustion() {
    SmallDevice device(64 * megabyte);
    Pool pool(device);
    std::vector<void*> cached;
    for (int i = 0; i < 20; ++i) cached.push_back(pool.allocate(2 * megabyte));
    for (void* p : cached) pool.deallocate(p, 2 * megabyte);
    void* a = pool.allocate(60 * megabyte);  // only possible once the cache is given back
    bool refused = false;
    try {
        pool.allocate(10 * megabyte);
    } catch (const MemoryError&) {
        refused = true;
    }
    expect(refused, "more than the device has is refused");
    void* b = pool.allocate(1000);  // no room for a shared segment: an exact one
    expect(pool.figures().blocks == 2, "a failed request leaves the others");
    for (const std::size_t absurd : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4}) {
        refused = false;
        try {
            pool.allocate(absurd);
        } catch (const MemoryError&) {
            refused = true;
        }
        expect(refused, "absurd sizes are refused");
    }
    pool.deallocate(a, 60 * megabyte);
    pool.deallocate(b, 1000);
}

void cache_is_bounded() {
    SmallDevice device(std::size_t{3} << 30);
    Pool pool(device);
    std::vector<void*> blocks;
    for (int i = 0; i < 24; ++i) blocks.push_back(pool.allocate(100 * megabyte));
    for (void* p : blocks) pool.deallocate(p, 100 * megabyte);
    expect(pool.figures().cached <= (std::uint64_t{3} << 29) && pool.figures().cached > (std::uint64_t{1} << 30), "the cache has a bound");
    expect(pool.figures().peak == 2400 * megabyte, "the peak is kept");
    pool.reset_peak();
    expect(pool.figures().peak == 0, "reset_peak starts from what is in use");
}

void fork_finds_it_unlocked() {
    SmallDevice device(std::size_t{1} << 30);
    Pool pool(device);
    std::atomic<bool> done{false};
    std::thread busy([&] { while (!done) pool.deallocate(pool.allocate(3 * megabyte), 3 * megabyte); });
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(10);
            pool.deallocate(pool.allocate(1000), 1000);
            _exit(0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        expect(status == 0, "a forked child can allocate");
    }
    done = true;
    busy.join();
}

void trace_sees_it() {
    SmallDevice device(256 * megabyte);
    Pool pool(device);
    trace::start(4);
    for (int i = 0; i < 3; ++i) pool.deallocate(pool.allocate(100), 100);
    expect(trace::lost() == 3, "the ring forgets the oldest");
    const auto events = trace::stop();
    expect(events.size() == 4 && events.front().name.view() == "allocate" && events.back().name.view() == "deallocate" &&
               events[1].bytes == 100 && events[0].start_ns <= events[3].start_ns, "events come in order");
    expect(!trace::active() && trace::stop().empty(), "nothing is recorded after stop");
}

void measure() {
    SmallDevice device(256 * megabyte);
    Pool pool(device);
    for (const std::size_t bytes : {std::size_t{80}, std::size_t{40000}, megabyte, 80 * megabyte}) {
        const int n = 200000;
        const auto t = std::chrono::steady_clock::now();
        for (int i = 0; i < n; ++i) pool.deallocate(pool.allocate(bytes), bytes);
        const std::chrono::duration<double, std::nano> d = std::chrono::steady_clock::now() - t;
        std::printf("allocate + deallocate of %zu bytes: %.1f ns\n", bytes, d.count() / n);
    }
}

}  // namespace

void kinds_are_one_account() {
    SmallDevice device(256 * megabyte), other(256 * megabyte);
    Pool pool(device);
    {
        Pool kind(other, pool), second(other, pool);
        expect(kind.number() == pool.number(), "a kind has the number of its device's pool");
        void* const a = pool.allocate(1000);
        void* const b = kind.allocate(3000);
        expect(pool.figures().in_use == 4000 && kind.figures().in_use == 4000 && pool.figures().blocks == 2, "all kinds are counted");
        void* const c = second.allocate(80 * megabyte);
        second.deallocate(c, 80 * megabyte);
        expect(pool.figures().peak == 4000 + 80 * megabyte && pool.figures().cached >= 80 * megabyte, "and their peak, and what they keep");
        pool.reset_peak();
        expect(second.figures().peak == 4000, "which begins again for all");

        second.set_limit(100 * megabyte);
        expect(pool.limit() == 100 * megabyte && pool.figures().cached < 80 * megabyte, "the limit is the device's");
        void* const d = kind.allocate(52 * megabyte);
        bool refused = false;
        try {
            pool.allocate(52 * megabyte);
        } catch (const MemoryError& error) {
            refused = std::string(error.what()).find("in use 52.0 MB in 3 blocks") != std::string::npos;
        }
        expect(refused, "what one kind has is missing for the others");
        kind.deallocate(d, 52 * megabyte);
        void* const e = pool.allocate(52 * megabyte);
        expect(pool.figures().in_use == 4000 + 52 * megabyte && pool.figures().cached < 52 * megabyte, "what a kind keeps is given up for another");
        pool.deallocate(e, 52 * megabyte);
        pool.set_limit(0);
        pool.deallocate(a, 1000);
        kind.deallocate(b, 3000);
        second.free_all_blocks();
        expect(other.used() > 0, "a kind gives back its own");
        pool.free_all_blocks();
        expect(device.used() == 0 && other.used() == 0, "the device's pool gives back all");
    }
    pool.deallocate(pool.allocate(100), 100);
    expect(pool.figures().in_use == 0 && pool.figures().requests == 3, "a kind that is gone is not counted");
    expect(!device.wrong_release && !other.wrong_release, "each block goes back to where it came from");
}

int main(int argc, char**) {
    reuses_small_blocks();
    splits_and_merges();
    best_fit_wins();
    streams_keep_their_blocks();
    limit_holds();
    survives_exhaustion();
    cache_is_bounded();
    kinds_are_one_account();
    fork_finds_it_unlocked();
    trace_sees_it();
    if (argc > 1) measure();
    if (failures == 0) std::printf("pool: all passed\n");
    return failures != 0;
}
