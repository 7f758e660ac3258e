// What a failed wait marks: random histories against a model of every byte, long ones, and a failure that is found while work is enqueued.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "device/damage.hpp"

using namespace asnumpy;

namespace {

int failures = 0;

void expect(bool ok, const std::string& what) {
    if (ok) return;
    std::printf("FAILED: %s\n", what.c_str());
    ++failures;
}

constexpr std::size_t streams = 4, memory = 64;
const DeviceFailure why("a wait failed", "aclrtSynchronizeStream", 507015, "aclnnExp went wrong");
std::array<char, memory> bytes;

void enqueue(Damage& damage, StreamId stream, std::initializer_list<Use> uses) {
    damage.enqueue(stream, "aclnnExp", std::span(uses.begin(), uses.size()), [] {});
}

// Every byte with the streams whose unsettled work wrote it, and whether it is damaged.
struct Model {
    std::array<std::array<bool, memory>, streams> unsettled{};
    std::array<bool, streams> works{};
    std::array<std::array<bool, streams>, streams> after{};
    std::array<bool, memory> damaged{};

    void settle(std::size_t s) {
        auto awaited = after[s];
        awaited[s] = true;
        bool changed = true;
        while (changed) {  // whatever order they are looked at
            changed = false;
            for (std::size_t l = 0; l < streams; ++l) {
                bool may = awaited[l] && works[l];
                for (std::size_t a = 0; a < streams; ++a) may = may && (!after[l][a] || !works[a] || awaited[a]);
                if (!may) continue;
                unsettled[l] = {};
                works[l] = false;
                changed = true;
            }
        }
        forget();
    }
    void fail(std::size_t s) {
        for (std::size_t l = 0; l < streams; ++l) {
            if (l != s && !after[l][s]) continue;
            for (std::size_t k = 0; k < memory; ++k) damaged[k] = damaged[k] || unsettled[l][k];
            unsettled[l] = {};
            works[l] = false;
            after[l] = {};
        }
    }
    void forget() {
        for (auto& one : after)
            for (std::size_t a = 0; a < streams; ++a) one[a] = one[a] && works[a];
    }
};

void compare(std::mt19937& random, int round) {
    Damage damage("ascend:0");
    Model model;
    const auto draw = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    for (int step = 0; step < 60; ++step) {
        const std::size_t s = draw(streams), low = draw(memory), high = std::min(memory, low + 1 + draw(12));
        const std::size_t from = draw(memory), to = std::min(memory, from + 1 + draw(6));
        const auto stream = static_cast<StreamId>(s);
        switch (draw(8)) {
            case 0: case 1: case 2: {
                enqueue(damage, stream, {{&bytes[low], high - low, true}, {&bytes[from], to - from, false}});
                const bool spreads = std::any_of(model.damaged.begin() + static_cast<std::ptrdiff_t>(from), model.damaged.begin() + static_cast<std::ptrdiff_t>(to), [](bool d) { return d; });
                for (std::size_t k = low; k < high; ++k) {
                    model.unsettled[s][k] = true;
                    model.damaged[k] = model.damaged[k] || spreads;
                }
                model.works[s] = true;
                break;
            }
            case 3: {
                const std::size_t before = draw(streams);
                damage.ordered(static_cast<StreamId>(before), stream);
                if (before == s) break;
                for (std::size_t a = 0; a < streams; ++a)
                    if (a != s && (model.after[before][a] || (a == before && model.works[a]))) model.after[s][a] = true;
                break;
            }
            case 4: {
                const std::vector<Point> points = damage.behind(stream);
                damage.settle(points);
                model.settle(s);
                break;
            }
            case 5: {
                const Failure told = damage.fail(stream, why);
                expect(told->code == 507015 && damage.told(*told), "fail() is not known");
                model.fail(s);
                break;
            }
            default:
                damage.heal(&bytes[low], high - low);
                for (std::size_t k = low; k < high; ++k) model.damaged[k] = false;
        }
        for (std::size_t k = 0; k < memory; ++k)
            if ((damage.find(&bytes[k], 1) != nullptr) != model.damaged[k]) {
                expect(false, "round " + std::to_string(round) + ", step " + std::to_string(step) + ": byte " + std::to_string(k));
                return;
            }
    }
}

void test_long_histories() {
    constexpr std::size_t count = 20000;
    std::vector<double> values(2 * count);
    Damage damage("ascend:0");
    for (int round = 0; round < 3; ++round) {
        for (std::size_t k = 0; k < count; ++k) enqueue(damage, 3, {{&values[2 * k], sizeof(double), true}});
        if (round == 1) {
            damage.settle(damage.behind(3));
            damage.fail(3, why);
            expect(!anything_damaged(), "settled work is damaged");
            continue;
        }
        const Failure told = damage.fail(3, why);
        expect(std::string(told->what()).find("aclnnExp") != std::string::npos, "no operator is named");
        for (std::size_t k = 0; k < values.size(); ++k) expect((damage.find(&values[k], sizeof(double)) != nullptr) == (k % 2 == 0), "element " + std::to_string(k));
        damage.heal(values.data(), values.size() * sizeof(double));
        expect(!anything_damaged(), "healed memory is damaged");
    }
    for (std::size_t k = 0; k < count; ++k) enqueue(damage, 0, {{&values[k % 10], sizeof(double), true}});  // recurs
    damage.fail(why);
    for (std::size_t k = 0; k < 20; ++k) expect((damage.find(&values[k], sizeof(double)) != nullptr) == (k < 10), "recurring element " + std::to_string(k));
}

void test_copies_to_the_host() {
    Damage damage("ascend:0");
    damage.copy_to_host(1, "a copy", bytes.data(), 1, [] {});
    damage.ordered(1, 2);
    enqueue(damage, 2, {{bytes.data(), 1, true}});
    expect(damage.copies_to_host(1) && damage.copies_to_host(2) && !damage.copies_to_host(0), "a copy is not known");
    damage.fail(1, why);
    for (const StreamId stream : {StreamId{1}, StreamId{2}}) {
        expect(damage.copies_to_host(stream), "a failed copy is forgotten");
        const std::array point{Point{stream, 0}};
        expect(damage.take_put_off(point) != nullptr && !damage.take_put_off(point) && !damage.copies_to_host(stream), "a failed copy is not told once");
    }
    damage.copy_to_host(1, "a copy", &bytes[1], 1, [] {});
    damage.settle(damage.behind(1));
    expect(!damage.copies_to_host(1), "a copy that has arrived is waited for");
    damage.copy_to_host(1, "a copy", bytes.data(), 1, [] {});
    damage.settle(damage.behind(1));
    expect(damage.copies_to_host(1) && damage.take_put_off(std::array{Point{1, 0}}), "a copy of what is damaged is not told");
    damage.put_off(why);
    expect(damage.take_put_off({}) && !damage.take_put_off({}), "what was put off is not told once");
}

// A wait from before a launch does not settle it, a failure that is told before it returns finds it, and one that CANN refuses leaves all as it was.
void test_launches() {
    Damage damage("ascend:0");
    const std::array uses{Use{&bytes[0], 4, true}, Use{&bytes[8], 4, false}};
    const auto damaged = [&](std::size_t k) { return damage.find(&bytes[k], 1) != nullptr; };
    damage.enqueue(0, "aclnnExp", uses, [&] { damage.settle(damage.behind(0)); });
    damage.fail(0, why);
    expect(damaged(0) && !damaged(8), "a wait has settled what was launched later");
    damage.overwrite(0, "a copy", uses, [] {});
    expect(!damaged(0), "what was overwritten is damaged");
    damage.settle(damage.behind(0));
    damage.enqueue(0, "aclnnExp", uses, [&] { damage.fail(0, why); });
    expect(damaged(0), "a failure has not found work that was just launched");
    try {
        damage.overwrite(0, "a copy", uses, [] { throw DeviceFailure("refused"); });
    } catch (const DeviceFailure&) {
        expect(damaged(0) && damaged(3), "what was not overwritten is whole");
    }
    damage.overwrite(0, "a copy", uses, [&] { damage.fail(0, why); });
    expect(damaged(0), "a copy that failed has healed what it should have written");
}

// Each piece of work reads what the one before wrote: when one is damaged, so are all that follow, whenever that is found.
void test_failures_meanwhile() {
    constexpr std::size_t count = 40000;
    std::vector<double> values(count);
    for (int round = 0; round < 5; ++round) {
        Damage damage("ascend:0");
        std::atomic<std::size_t> reached{0};
        std::atomic<bool> settled{false}, found{false};
        std::thread waiting([&] {
            while (reached < count / 4) std::this_thread::yield();
            // Meanwhile, where a wait that is overtaken by all that is noted settles nothing, and once where nothing is noted.
            do damage.settle(std::array{damage.now(0)});
            while (reached + 1 < count / 2);
            damage.settle(std::array{damage.now(0)});
            settled = true;
            while (reached < count / 2) std::this_thread::yield();
            damage.fail(0, why);
            found = true;
        });
        for (std::size_t k = 1; k < count; ++k) {
            enqueue(damage, 0, {{&values[k], sizeof(double), true}, {&values[k - 1], sizeof(double), false}});
            reached = k;
            while (k + 1 == count / 2 && !settled) std::this_thread::yield();
            while (k + 100 == count && !found) std::this_thread::yield();
        }
        waiting.join();
        bool before = false;
        std::size_t damaged = 0;
        for (std::size_t k = 1; k < count; ++k) {
            const bool now = damage.find(&values[k], sizeof(double)) != nullptr;
            expect(now || !before, "work that read a damaged element is whole: " + std::to_string(k));
            before = now;
            damaged += now;
        }
        expect(damaged >= 100 && damaged < count - count / 4, "damaged are " + std::to_string(damaged));
    }
}

}  // namespace

int main() {
    const char* const given = std::getenv("ASNUMPY_TEST_ROUNDS");
    const int rounds = given ? std::atoi(given) : 3000;
    std::mt19937 random(std::random_device{}());
    for (int round = 0; round < rounds && !failures; ++round) compare(random, round);
    test_long_histories();
    test_copies_to_the_host();
    test_launches();
    test_failures_meanwhile();
    expect(!anything_damaged(), "marks are left behind");
    if (!failures) std::printf("ok\n");
    return failures != 0;
}
