// Lines of elements in memory, and the sort of a long one: threads divide it into parts, then each sorts some of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu/arena.hpp"
#include "cpu/sort_keys.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {

inline constexpr std::int64_t task_elements = 16384;          // sorted in the time in which a few workers are woken
inline constexpr std::int64_t cached_bytes = 512 * 1024;      // a line with its scratch
inline constexpr std::int64_t part_elements = 16384, samples_each = 32;
inline constexpr std::size_t most_parts = 256;

// A thread's scratch: what is kept from call to call is no more than fits a cache.
class Scratch {
public:
    template <class E> E* of(std::int64_t count) {
        const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(E));
        if (bytes <= 4 * cached_bytes) return reinterpret_cast<E*>(Arena::of_this_thread().reserve(bytes));
        own_ = std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>((bytes + 7) / 8));
        return reinterpret_cast<E*>(own_.get());
    }

private:
    std::unique_ptr<std::uint64_t[]> own_;
};

// Elements along an axis, which may lie anywhere.
template <class B> struct Line {
    char* data;
    std::int64_t stride;

    B operator[](std::int64_t i) const { return load<B>(data + i * stride); }
    void set(std::int64_t i, B bits) const { store(data + i * stride, bits); }
};

template <class K> using Wide = std::conditional_t<sizeof(typename K::Bits) == 8, std::uint64_t, std::uint32_t>;

template <class K> constexpr int exponent_bits = K::floats ? 8 : 0;

// The bits of sorted elements: those of their keys, but zeros and NaN, which share one, are looked up.
template <class K> typename K::Bits bits_of(typename K::Bits key, const Line<typename K::Bits>& in, std::int64_t place) {
    if constexpr (K::floats)
        if (key == K::zero || key == K::nan) return in[place];
    return K::bits(key);
}

// The same where no places are known: the elements with a shared key follow each other in the order in which they were. No more
// than were counted, should somebody else have changed the line since.
template <class K> void restore(const Line<typename K::Bits>& in, std::int64_t begin, std::int64_t end, std::span<typename K::Bits> zeros, std::span<typename K::Bits> nans) {
    auto zero = zeros.begin();
    auto nan = nans.begin();
    for (std::int64_t i = begin; i < end; ++i) {
        const auto bits = in[i];
        const auto key = K::key(bits);
        if (key == K::zero && zero != zeros.end()) *zero++ = bits;
        else if (key == K::nan && nan != nans.end()) *nan++ = bits;
    }
}

