// The Ascend backend on the CANN simulator, in its strictest mode: programs, copies, what recurs, two devices, the end.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "ascend/launch/device_state.hpp"
#include "ascend/launch/emitter.hpp"
#include "ascend/lower/lowering.hpp"
#include "on_simulator.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

bool possible(const Program& p) {
    for (const Step& step : p.steps)
        if (!ascend::elementwise(step.row, step.loop)) return false;
    for (const Reduction& reduction : p.reductions)
        if (!ascend::reduction(reduction.row, reduction.loop)) return false;
    return true;
}

// A case's memory on a device, where it stays for as many runs as there are.
class Placed {
public:
    Placed(Pool& pool, Case& c) : pool_(pool), c_(c), launch_(c.launch()) {
        for (std::size_t k = 0; k < launch_.operands.size(); ++k) {
            const int shared = c.shared_with[k];
            const bool all_zero = k < c.program.inputs.size() && std::ranges::all_of(launch_.operands[k].strides, [](std::int64_t s) { return s == 0; });
            bool alone = true;
            for (std::size_t i = 0; i < c.shared_with.size(); ++i) alone = alone && c.shared_with[i] != static_cast<int>(k);
            if (all_zero && alone && chance(50)) {
                launch_.operands[k].constant = true;
                there_.push_back(nullptr);
                continue;
            }
            there_.push_back(shared < 0 ? std::make_unique<Mirror>(pool, c.memory[k].bytes) : nullptr);
            launch_.operands[k].data = there_[shared < 0 ? k : static_cast<std::size_t>(shared)]->data() + c.of(k).offset;
        }
    }
    // With the case's memory brought there and back.
    void run(const Executable& executable) {
        for (std::size_t k = 0; k < there_.size(); ++k)
            if (there_[k]) pool_.backend().upload(there_[k]->data(), c_.memory[k].bytes.data(), c_.memory[k].bytes.size());
        executable.run(launch_);
        for (std::size_t k = 0; k < there_.size(); ++k)
            if (there_[k]) pool_.backend().download(c_.memory[k].bytes.data(), there_[k]->data(), c_.memory[k].bytes.size());
    }

private:
    Pool& pool_;
    Case& c_;
    Launch launch_;
    std::vector<std::unique_ptr<Mirror>> there_;
};

// The third time executors are reused; where the memory stays, what recurs is replayed from then on.
void test_random_programs(int rounds) {
    Pool& pool = ascend::pool(0);
    ascend::enable_graphs(true);
    const std::uint64_t replays = ascend::graph_figures()[0].figures.replays;
    int tried = 0, stayed = 0;
    for (int i = 0; i < rounds && failures == 0; ++i) {
        Case c = random_case(3000);
        if (!possible(c.program)) continue;
        ++tried;
        const Expectation e = interpret(c);
        const std::vector<Memory> before = c.memory;
        const auto executable = pool.backend().compile(c.program);
        const bool stays = chance(50);
        stayed += stays;
        std::unique_ptr<Placed> placed;
        for (int again = 0; again < (stays ? 5 : 3); ++again) {
            c.memory = before;
            const std::string text = failure_of([&] {
                if (!placed || !stays) placed = std::make_unique<Placed>(pool, c);
                placed->run(*executable);
            });
            expect(text.empty(), text + " in " + c.description);
            if (failures) return;
            compare(c, e, "ascend:0");
        }
    }
    expect(tried > rounds / 4, "random programs that the device runs: " + std::to_string(tried));
    const ascend::GraphFigures graphs = ascend::graph_figures()[0].figures;
    expect(graphs.replays - replays > static_cast<std::uint64_t>(stayed) / 4, "random programs that were replayed: " + std::to_string(graphs.replays - replays));
    expect(pool.figures().blocks < 300, "temporaries were given back");
}

void test_search() {
    const ascend::Search& search = ascend::search();
    expect(search.loaded && search.simulated && search.failure.empty() && search.missing.empty(), "the simulator is found: " + search.failure);
    expect(search.devices == 2 && search.chip.starts_with("Ascend910") && !search.version.empty(), "devices, chip, version");
    expect(says(failure_of([] { ascend::pool(7); }), {"ascend:7", "2 devices"}), "an index out of range");
}

void test_copies() {
    Backend& backend = ascend::pool(0).backend();
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, ascend::Staging::chunk_bytes, 5 * ascend::Staging::chunk_bytes + 12345}) {
        std::vector<char> sent(bytes), got(bytes);
        for (char& byte : sent) byte = static_cast<char>(pick(-128, 127));
        const Mirror there(ascend::pool(0), sent), elsewhere(ascend::pool(1), std::vector<char>(bytes));
        backend.download(got.data(), there.data(), bytes);
        expect(got == sent, "up and down: " + std::to_string(bytes));
        ascend::pool(1).backend().copy_from(backend, elsewhere.data(), there.data(), bytes);
        std::fill(got.begin(), got.end(), 0);
        ascend::pool(1).backend().download(got.data(), elsewhere.data(), bytes);
        expect(got == sent, "from device to device: " + std::to_string(bytes));
    }
}

