// The Ascend backend on the CANN simulator, in its strictest mode: programs, copies, memory, errors, what recurs, two devices, the end.
#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include "ascend/backend.hpp"
#include "ascend/library/cann.hpp"
#include "ascend/launch/device_state.hpp"
#include "ascend/lower/lowering.hpp"
#include "base/error.hpp"
#include "random_programs.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

// The simulator's own interface.
template <class F> F simulator(const char* name) { return reinterpret_cast<F>(ascend::cann().find(name)); }
void set(const char* name, const char* value) { simulator<int (*)(const char*, const char*)>("cannsim_set")(name, value); }
void plan_failure(const char* function, std::uint64_t nth, int code) {
    simulator<int (*)(const char*, std::uint64_t, std::int32_t)>("cannsim_fail")(function, nth, code);
}
void clear_faults() { simulator<int (*)()>("cannsim_clear_faults")(); }
void clear() { simulator<int (*)()>("cannsim_clear")(); }
int calls_of(const std::string& function) {
    const std::string log = simulator<const char* (*)()>("cannsim_log_json")();
    const std::string quoted = "\"" + function + "\"";
    int n = 0;
    for (std::size_t at = log.find(quoted); at != std::string::npos; at = log.find(quoted, at + 1)) ++n;
    return n;
}

std::string failure_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const std::exception& failure) {
        return failure.what();
    }
    return {};
}
bool says(const std::string& text, std::initializer_list<const char*> parts) {
    return std::ranges::all_of(parts, [&](const char* part) { return text.find(part) != std::string::npos; });
}

// Host bytes that also lie on a device.
class Mirror {
public:
    Mirror(Pool& pool, const std::vector<char>& bytes, std::size_t offset = 0) : pool_(pool), bytes_(bytes.size() + offset) {
        data_ = static_cast<char*>(pool.allocate(bytes_));
        try {
            pool.backend().upload(data_ + offset, bytes.data(), bytes.size());
        } catch (...) {
            pool.deallocate(data_, bytes_);
            throw;
        }
    }
    ~Mirror() { pool_.deallocate(data_, bytes_); }
    Mirror(const Mirror&) = delete;
    Mirror& operator=(const Mirror&) = delete;
    char* data() const { return data_; }

private:
    Pool& pool_;
    std::size_t bytes_;
    char* data_;
};

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

struct Vectors {  // float32 in device memory
    Pool& pool;
    std::vector<std::unique_ptr<Mirror>> all;
    char* add(std::size_t n, float value) {
        std::vector<float> values(n, value);
        std::vector<char> bytes(n * sizeof(float));
        std::memcpy(bytes.data(), values.data(), bytes.size());
        all.push_back(std::make_unique<Mirror>(pool, bytes));
        return all.back()->data();
    }
    float at(const char* data, std::size_t i) {
        float value = 0;
        pool.backend().download(&value, data + i * sizeof(float), sizeof value);
        return value;
    }
};

Program addition() {
    const RowId add = find_row("add");
    Program p;
    p.inputs = {DType::float32, DType::float32};
    p.steps = {{add, loop_of(add, signature({DType::float32, DType::float32}, {DType::float32})), {0, 1, 0}, 2}};
    p.stores = {{2}};
    return p;
}

