// The pool and several threads: blocks that are one thread's, blocks that each thread keeps, a limit that all share.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/immortal.hpp"
#include "device/pool.hpp"
#include "device/segments.hpp"
#include "small_device.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

void threads_agree_on(SmallDevice& device, Pool& pool) {
    std::atomic<bool> torn{false};
    const auto work = [&](unsigned seed) {
        std::minstd_rand random(seed);
        struct Live { unsigned char* data; std::size_t bytes; unsigned char mark; };
        std::vector<Live> live;
        for (int step = 0; step < 6000; ++step) {
            if (live.size() < 40 && random() % 3) {
                const std::size_t power = std::size_t{1} << (random() % 21), bytes = power + random() % power;
                const Live l{static_cast<unsigned char*>(pool.allocate(bytes)), bytes, static_cast<unsigned char>(random())};
                l.data[0] = l.data[bytes - 1] = l.mark;
                live.push_back(l);
                pool.deallocate(pool.allocate(64), 64);
            } else if (!live.empty()) {
                std::swap(live[random() % live.size()], live.back());
                const Live l = live.back();
                live.pop_back();
                if (l.data[0] != l.mark || l.data[l.bytes - 1] != l.mark) torn = true;
                pool.deallocate(l.data, l.bytes);
            }
            if (step % 1000 == 999) pool.free_all_blocks();
        }
        for (const Live& l : live) pool.deallocate(l.data, l.bytes);
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i <= 4; ++i) threads.emplace_back(work, i);
    for (std::thread& t : threads) t.join();
    expect(!torn, "no block belongs to two threads");
    const PoolFigures f = pool.figures();
    expect(f.in_use == 0 && f.blocks == 0, "figures return to their start");
    pool.free_all_blocks();
    expect(device.used() == 0 && !device.wrong_release, "the device has everything back");
}

void threads_agree() {
    SmallDevice device(std::size_t{2} << 30);
    Pool pool(device);
    threads_agree_on(device, pool);
}

void threads_keep_blocks() {
    static Immortal<SmallDevice> device(std::size_t{2} << 30);
    static Immortal<Pool> pool(*device, Pool::Freed::of_threads);
    void* const a = pool->allocate(1000);
    pool->deallocate(a, 1000);
    expect(pool->figures().in_use == 0 && pool->figures().blocks == 0 && pool->figures().cached > 0, "what a thread keeps is not in use");
    expect(pool->allocate(970) == a, "and is taken again");
    expect(pool->figures().in_use == 970 && pool->figures().blocks == 1 && pool->figures().requests == 2 && pool->figures().hits == 1, "figures count it");
    expect(pool->figures().peak == 1000, "and the peak");
    pool->reset_peak();
    void* const b = pool->allocate(40);
    expect(pool->figures().peak == 1010, "which is that of all sizes together");
    std::thread other([&] {
        void* const c = pool->allocate(1000);
        expect(c != a, "another thread takes none of it");
        pool->deallocate(a, 970);
        pool->deallocate(c, 1000);
        expect(pool->figures().in_use == 40 && pool->figures().blocks == 1, "a thread keeps what others took");
    });
    other.join();
    pool->deallocate(b, 40);
    expect(pool->figures().in_use == 0 && pool->figures().blocks == 0, "figures return to their start when a thread ends");
    std::vector<void*> many;
    for (int i = 0; i < 100; ++i) many.push_back(pool->allocate(2000));
    for (void* const block : many) pool->deallocate(block, 2000);
    expect(pool->figures().in_use == 0, "more than a thread keeps goes to the pool");
    std::atomic<int> stage{0};
    std::thread idle([&] {
        pool->deallocate(pool->allocate(3000), 3000);
        stage = 1;
        while (stage != 2) std::this_thread::yield();
        pool->deallocate(pool->allocate(3000), 3000);
    });
    while (stage != 1) std::this_thread::yield();
    pool->free_all_blocks();
    expect(device->used() == 0 && pool->figures().cached == 0, "and all of it back to the device, also what another thread keeps");
    stage = 2;
    idle.join();

    pool->deallocate(pool->allocate(500), 500);
    pool->set_limit(600);
    void* const within = pool->allocate(500);
    bool refused = false;
    try {
        pool->allocate(200);
    } catch (const MemoryError&) {
        refused = true;
    }
    expect(refused && pool->figures().in_use == 500, "a limit counts what threads keep as free");
    pool->deallocate(within, 500);
    pool->set_limit(0);

    const pid_t child = fork();
    if (child == 0) {
        alarm(10);
        for (int i = 0; i < 50; ++i) pool->deallocate(pool->allocate(300), 300);
        _exit(pool->figures().in_use != 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    expect(status == 0, "a forked child has the blocks of the thread that forked");
    pool->free_all_blocks();
    threads_agree_on(*device, *pool);
}

void kinds_share_a_limit_between_threads() {
    SmallDevice device(256 * megabyte), other(256 * megabyte);
    Pool pool(device), kind(other, pool);
    pool.set_limit(8 * megabyte);
    std::atomic<bool> over{false};
    std::vector<std::thread> threads;
    for (Pool* one : {&pool, &kind, &pool, &kind})
        threads.emplace_back([&over, &pool, one] {
            for (int i = 0; i < 400; ++i) {
                try {
                    void* const data = one->allocate(3 * megabyte);
                    if (pool.figures().peak > 8 * megabyte) over = true;
                    one->deallocate(data, 3 * megabyte);
                } catch (const MemoryError&) {
                }
            }
        });
    for (std::thread& one : threads) one.join();
    expect(!over && pool.figures().in_use == 0, "no moment passes the limit, whoever allocates");
}

}  // namespace

int main() {
    threads_agree();
    threads_keep_blocks();
    kinds_share_a_limit_between_threads();
    if (failures == 0) std::printf("pool and threads: all passed\n");
    return failures != 0;
}
