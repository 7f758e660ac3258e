// What fails on the simulated devices: wrong calls, every function at its nth call, memory that is used up, a lost device.
#include "ascend/launch/device_state.hpp"
#include "ascend/launch/emitter.hpp"
#include "device/demotion.hpp"
#include "on_simulator.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

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
    for (const Fault& fault : {Fault{"aclnnAdd", 500000, run}, Fault{"aclrtMemcpyAsync", 507052, [&] { pool.backend().download(&value, a, 4); }},
                               Fault{"aclrtSynchronizeStream", 507015, [&] { pool.backend().synchronize(); }},
                               Fault{"aclrtMalloc", 507899, [&] { pool.free_all_blocks(), Vectors{pool, {}}.add(1 << 22, 1); }}}) {
        plan_failure(fault.function, 1, fault.code);
        const std::string text = failure_of(fault.action);
        expect(says(text, {fault.function, std::to_string(fault.code).c_str()}), std::string(fault.function) + " fails: " + text);
        clear_faults();
        run();
        expect(v.at(out, 11) == 2, std::string("the next operation works after ") + fault.function);
    }
    // What phase one refuses is not asked for again; an addition has no other way on the device. No executor is kept for 7 elements.
    char* const fresh = v.add(12, 0);
    const auto refused = [&] { executable->run(over(7, {a, a, fresh})); };
    plan_failure("aclnnAdd", 1, 561103);
    expect(says(failure_of(refused), {"ascend:0", "add for float32 has no way on this device"}), "a refusal");
    clear_faults();
    expect(!demotions().empty() && says(failure_of(refused), {"add for float32 has no way on this device"}), "it is remembered");
    forget_demotions();
    refused();
    expect(v.at(fresh, 6) == 2 && demotions().empty(), "it is tried again when it was forgotten");
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
    choose_simulator();
    test_errors();
    test_faults();
    test_out_of_memory();
    test_lost_device();
    if (failures) std::fprintf(stderr, "%d failures\n", failures);
    return failures != 0;  // what is left then is a finding, which ends the process with a failure
}
