// The loops of random draws. Included once per instruction set; in an unnamed namespace.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "cpu/random_kernels.hpp"
#include "cpu/structured_vector_unit.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace asnumpy::cpu {
namespace {

using Lanes = Vector<std::uint64_t>::type;
constexpr int lane_count = Vector<std::uint64_t>::lanes;

// The products of the lower halves.
inline Lanes multiply(Lanes a, Lanes b) {
#if defined(__AVX512F__)
    // The form with a mask: GCC 12 warns of the other one's own header.
    return reinterpret_cast<Lanes>(_mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
    return reinterpret_cast<Lanes>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
    return reinterpret_cast<Lanes>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
    return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

// `chains` vectors of blocks from block number `first` of the group at `out` on. The quarters of a block lie in lanes of
// 64 bits, whose upper halves mean nothing until the end.
template <int chains> inline void encrypt(std::uint64_t key, std::uint64_t low, std::uint64_t high, std::uint64_t first, std::uint64_t* out) {
    Lanes x0[chains], x1[chains], x2[chains], x3[chains], number;
    for (int l = 0; l < lane_count; ++l) number[l] = static_cast<std::uint64_t>(l);
    for (int c = 0; c < chains; ++c) {
        const std::uint64_t start = low + first + static_cast<std::uint64_t>(c * lane_count);
        const std::uint64_t upper = (high + (start < low)) << 1 >> 1;  // numbers of blocks have 127 bits
        x0[c] = number + start;
        x1[c] = x0[c] >> 32;
        x2[c] = Lanes{} + upper;
        x3[c] = x2[c] >> 32;
    }
    const Lanes m0 = Lanes{} + philox_multiplier_0, m1 = Lanes{} + philox_multiplier_1;
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < philox_rounds; ++round, k0 += philox_step_0, k1 += philox_step_1) {
#pragma GCC unroll 4
        for (int c = 0; c < chains; ++c) {
            const Lanes p0 = multiply(x0[c], m0), p1 = multiply(x2[c], m1);
            x0[c] = (p1 >> 32) ^ x1[c] ^ k0;
            x2[c] = (p0 >> 32) ^ x3[c] ^ k1;
            x1[c] = p1;
            x3[c] = p0;
        }
    }
    for (int c = 0; c < chains; ++c) {
        const std::uint64_t block = first + static_cast<std::uint64_t>(c * lane_count);
        std::uint64_t* const to = out + block / blocks_of_group * words_of_group + block % blocks_of_group;
        const Lanes even = (x0[c] & 0xffffffff) | x1[c] << 32, odd = (x2[c] & 0xffffffff) | x3[c] << 32;
        std::memcpy(to, &even, sizeof even);
        std::memcpy(to + blocks_of_group, &odd, sizeof odd);
    }
}

void fill(const Stream& first, std::uint64_t* out, std::size_t groups) {
    const std::uint64_t low = first.low >> 1 | first.high << 63, high = first.high >> 1;  // of the first block
    constexpr int chains = lane_count == 8 ? 4 : 2;
    constexpr std::uint64_t step = chains * lane_count;
    const std::uint64_t blocks = groups * blocks_of_group;
    std::uint64_t block = 0;
    for (; block + step <= blocks; block += step) encrypt<chains>(first.key, low, high, block, out);
    for (; block < blocks; block += lane_count) encrypt<1>(first.key, low, high, block, out);
}

// The words of one element: those drawn for it in advance, then those of its own stream.
class Words {
public:
    Words(const std::uint64_t* ready, std::size_t count, const Stream& at) : next_(ready), end_(ready + count), at_(at) {}
    // `normal` is made from the first word.
    Words(const std::uint64_t* ready, std::size_t count, const Stream& at, double normal)
        : next_(ready), end_(ready + count), first_(ready), at_(at), normal_(normal) {}
    Words(const Words&) = delete;
    Words& operator=(const Words&) = delete;

    std::uint64_t operator()() {
        if (next_ == end_) refill();
        return *next_++;
    }

    double normal() {
        if (next_ != first_) return random_math::normal((*this)());
        ++next_;
        return normal_;
    }

private:
    [[gnu::noinline]] void refill() {
        at_ = own_ ? at_ + words_of_group : own_stream(at_);
        own_ = true;
        fill(at_, buffer_.data(), 1);
        next_ = buffer_.data();
        end_ = next_ + words_of_group;
    }

    const std::uint64_t* next_;
    const std::uint64_t* end_;
    const std::uint64_t* first_ = nullptr;
    Stream at_;
    double normal_ = 0;
    bool own_ = false;
    std::array<std::uint64_t, words_of_group> buffer_;
};

// --- loops of single numbers ---

// The centre of the normal distribution for all, then the few elements of the tail.
[[gnu::flatten]] void normal_loop(const std::uint64_t* __restrict words, std::size_t count, double* __restrict out) {
    using namespace random_math;
    constexpr std::size_t block = 64;
    for (std::size_t start = 0; start < count; start += block) {
        const std::size_t end = std::min(start + block, count);
        std::uint64_t tail = 0;
        for (std::size_t i = start; i < end; ++i) {
            const NormalPoint at = normal_point(words[i]);
            out[i] = normal_centre(at, words[i]);
            tail |= bits(normal_tail - at.w);  // the sign bit
        }
        if (!(tail >> 63)) continue;
        for (std::size_t i = start; i < end; ++i)
            if (normal_point(words[i]).w > normal_tail) out[i] = normal(words[i]);
    }
}

// The integers that one word gives; the few whose word is refused, or may be, are drawn again with as many as they need.
template <bool small> void integers_loop(const DrawTile& tile, std::uint64_t low, std::uint64_t count, std::uint64_t* __restrict out) {
    const std::uint64_t* __restrict const words = tile.words;
    constexpr std::size_t block = 64;
    constexpr std::uint64_t lower = 0xffffffff;
    for (std::size_t start = 0; start < tile.count; start += block) {
        const std::size_t end = std::min(start + block, tile.count);
        std::uint64_t unfair = 0;
        for (std::size_t i = start; i < end; ++i) {
            if constexpr (small) {  // no product of 128 bits, which vectors have not
                const std::uint64_t below = (words[i] & lower) * count, above = (words[i] >> 32) * count + (below >> 32);
                out[i] = low + (above >> 32);
                unfair |= static_cast<std::uint64_t>((above << 32 | (below & lower)) < count);
            } else {
                const draws::Product product = draws::Product{words[i]} * count;
                out[i] = low + static_cast<std::uint64_t>(product >> 64);
                unfair |= static_cast<std::uint64_t>(static_cast<std::uint64_t>(product) < count);
            }
        }
        if (!unfair) continue;
        for (std::size_t i = start; i < end; ++i) {
            Words source(words + i, 1, tile.at + i);
            out[i] = draws::Integers{low, count}(source);
        }
    }
}

template <class Draw> struct Loop;
template <class S, class... P> struct Loop<draws::Draw<S, P...>> {
    using Result = draws::Result<S>;

    static void run(const DrawTile& tile) { run(tile, std::index_sequence_for<P...>{}); }

    template <std::size_t... k> static void run(const DrawTile& tile, std::index_sequence<k...>) {
        const std::tuple<const P*...> given{static_cast<const P*>(tile.parameters[k])...};
        if constexpr (std::is_same_v<S, draws::Integers>) {
            const std::uint64_t low = *std::get<0>(given), count = *std::get<1>(given);
            std::uint64_t* const out = static_cast<std::uint64_t*>(tile.out);
            if (!tile.varying && count - 1 < 0xffffffff) return integers_loop<true>(tile, low, count, out);
            if (!tile.varying && count != 0 && count < std::uint64_t{1} << 58) return integers_loop<false>(tile, low, count, out);
        }
        if (tile.varying) {
            each(tile, [given]([[maybe_unused]] std::size_t i) { return S{std::get<k>(given)[i]...}; });
        } else {
            const S sampler{*std::get<k>(given)...};
            each(tile, [&sampler](std::size_t) -> const S& { return sampler; });
        }
    }

    // All that the loop calls becomes part of it, and nothing that is written can be one of the operands: else it would
    // not run on vectors.
    template <class At> [[gnu::flatten]] static void vector_loop(const std::uint64_t* __restrict words, std::size_t count, const At& at, Result* __restrict out) {
        for (std::size_t i = 0; i < count; ++i) {
            if constexpr (draws::OfNormal<S>) out[i] = at(i).of_normal(out[i]);
            else out[i] = at(i)(words[i]);
        }
    }

    template <class At> static void each(const DrawTile& tile, const At& at) {
        const std::size_t count = tile.count;
        const std::uint64_t* const words = tile.words;
        Result* const out = static_cast<Result*>(tile.out);
        if constexpr (draws::OfNormal<S> || draws::OfWord<S>) {
            if constexpr (draws::OfNormal<S>) normal_loop(words, count, out);
            vector_loop(words, count, at, out);
        } else {
            constexpr std::uint64_t own = draws::words_of<S>;
            constexpr std::size_t block = 64;
            std::array<std::uint64_t, block> first;
            std::array<double, block> normals;
            for (std::size_t start = 0; start < count; start += block) {
                const std::size_t length = std::min(block, count - start);
                if constexpr (draws::StartsNormal<S>) {
                    for (std::size_t i = 0; i < length; ++i) first[i] = words[(start + i) * own];
                    normal_loop(first.data(), length, normals.data());
                }
                for (std::size_t i = start; i < start + length; ++i) {
                    const Stream place = tile.at + i * own;
                    if constexpr (draws::StartsNormal<S>) {
                        Words source(words + i * own, own, place, normals[i - start]);
                        out[i] = at(i)(source);
                    } else {
                        Words source(words + i * own, own, place);
                        out[i] = at(i)(source);
                    }
                }
            }
        }
    }
};

template <class... D> constexpr std::array<void (*)(const DrawTile&), sizeof...(D)> loops_of(draws::List<D...>) { return {Loop<D>::run...}; }
constexpr auto draw_loops = loops_of(draws::All{});

// --- joint draws ---

// The places i and j >= i of a shuffle are exchanged; the places ahead are known some steps before, and fetched.
template <class Exchange, class Fetch>
void shuffle_steps(Words& words, std::uint64_t population, std::size_t count, const Exchange& exchange, const Fetch& fetch) {
    constexpr std::size_t ahead = 32;
    std::array<std::uint64_t, ahead> other;
    for (std::size_t start = 0; start < count; start += ahead) {
        const std::size_t length = std::min(ahead, count - start);
        for (std::size_t i = 0; i < length; ++i) {
            const std::uint64_t left = population - (start + i);
            other[i] = start + i + draws::below(left, words(), words);
            fetch(other[i]);
        }
        for (std::size_t i = 0; i < length; ++i) exchange(start + i, other[i]);
    }
}

// What stands at the few places of a long row that are not what they were: place i holds i elsewhere.
class ChangedPlaces {
public:
    explicit ChangedPlaces(std::size_t most) {
        std::size_t size = 16;
        while (size < 2 * most) size *= 2;
        entries_.assign(size, {free, 0});
    }
    std::uint64_t& operator[](std::uint64_t place) {
        std::size_t at = (place * 0x9E3779B97F4A7C15) >> 32 & (entries_.size() - 1);
        while (entries_[at].first != place && entries_[at].first != free) at = (at + 1) & (entries_.size() - 1);
        if (entries_[at].first == free) entries_[at] = {place, place};
        return entries_[at].second;
    }

private:
    static constexpr std::uint64_t free = ~std::uint64_t{0};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> entries_;
};

void choice(const Stream& at, std::uint64_t population, std::size_t count, std::int64_t* out) {
    Words words(nullptr, 0, at);
    if (count >= population / 4) {
        std::vector<std::int64_t> rest;
        std::int64_t* places = out;
        if (count < population) {
            rest.resize(population);
            places = rest.data();
        }
        for (std::uint64_t i = 0; i < population; ++i) places[i] = static_cast<std::int64_t>(i);
        shuffle_steps(words, population, count, [=](std::uint64_t i, std::uint64_t j) { std::swap(places[i], places[j]); },
                      [=](std::uint64_t j) { __builtin_prefetch(places + j, 1); });
        if (count < population) std::copy_n(places, count, out);
        return;
    }
    ChangedPlaces places(2 * count);
    shuffle_steps(words, population, count, [&](std::uint64_t i, std::uint64_t j) {
        const std::uint64_t first = places[i];  // before the second look-up, which may use its entry's neighbours
        std::uint64_t& second = places[j];
        out[i] = static_cast<std::int64_t>(second);
        second = first;
    }, [](std::uint64_t) {});
}

void multinomial(const Stream& at, std::int64_t trials, const double* probabilities, std::size_t count, std::int64_t* out) {
    Words words(nullptr, 0, at);
    double rest = 1;
    std::fill_n(out, count, 0);
    for (std::size_t j = 0; j + 1 < count && trials > 0; ++j) {
        const double share = probabilities[j] / rest;
        out[j] = draws::Binomial(trials, share < 1 ? share : 1)(words);
        trials -= out[j];
        rest -= probabilities[j];
        if (!(rest > 0)) rest = 0x1p-1022;  // rounding: what is left falls to the next category that has a share
    }
    if (count > 0) out[count - 1] = trials;
}

void multivariate_hypergeometric(const Stream& at, const std::int64_t* kinds, std::int64_t sample, std::size_t count, std::int64_t* out) {
    Words words(nullptr, 0, at);
    std::int64_t rest = 0;
    for (std::size_t j = 0; j < count; ++j) rest += kinds[j];
    for (std::size_t j = 0; j < count; ++j) {
        rest -= kinds[j];
        out[j] = sample > 0 ? draws::Hypergeometric(kinds[j], rest, sample)(words) : 0;
        sample -= out[j];
    }
}

}  // namespace
}  // namespace asnumpy::cpu