// A recurring launch: its executors are reused, CANN is asked for no memory, and nobody waits.
void test_steady_loop() {
    Pool& pool = ascend::pool(0);
    Vectors v{pool, {}};
    char* const a = v.add(1000, 1);
    char* const b = v.add(1000, 2);
    const auto executable = pool.backend().compile(addition());
    const auto round = [&] {
        char* const out = static_cast<char*>(pool.allocate(4000));
        executable->run(over(1000, {a, b, out}));
        pool.deallocate(out, 4000);
    };
    for (int i = 0; i < 3; ++i) round();
    set("LOG", "1");
    clear();
    for (int i = 0; i < 100; ++i) round();
    expect(calls_of("aclnnAdd") == 100, "one operator for each launch: " + std::to_string(calls_of("aclnnAdd")));
    for (const char* const function : {"aclnnAddGetWorkspaceSize", "aclrtMalloc", "aclrtFree", "aclrtSynchronizeStream", "aclrtSynchronizeEvent", "aclrtSynchronizeDevice",
                                       "aclCreateTensor", "aclrtMemcpyAsync"})
        expect(calls_of(function) == 0, std::string(function) + " in a steady loop");
    set("LOG", "0");
    clear();
    std::uint64_t calls = 0;
    for (const ascend::NamedCount& one : ascend::call_counts(0))
        if (one.name == "aclnnAdd") calls = one.count.calls, expect(one.count.bytes >= calls * 12 && one.count.nanoseconds > 0 && one.count.cached >= 100, "counts");
    expect(calls >= 103, "calls are counted");
}

// A call with a list of tensors is repeated when it is the very same, and made anew when an address differs.
void test_lists() {
    Pool& pool = ascend::pool(0);
    Vectors v{pool, {}};
    const auto vector = [](char* data, std::int64_t n) { return Tensor{data, DType::float32, {n}, {4}}; };
    std::array<char*, 3> parts{v.add(10, 1), v.add(10, 2), v.add(10, 3)};
    char* const out = v.add(20, 0);
    const auto join = [&](char* first, char* second) {
        ascend::Emitter(ascend::device(0)).call("aclnnCat", {std::vector<Tensor>{vector(first, 10), vector(second, 10)}, std::int64_t{0}, vector(out, 20)});
        return v.at(out, 0) * 10 + v.at(out, 19);
    };
    const auto cached = [] {
        for (const ascend::NamedCount& one : ascend::call_counts(0))
            if (one.name == "aclnnCat") return one.count.cached;
        return std::uint64_t{0};
    };
    for (int i = 0; i < 4; ++i) expect(join(parts[0], parts[1]) == 12, "two joined");
    expect(cached() == 2, "the executor of a list is used again: " + std::to_string(cached()));
    for (int i = 0; i < 4; ++i) {
        expect(join(parts[2], parts[1]) == 32, "another list");
        expect(join(parts[0], parts[1]) == 12, "the first again");
    }
    expect(cached() == 8, "each list has its own: " + std::to_string(cached()));
}

// Threads on both devices that compute, copy between them and give memory back, all at the same time.
// What a graph reads may change between the moment when a launch finds it and the moment when it has the device.
void test_numbers_of_a_graph() {
    Pool& pool = ascend::pool(0);
    ascend::DeviceState& device = ascend::device(0);
    Vectors v{pool, {}};
    char* const x = v.add(100, 1);
    char* const out = v.add(100, 0);
    const RowId multiply = find_row("multiply");
    Program p = addition();  // made an array times the product of two numbers
    const auto loop = static_cast<std::uint16_t>(loop_of(multiply, signature({DType::float32, DType::float32}, {DType::float32})));
    p.inputs.push_back(DType::float32);
    p.steps = {{multiply, loop, {1, 2, 0}, 3}, {multiply, loop, {0, 3, 0}, 4}};
    p.stores = {{4}};
    Scalar three = Scalar::of(3.0f), seven = Scalar::of(7.0f);
    Launch launch = over(100, {x, reinterpret_cast<char*>(three.bytes.data()), reinterpret_cast<char*>(seven.bytes.data()), out});
    for (const std::size_t k : {1, 2}) {
        launch.operands[k].strides = {0};
        launch.operands[k].constant = true;
    }
    const auto executable = pool.backend().compile(p);
    ascend::enable_graphs(true);
    const std::uint64_t replays = ascend::graph_figures()[0].figures.replays;
    for (int i = 0; i < 6; ++i) executable->run(launch);
    expect(ascend::graph_figures()[0].figures.replays > replays && v.at(out, 99) == 21, "a graph with numbers");
    std::thread other;
    {
        const std::lock_guard lock(device.mutex);
        other = std::thread([&] { executable->run(launch); });
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // by then it waits for the device
        const ascend::OnDevice here(device);
        device.streams.select(0);
        device.make_room_for_constants(257);
        for (int i = 0; i < 256; ++i) device.constant(Scalar::of(static_cast<float>(1000 + i)));
    }
    other.join();
    expect(v.at(out, 99) == 21, "the numbers of a graph that was found just before they changed: " + std::to_string(v.at(out, 99)));
}

