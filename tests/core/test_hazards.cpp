// Who must wait for whom: the table of ranges against a model that remembers every use of every byte.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "device/hazards.hpp"

using namespace asnumpy;

namespace {

int failures = 0;

void expect(bool ok, const std::string& what) {
    if (ok) return;
    std::printf("FAILED: %s\n", what.c_str());
    ++failures;
}

constexpr std::size_t streams = 4, memory = 96;
using Clock = std::array<std::uint64_t, streams>;
using Accesses = std::vector<std::pair<Point, bool>>;  // and whether it wrote

void join(Clock& clock, const Clock& other) {
    for (std::size_t s = 0; s < streams; ++s) clock[s] = std::max(clock[s], other[s]);
}

// Streams that wait for exactly what the table says, each for the very work that is named.
struct World {
    Hazards table;
    std::array<Accesses, memory> bytes;
    std::array<Clock, streams> knows{};
    std::array<std::vector<Clock>, streams> after;  // what is known after each work
    Clock done{};                                   // what the host has seen to its end
    std::size_t waits = 0, works = 0;

    void work(StreamId stream, const std::vector<Use>& uses) {
        std::vector<Point> points;
        for (const Use& use : uses) table.find(use, stream, points);
        for (const Point& point : points) {
            bool real = false;
            each_conflict(uses, stream, [&](const Point& other) { real = real || other == point; });
            expect(real, "nobody waits for work that does not conflict");
            join(knows[stream], after[point.stream][point.number - 1]);
        }
        waits += points.size();
        ++works;
        Clock& mine = knows[stream];
        each_conflict(uses, stream, [&](const Point& other) {
            expect(mine[other.stream] >= other.number || done[other.stream] >= other.number,
                   "stream " + std::to_string(stream) + " comes after work " + std::to_string(other.number) + " of stream " + std::to_string(other.stream));
        });
        const Point by{stream, ++mine[stream]};
        after[stream].push_back(mine);
        for (const Use& use : uses) {
            table.note(use, by);
            each_byte(use, [&](std::size_t at) { bytes[at].emplace_back(by, use.written); });
        }
    }

    void see_the_end_of(StreamId stream) {
        join(done, knows[stream]);
        table.forget([this](const Point& point) { return point.number <= done[point.stream]; });
    }

    template <class F> static void each_byte(const Use& use, F&& f) {
        const auto low = reinterpret_cast<std::uintptr_t>(use.data);
        for (std::size_t i = 0; i < use.bytes; ++i) f(low + i);
    }
    template <class F> void each_conflict(const std::vector<Use>& uses, StreamId stream, F&& f) const {
        for (const Use& use : uses)
            each_byte(use, [&](std::size_t at) {
                for (const auto& [other, wrote] : bytes[at])
                    if (other.stream != stream && (wrote || use.written)) f(other);
            });
    }
};

Use use(std::size_t low, std::size_t bytes, bool written) { return {reinterpret_cast<const void*>(low), bytes, written}; }

void test_random_programs(int rounds) {
    std::mt19937 random(7);
    const auto pick = [&random](std::size_t low, std::size_t high) { return std::uniform_int_distribution<std::size_t>(low, high)(random); };
    std::size_t waits = 0, works = 0;
    for (int round = 0; round < rounds && !failures; ++round) {
        World world;
        const std::size_t longest = pick(1, 40);
        for (int i = 0; i < 120 && !failures; ++i) {
            std::vector<Use> uses;
            for (std::size_t n = pick(1, 3); n-- > 0;) {
                const std::size_t low = pick(0, memory - 1);
                uses.push_back(use(low, std::min(pick(0, longest), memory - low), pick(0, 2) == 0));
            }
            world.work(static_cast<StreamId>(pick(0, streams - 1)), uses);
            if (pick(0, 30) == 0) world.see_the_end_of(static_cast<StreamId>(pick(0, streams - 1)));
            expect(world.table.size() <= memory, "no more ranges than bytes");
        }
        waits += world.waits;
        works += world.works;
        for (StreamId s = 0; s < streams; ++s) world.see_the_end_of(s);
        expect(world.table.size() == 0, "nothing is remembered of what has ended");
    }
    expect(waits > works / 4, "there were conflicts");
}

void test_plain_cases() {
    Hazards table;
    const auto after = [&table](const Use& u, StreamId by) {
        std::vector<Point> points;
        table.find(u, by, points);
        return points;
    };
    table.note(use(100, 50, true), {1, 5});
    expect(after(use(100, 50, false), 1).empty(), "a stream does not wait for itself");
    expect(after(use(0, 100, true), 2).empty() && after(use(150, 9, true), 2).empty(), "neighbours are apart");
    expect(after(use(149, 1, false), 2) == std::vector<Point>{{1, 5}}, "a read waits for the writer of one byte");
    table.note(use(100, 50, false), {2, 3});
    table.note(use(100, 50, false), {2, 4});
    table.note(use(100, 50, false), {3, 1});
    expect(after(use(100, 50, false), 0) == std::vector<Point>{{1, 5}}, "readers do not wait for readers");
    expect(after(use(120, 5, true), 0) == std::vector<Point>({{1, 5}, {2, 4}, {3, 1}}), "a writer waits for the writer and the latest of each reader");
    table.note(use(120, 5, true), {0, 9});
    expect(after(use(110, 30, false), 2) == std::vector<Point>({{1, 5}, {0, 9}}), "a range is cut where it was written in part");
    for (std::size_t i = 0; i < 1000; ++i) table.note(use(1000 + i * 8, 8, false), {1, 7});
    expect(table.size() == 1003, "pieces that were read one by one");
    table.note(use(1000, 8000, false), {1, 8});
    expect(table.size() == 4, "are one range when they are read as a whole");
    table.note(use(0, 0, true), {1, 9});
    expect(table.size() == 4, "no bytes, no range");
}

}  // namespace

int main() {
    const char* const rounds = std::getenv("ASNUMPY_TEST_ROUNDS");
    test_plain_cases();
    test_random_programs(rounds ? std::atoi(rounds) : 400);
    if (failures == 0) std::puts("hazards: all checks passed");
    return failures == 0 ? 0 : 1;
}
