// Threads that use the simulator at once for a while: memory, streams, events, operators, graphs on two devices. Ends with 0 when every
// value was right, nothing was found wrong and all memory came back. usage: cannsim_soak SECONDS
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "cann/abi.hpp"
#include "cannsim.h"

extern "C" {
int32_t aclnnAddGetWorkspaceSize(const aclTensor*, const aclTensor*, const aclScalar*, aclTensor*, uint64_t*, aclOpExecutor**);
int32_t aclnnAdd(void*, uint64_t, aclOpExecutor*, void*);
int32_t aclnnMulGetWorkspaceSize(const aclTensor*, const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
int32_t aclnnMul(void*, uint64_t, aclOpExecutor*, void*);
}

namespace {

std::atomic<long> rounds{0};

void check(int code, const char* what) {
    if (!code) return;
    const char* const message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s gave %d: %s\n", what, code, message ? message : "");
    std::exit(1);
}

struct Tensor {
    void* address = nullptr;
    aclTensor* handle = nullptr;
    explicit Tensor(std::int64_t n) {
        check(aclrtMalloc(&address, static_cast<std::size_t>(n) * 4, 0), "aclrtMalloc");
        const std::int64_t step = 1;
        handle = aclCreateTensor(&n, 1, asnumpy::cann::ACL_FLOAT, &step, 0, asnumpy::cann::ACL_FORMAT_ND, &n, 1, address);
    }
    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;
    ~Tensor() {
        check(aclDestroyTensor(handle), "aclDestroyTensor");
        check(aclrtFree(address), "aclrtFree");
    }
};

void add(const Tensor& x, const Tensor& y, const aclScalar* one, const Tensor& out, void* stream) {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    check(aclnnAddGetWorkspaceSize(x.handle, y.handle, one, out.handle, &size, &executor), "aclnnAddGetWorkspaceSize");
    check(aclnnAdd(nullptr, 0, executor, stream), "aclnnAdd");
}
void multiply(const Tensor& x, const Tensor& y, const Tensor& out, void* stream) {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    check(aclnnMulGetWorkspaceSize(x.handle, y.handle, out.handle, &size, &executor), "aclnnMulGetWorkspaceSize");
    check(aclnnMul(nullptr, 0, executor, stream), "aclnnMul");
}

// (x + y) * x: the sum on one stream, the product on another, twice, the second time from a graph.
void one_round(std::mt19937& random, void* const* streams, void* const* events, const aclScalar* one) {
    const std::int64_t n = 1 + random() % 5000;
    const Tensor x(n), y(n), sum(n), product(n);
    const float a = static_cast<float>(random() % 100), b = static_cast<float>(random() % 100);
    const std::vector<float> left(static_cast<std::size_t>(n), a), right(static_cast<std::size_t>(n), b);
    const std::size_t bytes = static_cast<std::size_t>(n) * 4;
    check(aclrtMemcpy(x.address, bytes, left.data(), bytes, asnumpy::cann::ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    check(aclrtMemcpyAsync(y.address, bytes, right.data(), bytes, asnumpy::cann::ACL_MEMCPY_HOST_TO_DEVICE, streams[0]), "aclrtMemcpyAsync");
    add(x, y, one, sum, streams[0]);
    check(aclrtRecordEvent(events[0], streams[0]), "aclrtRecordEvent");
    check(aclrtStreamWaitEvent(streams[1], events[0]), "aclrtStreamWaitEvent");
    multiply(sum, x, product, streams[1]);
    if (random() % 4 == 0) {
        check(aclrtSynchronizeStream(streams[1]), "aclrtSynchronizeStream");
        check(aclmdlRICaptureBegin(streams[0], asnumpy::cann::ACL_MODEL_RI_CAPTURE_MODE_RELAXED), "aclmdlRICaptureBegin");
        add(x, y, one, sum, streams[0]);
        multiply(sum, x, product, streams[0]);
        void* model = nullptr;
        check(aclmdlRICaptureEnd(streams[0], &model), "aclmdlRICaptureEnd");
        check(aclmdlRIExecuteAsync(model, streams[0]), "aclmdlRIExecuteAsync");
        check(aclrtSynchronizeStream(streams[0]), "aclrtSynchronizeStream");
        check(aclmdlRIDestroy(model), "aclmdlRIDestroy");
    } else {
        check(aclrtRecordEvent(events[1], streams[1]), "aclrtRecordEvent");
        check(aclrtSynchronizeEvent(events[1]), "aclrtSynchronizeEvent");
    }
    std::vector<float> result(static_cast<std::size_t>(n));
    check(aclrtMemcpy(result.data(), bytes, product.address, bytes, asnumpy::cann::ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    for (const float value : result)
        if (value != (a + b) * a) {
            std::fprintf(stderr, "expected %g, got %g\n", static_cast<double>((a + b) * a), static_cast<double>(value));
            std::exit(1);
        }
    ++rounds;
}

void work(int number, std::chrono::steady_clock::time_point end) {
    std::mt19937 random(static_cast<unsigned>(number));
    check(aclrtSetDevice(number % 2), "aclrtSetDevice");
    void *streams[2], *events[2];
    for (void*& stream : streams) check(aclrtCreateStream(&stream), "aclrtCreateStream");
    for (void*& event : events) check(aclrtCreateEvent(&event), "aclrtCreateEvent");
    float value = 1;
    aclScalar* const one = aclCreateScalar(&value, asnumpy::cann::ACL_FLOAT);
    while (std::chrono::steady_clock::now() < end) one_round(random, streams, events, one);
    check(aclDestroyScalar(one), "aclDestroyScalar");
    for (void* const stream : streams) check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    for (void* const event : events) check(aclrtDestroyEvent(event), "aclrtDestroyEvent");
    check(aclrtResetDevice(number % 2), "aclrtResetDevice");
}

}  // namespace

int main(int count, char** arguments) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(count > 1 ? std::atoi(arguments[1]) : 5);
    check(cannsim_set("DEVICES", "2"), "cannsim_set");
    check(cannsim_set("MEMORY", "1G"), "cannsim_set");
    check(aclInit(nullptr), "aclInit");
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) threads.emplace_back(work, number, end);
    for (std::thread& thread : threads) thread.join();
    check(aclFinalize(), "aclFinalize");
    cannsim_check_leaks();
    const auto found = static_cast<unsigned long long>(cannsim_findings(nullptr));
    const auto left = static_cast<unsigned long long>(cannsim_memory_used(0) + cannsim_memory_used(1));
    std::printf("%ld rounds, %llu findings, %llu bytes left\n", rounds.load(), found, left);
    return found || left || !rounds;
}