Launch over(std::int64_t n, std::initializer_list<char*> data) {
    Launch launch;
    launch.shape = {n};
    for (char* const one : data) launch.operands.push_back({one, {4}});
    return launch;
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

void test_errors() {
    Pool& pool = ascend::pool(0);
    Vectors v{pool, {}};
    char* const a = v.add(12, 1);
    const Tensor x{a, DType::float32, {3, 4}, {16, 4}}, y{a, DType::float32, {5}, {4}};
    const auto call = [&](std::string_view op, std::initializer_list<ascend::Argument> arguments) {
        return failure_of([&] { ascend::Emitter(ascend::device(0)).call(op, arguments); });
    };
    set("STRICT", "error");
    expect(says(call("aclnnAdd", {x, y, Scalar::of(1.0f), x}), {"aclnnAdd", "self=float32(3, 4)", "other=float32(5,)", "ACLNN_ERR_PARAM_INVALID (161002)", "ascend:0"}), "shapes that do not broadcast");
    expect(says(call("aclnnNoSuch", {x}), {"aclnnNoSuch"}), "no such operator");
    expect(says(call("aclnnExp", {x}), {"aclnnExp", "expected 2 arguments, got 1"}), "too few arguments");
    expect(says(call("aclnnAdd", {x, Scalar::of(1.0f), Scalar::of(1.0f), x}), {"aclnnAdd", "other", "expected a tensor"}), "an argument of another kind");
    // The nth call of a function fails: an exception names it, and the next operation works.
    const auto executable = pool.backend().compile(addition());
    char* const out = v.add(12, 0);
    struct Fault { const char* function; int code; std::function<void()> action; };
    const auto run = [&] { executable->run(over(12, {a, a, out})); };
    float value = 0;
    for (const Fault& fault : {Fault{"aclnnAdd", 561103, run}, Fault{"aclrtMemcpyAsync", 507052, [&] { pool.backend().download(&value, a, 4); }},
                               Fault{"aclrtSynchronizeStream", 507015, [&] { pool.backend().synchronize(); }},
                               Fault{"aclrtMalloc", 507899, [&] { pool.free_all_blocks(), Vectors{pool, {}}.add(1 << 22, 1); }}}) {
        plan_failure(fault.function, 1, fault.code);
        const std::string text = failure_of(fault.action);
        expect(says(text, {fault.function, std::to_string(fault.code).c_str()}), std::string(fault.function) + " fails: " + text);
        clear_faults();
        run();
        expect(v.at(out, 11) == 2, std::string("the next operation works after ") + fault.function);
    }
    set("STRICT", "abort");
}

// Everything that a program does with a device, with values that are checked; gives what went wrong.
std::string use_everything(Pool& pool) {
    return failure_of([&] {
        pool.free_all_blocks();
        Vectors v{pool, {}};
        const std::size_t n = 3 * ascend::Staging::chunk_bytes / sizeof(float);
        char* const big = v.add(n, 3);
        char* const small = v.add(100, 1);
        const RowId add = find_row("add");
        Program sum = addition();
        sum.reductions = {{2, add, sum.steps[0].loop}};
        const auto executable = pool.backend().compile(sum);
        static std::int64_t length = 20;
        ++length;  // a call that no executor is kept for, then twice the same with other addresses
        for (int i = 0; i < 3; ++i) {
            char* const out = v.add(100, 0);
            char* const total = v.add(1, 0);
            Launch launch = over(length, {small, small, out});
            launch.operands.push_back({total, {0}});
            launch.reduced = 1;
            launch.operands[1].constant = i == 1;
            Scalar two = Scalar::of(static_cast<float>(length));  // a constant that was not used before
            if (i == 1) launch.operands[1] = {reinterpret_cast<char*>(two.bytes.data()), {0}, true};
            executable->run(launch);
            const float each = i == 1 ? 1 + static_cast<float>(length) : 2;
            if (v.at(out, 3) != each || v.at(total, 0) != each * static_cast<float>(length)) throw std::runtime_error("wrong values");
        }
        std::vector<float> got(n);
        pool.backend().download(got.data(), big, n * sizeof(float));
        if (std::ranges::any_of(got, [](float x) { return x != 3; })) throw std::runtime_error("wrong values");
        pool.backend().synchronize();
    });
}

// The nth call of each function fails: an exception names it, and afterwards all works as before.
void test_faults() {
    Pool& pool = ascend::pool(0);
    set("STRICT", "error");
    expect(use_everything(pool).empty() && use_everything(pool).empty(), "without faults");
    const PoolFigures before = pool.figures();
    for (const char* const function :
         {"aclrtMalloc", "aclrtFree", "aclrtMallocHost", "aclrtMemcpyAsync", "aclrtRecordEvent", "aclrtSynchronizeEvent", "aclrtSynchronizeStream", "aclrtGetMemInfo",
          "aclrtGetCurrentContext", "aclSetTensorAddr", "aclSetAclOpExecutorRepeatable", "aclnnAdd", "aclnnAdds", "aclnnReduceSum"}) {
        for (const std::uint64_t nth : {1, 2, 3}) {
            plan_failure(function, nth, 500000);
            const std::string text = use_everything(pool);
            clear_faults();
            const bool harmless = text.empty();  // it was not called so often, or there is another way
            expect(harmless || says(text, {function, "ACL_ERROR_INTERNAL_ERROR (500000)"}), std::string(function) + " fails: " + text);
            const std::string after = use_everything(pool);
            expect(after.empty(), std::string("after a failure of ") + function + ": " + after);
            expect(pool.figures().blocks == before.blocks && pool.figures().in_use == before.in_use, std::string("blocks are left by a failure of ") + function);
        }
    }
    set("STRICT", "abort");
}

void test_out_of_memory() {
    Pool& pool = ascend::pool(1);
    const std::size_t half = pool.backend().total_memory() / 2;
    void* const held = pool.allocate(half + half / 2);
    const std::string text = failure_of([&] { pool.allocate(half); });
    expect(says(text, {"ascend:1", "largest blocks"}), "out of memory: " + text);
    pool.deallocate(held, half + half / 2);
    void* const again = pool.allocate(half);  // what is cached is given back for it
    pool.deallocate(again, half);
    pool.free_all_blocks();
    expect(pool.figures().cached == 0, "everything is given back");
}

// Threads on both devices that compute, copy between them and give memory back, all at the same time.
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

void test_lost_device() {
    Pool& pool = ascend::pool(1);
    set("STRICT", "error");
    simulator<int (*)(std::int32_t)>("cannsim_lose_device")(1);
    for (int i = 0; i < 2; ++i) {
        const std::string text = failure_of([&] { pool.backend().synchronize(); });
        expect(says(text, {"ascend:1"}) || i == 0, "a lost device: " + text);
        if (i) expect(says(text, {"lost", "start a new process"}), "every later call says so: " + text);
    }
    Vectors v{ascend::pool(0), {}};
    expect(v.at(v.add(3, 4), 2) == 4, "the other device still works");
    clear_faults();
    set("STRICT", "abort");
}

}  // namespace

int main() {
    setenv("ASNUMPY_CANN", "sim", 1);
    setenv("ASNUMPY_CANNSIM_LIB", CANNSIM_FOLDER, 1);
    setenv("CANNSIM_STRICT", "abort", 1);
    setenv("CANNSIM_DEVICES", "2", 1);
    setenv("CANNSIM_MEMORY", "1G", 1);
    const char* const chosen = std::getenv("ASNUMPY_TEST_ROUNDS");
    test_search();
    test_copies();
    test_steady_loop();
    test_random_programs(chosen && *chosen ? std::atoi(chosen) : 2000);
    test_lists();
    test_errors();
    test_faults();
    test_out_of_memory();
    test_threads();
    test_lost_device();
    if (failures) std::fprintf(stderr, "%d failures\n", failures);
    return failures != 0;  // what is left then is a finding, which ends the process with a failure
}
