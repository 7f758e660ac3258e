// sort: lines that fit a cache side by side, a long one in parts that threads sort for themselves.
//
// What NumPy leaves open (equal elements of an unstable sort, whose order there depends on the processor) is as in a stable sort.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "cpu/sort_keys.hpp"
#include "cpu/sort_lines.hpp"
#include "cpu/structured.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::int64_t elements_alone = 1, places_alone = 2;  // options of the row

// A line that fits a cache.
template <class K> void sort_elements(const Line<typename K::Bits>& in, std::int64_t n, const Line<typename K::Bits>& out) {
    using B = typename K::Bits;
    Scratch scratch;
    B* const keys = scratch.of<B>(2 * n);
    for (std::int64_t i = 0; i < n; ++i) keys[i] = K::key(in[i]);
    sort_by_digits(keys, n, keys + n, exponent_bits<K>);
    if constexpr (K::floats) {
        const auto [zero, above] = std::equal_range(keys, keys + n, K::zero);
        const std::span<B> zeros(zero, above), nans(std::lower_bound(above, keys + n, K::nan), keys + n);
        for (std::int64_t i = 0; i < n; ++i) keys[i] = K::bits(keys[i]);
        if (!zeros.empty() || !nans.empty()) restore<K>(in, 0, n, zeros, nans);
        for (std::int64_t i = 0; i < n; ++i) out.set(i, keys[i]);
    } else {
        for (std::int64_t i = 0; i < n; ++i) out.set(i, K::bits(keys[i]));
    }
}

template <class K> void sort_placed(const Line<typename K::Bits>& in, std::int64_t n, const Line<typename K::Bits>* out, const Line<std::int64_t>& out_places) {
    using E = Placed<Wide<K>>;
    Scratch scratch;
    E* const pairs = scratch.of<E>(2 * n);
    for (std::int64_t i = 0; i < n; ++i) pairs[i] = {static_cast<Wide<K>>(K::key(in[i])), static_cast<Wide<K>>(i)};
    sort_by_digits(pairs, n, pairs + n, exponent_bits<K>);
    for (std::int64_t i = 0; i < n; ++i) {
        const auto place = static_cast<std::int64_t>(pairs[i].place);
        out_places.set(i, place);
        if (out) out->set(i, bits_of<K>(static_cast<typename K::Bits>(pairs[i].key), in, place));
    }
}

template <class K> class Sort {
public:
    using B = typename K::Bits;

    explicit Sort(const StructuredCall& call)
        : in_(call.in[0]), out_(call.out[0]), places_(call.out[1]), axis_(static_cast<int>(call.axis)), n_(in_.shape[axis_]),
          placed_(call.option != elements_alone), elements_wanted_(call.option != places_alone) {
        for (int i = 0; i < in_.shape.size(); ++i)
            if (i != axis_) walk_.add(in_.shape[i], {in_.strides[i], out_.strides[i], placed_ ? places_.strides[i] : 0});
    }

    void run() const {
        if (n_ == 0 || walk_.count() == 0) return;
        const std::int64_t bytes = 2 * n_ * static_cast<std::int64_t>(placed_ ? sizeof(Placed<Wide<K>>) : sizeof(B));
        const bool shared = n_ >= 2 * task_elements && walk_.count() < thread_count();
        if (bytes > cached_bytes || shared) return walk_.each(0, walk_.count(), [&](const auto& at) { sort_long(at); });
        parallel_for(walk_.count(), std::max<std::int64_t>(1, task_elements / n_), [&](std::int64_t begin, std::int64_t end, int) {
            walk_.each(begin, end, [&](const auto& at) { sort_short(at); });
        });
    }

private:
    using Offsets = Walk<3>::Offsets;

    Line<B> in(const Offsets& at) const { return {in_.data + at[0], in_.strides[axis_]}; }
    Line<B> out(const Offsets& at) const { return {out_.data + at[1], out_.strides[axis_]}; }
    Line<std::int64_t> places(const Offsets& at) const { return {places_.data + at[2], places_.strides[axis_]}; }

    void sort_short(const Offsets& at) const {
        const Line<B> elements = out(at);
        if (!placed_) sort_elements<K>(in(at), n_, elements);
        else sort_placed<K>(in(at), n_, elements_wanted_ ? &elements : nullptr, places(at));
    }

    // In place where the outputs lie side by side.
    void sort_long(const Offsets& at) const {
        Direct<B> elements(out(at), n_);
        if (placed_) {
            Direct<std::int64_t> where(places(at), n_);
            LongLine<K>(in(at), n_, elements.data, where.data, elements_wanted_).run();
            where.finish(n_);
        } else {
            LongLine<K>(in(at), n_, elements.data, nullptr, true).run();
        }
        if (elements_wanted_) elements.finish(n_);
    }

    template <class T> struct Direct {
        Line<T> line;
        std::unique_ptr<T[]> own;
        T* data;

        Direct(const Line<T>& to, std::int64_t n) : line(to) {
            const bool side_by_side = to.stride == sizeof(T) && reinterpret_cast<std::uintptr_t>(to.data) % alignof(T) == 0;
            if (!side_by_side) own = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(n));
            data = side_by_side ? reinterpret_cast<T*>(to.data) : own.get();
        }
        void finish(std::int64_t n) const {
            if (!own) return;
            parallel_for(n, task_elements, [&](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t i = begin; i < end; ++i) line.set(i, data[i]);
            });
        }
    };

    const Tensor& in_;
    const Tensor& out_;
    const Tensor& places_;
    int axis_;
    std::int64_t n_;
    bool placed_, elements_wanted_;
    Walk<3> walk_;
};

}  // namespace

bool sorts(DType dtype) { return has_keys(dtype); }

void sort(const StructuredCall& call) {
    with_keys(call.in[0].dtype, [&]<class K>() { Sort<K>(call).run(); });
}

}  // namespace asnumpy::cpu
