// Kernels in Ascend C on many threads: values, atomic copies, and ends that a finding brings. Made for the sanitizers.
#include <cstdio>
#include <string>
#include <vector>

#include "kernel_operator.h"

#include "ascendc/machine/run.hpp"

using namespace AscendC;

namespace {

constexpr std::uint32_t tile = 512;

// z += x + y, element by element, with queues of two buffers.
void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, std::uint32_t n) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 4, tile * sizeof(float));
    pipe.InitBuffer(out, 2, tile * sizeof(float));
    const std::uint32_t begin = n / GetBlockNum() * GetBlockIdx();
    GlobalTensor<float> xg, yg, zg;
    xg.SetGlobalBuffer(reinterpret_cast<float*>(x));
    yg.SetGlobalBuffer(reinterpret_cast<float*>(y));
    zg.SetGlobalBuffer(reinterpret_cast<float*>(z));
    for (std::uint32_t at = begin; at < begin + n / GetBlockNum(); at += tile) {
        LocalTensor<float> a = in.AllocTensor<float>();
        DataCopy(a, xg[at], tile);
        in.EnQue(a);
        a = in.DeQue<float>();
        LocalTensor<float> b = in.AllocTensor<float>();
        DataCopy(b, yg[at], tile);
        in.EnQue(b);
        b = in.DeQue<float>();
        LocalTensor<float> c = out.AllocTensor<float>();
        Add(c, a, b, tile);
        out.EnQue(c);
        in.FreeTensor(a);
        in.FreeTensor(b);
        c = out.DeQue<float>();
        SetAtomicAdd<float>();
        DataCopy(zg[at], c, tile);
        SetAtomicNone();
        out.FreeTensor(c);
    }
}

// A tile of UB and two arrays.
struct Tile {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<float> a;
    GlobalTensor<float> xg, zg;

    Tile(GM_ADDR x, GM_ADDR z) {
        pipe.InitBuffer(buffer, tile * sizeof(float));
        a = buffer.Get<float>();
        xg.SetGlobalBuffer(reinterpret_cast<float*>(x));
        zg.SetGlobalBuffer(reinterpret_cast<float*>(z));
        DataCopy(a, xg, tile);
    }
};

// Every core adds the same tile to the same place.
void gather(GM_ADDR x, GM_ADDR z) {
    const Tile held(x, z);
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<float>();
    DataCopy(held.zg, held.a, tile);
    SetAtomicNone();
}

// Without the barrier.
void race(GM_ADDR x, GM_ADDR z) {
    const Tile held(x, z);
    DataCopy(held.zg[tile * GetBlockIdx()], held.a, tile);
}

int failures = 0;
void check(bool holds, const char* what) {
    if (holds) return;
    ++failures;
    std::printf("failed: %s\n", what);
}

template <class... Parameters, class Structure>
std::vector<ascendc::Finding> run(void (*kernel)(Parameters...), const char* name, std::uint32_t blocks, const Structure& arguments,
                                  unsigned threads) {
    ascendc::PlainHost host;
    ascendc::Options options;
    options.threads = threads;
    ascendc::Launch launch(host, options, name, ascendc::Kind::vector, blocks);
    launch.run([&](ascendc::Core& core) { return ascendc::run_kernel(core, kernel, &arguments, sizeof arguments); }, {});
    for (const ascendc::Finding& finding : launch.findings) check(!describe(finding).empty(), "a finding says what it is");
    return launch.findings;
}

}  // namespace

int main() {
    for (const unsigned threads : {1u, 2u, 5u}) {
        constexpr std::uint32_t blocks = 24, n = blocks * tile * 3;
        std::vector<float> x(n, 1.5f), y(n, 2.0f), z(n, 0.5f);
        struct {
            float *x, *y, *z;
            std::uint32_t n;
        } three{x.data(), y.data(), z.data(), n};
        check(run(add, "add", blocks, three, threads).empty(), "add runs without a finding");
        check(z == std::vector<float>(n, 4.0f), "add adds");
        struct {
            float *x, *z;
        } two{x.data(), z.data()};
        z.assign(n, 0);
        check(run(gather, "gather", blocks, two, threads).empty(), "atomic copies need no order");
        check(z[0] == blocks * 1.5f && z[tile - 1] == blocks * 1.5f && z[tile] == 0, "atomic copies add up");
        const auto findings = run(race, "race", blocks, two, threads);
        check(!findings.empty() && findings[0].rule == ascendc::Rule::race, "a missing barrier is found");
    }
    return failures != 0;
}
