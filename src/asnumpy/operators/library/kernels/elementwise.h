// A loop over tiles for what is computed element by element, with two buffers for each operand.
#pragma once
#include "tiles.h"

namespace library {

// An operand: its type, and how many of them an item has.
template <class T, uint32_t n = 1>
struct Each {
    using Type = T;
    static constexpr uint32_t COUNT = n;
    static constexpr uint32_t BYTES = sizeof(T) * n;
    static constexpr bool NARROW = std::is_same<T, half>::value || std::is_same<T, bfloat16_t>::value;
    using Computed = typename std::conditional<NARROW, float, T>::type;
    static constexpr uint32_t ITEM = 2 * BYTES + (NARROW ? 4 * n : 0);  // bytes of the core's memory that an item takes
};

// `Body` has `TEMPORARIES`, how many tiles of float it needs besides; `Prepare(scratch, tile)`, called once; and
// `operator()(n, to, from...)`, which computes n items, a multiple of 8.
template <class Body, class To, class... From>
class Elementwise {
public:
    static constexpr uint32_t ITEM = To::ITEM + (From::ITEM + ...) + 4 * Body::TEMPORARIES;
    static constexpr uint32_t TILE = (UB_BYTES - 4096) / ITEM / 256 * 256;

    template <class... Addresses>
    __aicore__ inline void Run(Body& given, uint64_t n, GM_ADDR to, Addresses... from) {
        body = &given;
        const Share share(n, TILE < 2048 ? TILE : 2048);
        const GM_ADDR addresses[] = {from...};
        pipe.InitBuffer(results, 2, TILE * To::BYTES);
        const uint32_t widths[] = {From::BYTES...};
        for (uint32_t i = 0; i < INPUTS; ++i) pipe.InitBuffer(operands[i], 2, TILE * widths[i]);
        scratch.Init(pipe, WIDE + 4 * Body::TEMPORARIES * TILE + 2048);
        wide = scratch.Take<uint8_t>(WIDE);
        body->Prepare(scratch, TILE);
        for (uint64_t at = share.begin; at < share.end; at += TILE)
            Tile(at, static_cast<uint32_t>(min<uint64_t>(TILE, share.end - at)), to, addresses, std::make_index_sequence<INPUTS>{});
    }

private:
    static constexpr uint32_t INPUTS = sizeof...(From);
    static constexpr uint32_t WIDE = TILE * ((To::NARROW ? 4 * To::COUNT : 0) + ((From::NARROW ? 4 * From::COUNT : 0) + ...)) + 256;

    template <size_t... i>
    __aicore__ inline void Tile(uint64_t at, uint32_t n, GM_ADDR to, const GM_ADDR* from, std::index_sequence<i...>) {
        (Fetch<From, i>(at, n, from[i]), ...);
        taken = 0;
        const uint32_t items = RoundUp(n, 8);  // a byte of bits at a time
        auto result = results.template AllocTensor<typename To::Type>();
        if constexpr (To::NARROW) {
            auto computed = Take(TILE * To::COUNT);
            (*body)(items, computed, Operand<From, i>(items)...);
            Narrow(result, computed, items * To::COUNT);
        } else {
            (*body)(items, result, Operand<From, i>(items)...);
        }
        (Free<From, i>(), ...);
        results.EnQue(result);
        result = results.template DeQue<typename To::Type>();
        Store(Global<typename To::Type>(to)[at * To::COUNT], result, n * To::COUNT);
        results.FreeTensor(result);
    }
    template <class F, size_t i>
    __aicore__ inline void Fetch(uint64_t at, uint32_t n, GM_ADDR from) {
        auto tile = operands[i].template AllocTensor<typename F::Type>();
        if (n < TILE) {  // what is computed behind the last item are zeros
            Duplicate(tile.template ReinterpretCast<uint16_t>(), static_cast<uint16_t>(0), TILE * F::BYTES / 2);
            SetFlag<HardEvent::V_MTE2>(0);
            WaitFlag<HardEvent::V_MTE2>(0);
        }
        Load(tile, Global<typename F::Type>(from)[at * F::COUNT], n * F::COUNT);
        operands[i].EnQue(tile);
    }
    template <class F, size_t i>
    __aicore__ inline LocalTensor<typename F::Computed> Operand(uint32_t n) {
        auto tile = operands[i].template DeQue<typename F::Type>();
        held[i] = tile.template ReinterpretCast<uint8_t>();
        if constexpr (F::NARROW) {
            auto computed = Take(TILE * F::COUNT);
            Widen(computed, tile, n * F::COUNT);
            return computed;
        } else {
            return tile;
        }
    }
    template <class F, size_t i>
    __aicore__ inline void Free() { operands[i].FreeTensor(held[i]); }
    __aicore__ inline LocalTensor<float> Take(uint32_t elements) {
        const uint32_t begin = taken;
        taken += elements * 4;
        return wide[begin].template ReinterpretCast<float>();
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> operands[INPUTS];
    TQue<TPosition::VECOUT, 1> results;
    LocalTensor<uint8_t> held[INPUTS], wide;
    Scratch scratch;
    uint32_t taken = 0;
    Body* body = nullptr;
};

// What most bodies have: temporaries of a tile each, and the bits of a comparison.
template <uint32_t temporaries>
struct Tiles {
    static constexpr uint32_t TEMPORARIES = temporaries;
    LocalTensor<float> t[temporaries];
    Bits bits;
    __aicore__ inline void Prepare(Scratch& scratch, uint32_t tile) {
        for (auto& one : t) one = scratch.Take(tile);
        bits = scratch.Take<uint8_t>(tile / 8);
    }
};

}  // namespace library

// The kernel `name` of a body: so many items, one result, then its operands.
#define LIBRARY_UNARY(name, Body, To, From)                                                              \
    extern "C" __global__ __aicore__ void name(GM_ADDR x, GM_ADDR y, uint64_t n) {                       \
        Body body;                                                                                       \
        Elementwise<Body, To, From> loop;                                                                \
        loop.Run(body, n, y, x);                                                                         \
    }
#define LIBRARY_BINARY(name, Body, To, From)                                                             \
    extern "C" __global__ __aicore__ void name(GM_ADDR a, GM_ADDR b, GM_ADDR y, uint64_t n) {            \
        Body body;                                                                                       \
        Elementwise<Body, To, From, From> loop;                                                          \
        loop.Run(body, n, y, a, b);                                                                      \
    }