// One line in parts between samples of it: threads divide its pieces among the parts, then sort the parts.
template <class K> class LongLine {
public:
    using B = typename K::Bits;

    // keys: n of them, later the elements where those are wanted; places: null where they are not.
    LongLine(const Line<B>& in, std::int64_t n, B* keys, std::int64_t* places, bool elements_wanted)
        : in_(in), n_(n), keys_(keys), places_(places), elements_wanted_(elements_wanted),
          pieces_(std::clamp<std::int64_t>(n / task_elements, 1, 4 * thread_count())), shared_(static_cast<std::size_t>(pieces_)) {}

    void run() {
        if (each_follows([](B before, B key) { return before <= key; })) return keep([](std::int64_t i) { return i; });
        if (each_follows([](B before, B key) { return before > key; })) return keep([n = n_](std::int64_t i) { return n - 1 - i; });
        if (sizeof(B) <= 2 && !places_) {
            count();
        } else {
            if (bytes) parts_ = most_parts;
            else sample();
            divide();
            sort_parts();
        }
        if (K::floats && !places_) restore_shared();
    }

private:
    struct Shared {
        std::int64_t below = 0, zeros = 0, nans = 0;  // keys less than that of zero, equal to it, and NaN's
    };
    using Counts = std::array<std::int64_t, most_parts>;
    static constexpr bool bytes = sizeof(B) == 1;

    template <class F> void each_piece(F&& f) const {
        parallel_for(pieces_, 1, [&](std::int64_t first, std::int64_t last, int) {
            for (std::int64_t p = first; p < last; ++p) f(static_cast<std::size_t>(p), n_ * p / pieces_, n_ * (p + 1) / pieces_);
        });
    }

    // Stops at the first key of which that cannot be said.
    template <class F> bool each_follows(F&& follows) const {
        B before = K::key(in_[0]);
        for (std::int64_t i = 1; i < n_; ++i) {
            const B key = K::key(in_[i]);
            if (!follows(before, key)) return false;
            before = key;
        }
        return true;
    }
    // place(i): where the element i of the result stands.
    template <class F> void keep(F&& place) const {
        each_piece([&](std::size_t, std::int64_t begin, std::int64_t end) {
            if (elements_wanted_)
                for (std::int64_t i = begin; i < end; ++i) keys_[i] = in_[place(i)];
            if (places_)
                for (std::int64_t i = begin; i < end; ++i) places_[i] = place(i);
        });
    }

    // Few possible keys: how often each occurs says what stands where.
    void count() {
        constexpr std::size_t values = std::size_t{1} << (8 * std::min<std::size_t>(sizeof(B), 2));
        std::vector<std::vector<std::int64_t>> counts(static_cast<std::size_t>(pieces_));
        each_piece([&](std::size_t p, std::int64_t begin, std::int64_t end) {
            counts[p].assign(values, 0);
            for (std::int64_t i = begin; i < end; ++i) ++counts[p][static_cast<std::size_t>(K::key(in_[i]))];
            if constexpr (K::floats) {
                const auto zero = counts[p].begin() + K::zero;
                shared_[p] = {std::accumulate(counts[p].begin(), zero, std::int64_t{0}), *zero, counts[p].back()};
            }
        });
        std::vector<std::int64_t> ends(values);  // of the elements of each key
        std::int64_t total = 0;
        for (std::size_t v = 0; v < values; ++v) {
            for (const auto& own : counts) total += own[v];
            ends[v] = total;
        }
        each_piece([&](std::size_t, std::int64_t begin, std::int64_t end) {
            for (auto v = static_cast<std::size_t>(std::ranges::upper_bound(ends, begin) - ends.begin()); begin < end; ++v) {
                const std::int64_t last = std::min(end, ends[v]);
                std::fill(keys_ + begin, keys_ + last, K::bits(static_cast<B>(v)));
                begin = last;
            }
        });
    }

    // Bounds of the parts: a tree whose levels follow each other.
    void sample() {
        parts_ = std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n_ / part_elements, 4 * thread_count())));
        parts_ = std::min(parts_, most_parts);
        const auto count = static_cast<std::int64_t>(parts_) * samples_each;
        std::vector<B> keys(static_cast<std::size_t>(2 * count));
        std::uint64_t state = static_cast<std::uint64_t>(n_);
        for (std::int64_t i = 0; i < count; ++i) {
            state = state * 6364136223846793005 + 1442695040888963407;
            keys[static_cast<std::size_t>(i)] = K::key(in_[static_cast<std::int64_t>((state >> 20) % static_cast<std::uint64_t>(n_))]);
        }
        sort_by_digits(keys.data(), count, keys.data() + count);
        for (std::size_t node = 1; node < parts_; ++node) {
            const std::size_t level = static_cast<std::size_t>(std::bit_width(node)) - 1, step = parts_ >> level;
            bounds_[node] = keys[((node - (std::size_t{1} << level)) * step + step / 2) * samples_each];
        }
    }

    // Keys of a byte are parts of their own.
    void classify_bytes(std::int64_t begin, std::int64_t end, std::uint8_t* ids, Counts& counts) const {
        for (std::int64_t i = begin; i < end; ++i) {
            ids[i] = static_cast<std::uint8_t>(K::key(in_[i]));
            ++counts[ids[i]];
        }
    }

    // The part of each element of a piece; several at a time, whose ways down the tree do not wait for each other.
    void classify(std::int64_t begin, std::int64_t end, std::uint8_t* ids, Counts& counts, Shared& shared) const {
        constexpr std::int64_t together = 8;
        std::int64_t i = begin;
        for (; i + together <= end; i += together) classify_group<together>(i, ids, counts, shared);
        for (; i < end; ++i) classify_group<1>(i, ids, counts, shared);
    }
    template <std::size_t together> void classify_group(std::int64_t i, std::uint8_t* ids, Counts& counts, Shared& shared) const {
        std::array<B, together> key;
        std::array<std::size_t, together> node;
        for (std::size_t k = 0; k < together; ++k) {
            key[k] = K::key(in_[i + static_cast<std::int64_t>(k)]);
            node[k] = 1;
        }
        for (std::size_t width = 1; width < parts_; width *= 2)
            for (std::size_t k = 0; k < together; ++k) node[k] = 2 * node[k] + (key[k] >= bounds_[node[k]] ? 1U : 0U);
        for (std::size_t k = 0; k < together; ++k) {
            const std::size_t part = node[k] - parts_;
            ids[static_cast<std::size_t>(i) + k] = static_cast<std::uint8_t>(part);
            ++counts[part];
            if constexpr (K::floats) {
                shared.below += key[k] < K::zero;
                shared.zeros += key[k] == K::zero;
                shared.nans += key[k] == K::nan;
            }
        }
    }

    void divide() {
        const auto ids = std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(n_));
        std::vector<Counts> next(static_cast<std::size_t>(pieces_));
        each_piece([&](std::size_t p, std::int64_t begin, std::int64_t end) {
            Counts counts{};
            Shared shared;
            if constexpr (bytes) classify_bytes(begin, end, ids.get(), counts);
            else classify(begin, end, ids.get(), counts, shared);
            next[p] = counts;
            shared_[p] = shared;
        });
        begins_.assign(parts_ + 1, 0);
        std::int64_t total = 0;
        for (std::size_t part = 0; part < parts_; ++part) {
            begins_[part] = total;
            for (Counts& counts : next) total += std::exchange(counts[part], total);
        }
        begins_[parts_] = total;
        each_piece([&](std::size_t p, std::int64_t begin, std::int64_t end) {
            Counts to = next[p];
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t at = to[ids[static_cast<std::size_t>(i)]]++;
                keys_[at] = K::key(in_[i]);
                if (places_) places_[at] = i;
            }
        });
    }

    void sort_parts() const {
        parallel_for(static_cast<std::int64_t>(parts_), 1, [&](std::int64_t first, std::int64_t last, int) {
            for (auto part = static_cast<std::size_t>(first); part < static_cast<std::size_t>(last); ++part) {
                const std::int64_t begin = begins_[part], n = begins_[part + 1] - begin;
                if (!places_) sort_part(begin, n);
                else if (sizeof(B) == 8 || n_ >> 32) sort_placed_part<std::uint64_t>(begin, n);
                else sort_placed_part<std::uint32_t>(begin, n);
            }
        });
    }
    void sort_part(std::int64_t begin, std::int64_t n) const {
        B* const keys = keys_ + begin;
        Scratch scratch;
        sort_by_digits(keys, n, scratch.of<B>(n));
        for (std::int64_t i = 0; i < n; ++i) keys[i] = K::bits(keys[i]);
    }
    template <class Number> void sort_placed_part(std::int64_t begin, std::int64_t n) const {
        B* const keys = keys_ + begin;
        std::int64_t* const places = places_ + begin;
        if constexpr (bytes) {
            if (elements_wanted_)
                for (std::int64_t i = 0; i < n; ++i) keys[i] = K::bits(keys[i]);
            return;
        }
        Scratch scratch;
        auto* const pairs = scratch.of<Placed<Number>>(2 * n);
        for (std::int64_t i = 0; i < n; ++i) pairs[i] = {static_cast<Number>(keys[i]), static_cast<Number>(places[i])};
        sort_by_digits(pairs, n, pairs + n);
        for (std::int64_t i = 0; i < n; ++i) {
            places[i] = static_cast<std::int64_t>(pairs[i].place);
            if (elements_wanted_) keys[i] = bits_of<K>(static_cast<B>(pairs[i].key), in_, places[i]);
        }
    }

    void restore_shared() {
        Shared next, total;
        for (const Shared& shared : shared_) {
            next.zeros += shared.below;
            total.zeros += shared.zeros;
            total.nans += shared.nans;
        }
        if (total.zeros + total.nans == 0) return;
        next.nans = n_ - total.nans;
        std::vector<std::pair<std::span<B>, std::span<B>>> places(shared_.size());
        for (std::size_t p = 0; p < places.size(); ++p) {
            places[p] = {{keys_ + next.zeros, static_cast<std::size_t>(shared_[p].zeros)}, {keys_ + next.nans, static_cast<std::size_t>(shared_[p].nans)}};
            next.zeros += shared_[p].zeros;
            next.nans += shared_[p].nans;
        }
        each_piece([&](std::size_t p, std::int64_t begin, std::int64_t end) { restore<K>(in_, begin, end, places[p].first, places[p].second); });
    }

    Line<B> in_;
    std::int64_t n_;
    B* keys_;
    std::int64_t* places_;
    bool elements_wanted_;
    std::int64_t pieces_;
    std::size_t parts_ = 1;
    std::array<B, most_parts> bounds_;
    std::vector<std::int64_t> begins_;  // of the parts
    std::vector<Shared> shared_;        // by piece
};

}  // namespace asnumpy::cpu