// A copy to another device waits for what wrote its source, also when so many ranges are in use that who used which is forgotten.
void test_copy_after_many_uses() {
    Pool &pool = ascend::pool(0), &other = ascend::pool(1);
    constexpr std::size_t ranges = 10000, step = 64;
    Vectors v{pool, {}}, elsewhere{other, {}};
    char* const one = v.add(1000, 1);
    char* const sum = v.add(1000, 0);
    char* const many = v.add(ranges * step / sizeof(float), 0);
    char* const copied = elsewhere.add(1000, 0);
    const auto executable = pool.backend().compile(addition());
    const StreamId stream = pool.backend().take_stream(0);
    pool.backend().synchronize();
    set("LAG", "300000");  // microseconds: nothing that is enqueued from here on has run when it is asked for
    {
        const OnStream on(pool.number(), stream);
        executable->run(over(1000, {one, one, sum}));
        for (std::size_t i = 0; i < ranges; ++i) pool.backend().prepare_use(many + i * step, 4, true);
    }
    other.backend().copy_from(pool.backend(), copied, sum, 4000);
    set("LAG", "0");
    expect(elsewhere.at(copied, 999) == 2, "what a copy to another device brings");
}

// A number stays where it is as long as a call reads it, however many others came since. Each round brings one number more
// than the device keeps, so that the first of a round lies in every place once.
void test_numbers() {
    Pool& pool = ascend::pool(0);
    constexpr std::size_t kept = 256;
    Vectors v{pool, {}};
    char* const out = v.add(kept, 0);
    std::vector<float> products(kept);
    int wrong = 0;
    float number = 1;
    for (std::size_t round = 0; round < kept; ++round) {
        const float first = ++number;
        for (std::size_t i = 0; i < kept; ++i) {
            ascend::Emitter emitter(ascend::device(0));
            emitter.call("aclnnMul", {emitter.constant(Scalar::of(first)), emitter.constant(Scalar::of(++number)), Tensor{out + i * sizeof(float), DType::float32, {}, {}}});
        }
        pool.backend().download(products.data(), out, kept * sizeof(float));
        for (std::size_t i = 0; i < kept; ++i) wrong += products[i] != first * (first + static_cast<float>(i + 1));
    }
    expect(wrong == 0, std::to_string(wrong) + " products of two numbers are wrong");
}

void test_threads() {
    std::array<std::unique_ptr<Executable>, 2> executables;
    for (const int device : {0, 1}) executables[static_cast<std::size_t>(device)] = ascend::pool(device).backend().compile(addition());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            Pool& pool = ascend::pool(t % 2);
            Pool& other = ascend::pool(1 - t % 2);
            const Executable& executable = *executables[static_cast<std::size_t>(t % 2)];
            Vectors v{pool, {}}, elsewhere{other, {}};
            char* const a = v.add(500, static_cast<float>(t));
            char* const b = v.add(500, 1);
            char* const copy = elsewhere.add(500, 0);
            for (int i = 1; i <= 50; ++i) {
                executable.run(over(500, {a, b, a}));
                if (i % 10) continue;
                other.backend().copy_from(pool.backend(), copy, a, 2000);
                pool.backend().copy_from(other.backend(), a, copy, 2000);
                if (i % 20 == 0) pool.free_all_blocks();
                wrong += elsewhere.at(copy, 250) != static_cast<float>(t + i);
            }
            wrong += v.at(a, 499) != static_cast<float>(t + 50);
        });
    for (std::thread& thread : threads) thread.join();
    expect(wrong == 0, "threads that compute at the same time");
}

}  // namespace

int main() {
    choose_simulator();
    const char* const chosen = std::getenv("ASNUMPY_TEST_ROUNDS");
    test_search();
    test_copies();
    test_steady_loop();
    test_random_programs(chosen && *chosen ? std::atoi(chosen) : 2000);
    test_lists();
    test_numbers();
    test_numbers_of_a_graph();
    test_copy_after_many_uses();
    test_threads();
    if (failures) std::fprintf(stderr, "%d failures\n", failures);
    return failures != 0;  // what is left then is a finding, which ends the process with a failure
}
