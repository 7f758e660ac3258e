// The entries of an index, shared so that no two threads write to one place; each is looked at as often, whatever their number.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "cpu/index.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {

// Number: holds every place and the number of every entry. All memory is taken by the constructor.
template <class Number> class IndexParts {
public:
    // An axis of `length` with so many bytes for each place. Parts are no larger than what a thread's caches hold.
    IndexParts(const Tensor& index, std::int64_t length, std::int64_t bytes_each)
        : index_(index), length_(length), most_(std::min(index.shape[0], block_entries)),
          most_pieces_(std::clamp<std::int64_t>(most_ / piece_entries, 1, 4 * thread_count())),
          targets_(array(most_)), cuts_(static_cast<std::size_t>(most_pieces_ + 1)), ranges_(static_cast<std::size_t>(most_pieces_)) {
        const std::int64_t wanted = std::clamp<std::int64_t>(length * bytes_each / part_bytes, 4 * thread_count(), most_parts);
        shift_ = std::bit_width(static_cast<std::uint64_t>((length - 1) / wanted));
        // Divided, an entry costs twice to three times what it costs on one thread: that takes more than three to pay.
        if (thread_count() <= 3) return;
        divided_ = array(most_);
        froms_ = array(most_);
        counts_.resize(ranges_.size());
    }

    // Calls f(entry, place) for all entries, those of one place in their order. Some at a time, so that fresh memory for all of
    // them need not be made.
    template <class F> void each(const F& f) {
        const std::int64_t n = index_.shape[0];
        for (std::int64_t begin = 0; begin < n; begin += most_) {
            cut(begin, std::min(begin + most_, n));
            read();
            const auto here = [f, begin](std::int64_t i, std::int64_t target) { f(begin + i, target); };
            if (lie_apart()) each_piece([&](std::size_t, std::int64_t first, std::int64_t last) { in_order(first, last, here); });
            else if (!froms_) in_order(0, cuts_.back(), here);
            else by_parts(here);
        }
    }

private:
    static constexpr std::int64_t block_entries = 1 << 19, piece_entries = 8192, part_bytes = 1 << 20;
    static constexpr std::size_t most_parts = 128;
    using Counts = std::array<std::int64_t, most_parts>;
    struct Range {
        std::int64_t low, high;
    };

    static std::unique_ptr<Number[]> array(std::int64_t n) { return std::make_unique_for_overwrite<Number[]>(static_cast<std::size_t>(n)); }

    template <class F> void each_piece(F&& f) const {
        parallel_for(most_pieces_, 1, [&](std::int64_t first, std::int64_t last, int) {
            for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) f(p, cuts_[p], cuts_[p + 1]);
        });
    }

    // Members would be read anew after every write.
    template <class F> void in_order(std::int64_t first, std::int64_t last, const F& f) const {
        const F write = f;
        const Number* const targets = targets_.get();
        for (std::int64_t i = first; i < last; ++i) write(i, static_cast<std::int64_t>(targets[i]));
    }

    // Pieces of one length, but that equal neighbours stay together; from `begin` on.
    void cut(std::int64_t begin, std::int64_t end) {
        const std::int64_t stride = index_.strides[0], n = end - begin;
        at_ = index_.data + begin * stride;
        const auto entry = [&](std::int64_t i) { return load<std::int64_t>(at_ + i * stride); };
        cuts_[0] = 0;
        for (std::int64_t p = 1; p < most_pieces_; ++p) {
            std::int64_t at = std::max(cuts_[static_cast<std::size_t>(p - 1)], n * p / most_pieces_);
            while (at > 0 && at < n && entry(at) == entry(at - 1)) ++at;
            cuts_[static_cast<std::size_t>(p)] = at;
        }
        cuts_.back() = n;
    }

    // Once: somebody else may change the index meanwhile.
    void read() {
        const std::int64_t stride = index_.strides[0], length = length_;
        Number* const targets = targets_.get();
        each_piece([=, this](std::size_t p, std::int64_t begin, std::int64_t end) {
            std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = -1;
            each_place(at_, stride, begin, end, length, [&](std::int64_t i, std::int64_t target) {
                targets[i] = static_cast<Number>(target);
                low = std::min(low, target);
                high = std::max(high, target);
            });
            ranges_[p] = {low, high};
        });
    }

    // Whether no two pieces have a place in common, as those of an index that rises.
    bool lie_apart() {
        std::ranges::sort(ranges_, {}, &Range::low);  // those of no entries are last
        for (std::size_t p = 1; p < ranges_.size() && ranges_[p].high >= 0; ++p)
            if (ranges_[p].low <= ranges_[p - 1].high) return false;
        return true;
    }

    template <class F> void by_parts(const F& f) {
        const int shift = shift_;
        Number *const targets = targets_.get(), *const froms = froms_.get(), *const to = divided_.get();
        each_piece([=, this](std::size_t p, std::int64_t begin, std::int64_t end) {
            Counts own{};
            for (std::int64_t i = begin; i < end; ++i) ++own[static_cast<std::size_t>(targets[i] >> shift)];
            counts_[p] = own;
        });
        std::array<std::int64_t, most_parts + 1> begins;
        std::int64_t total = 0;
        for (std::size_t part = 0; part < most_parts; ++part) {
            begins[part] = total;
            for (Counts& own : counts_) total += std::exchange(own[part], total);
        }
        begins[most_parts] = total;
        each_piece([=, this](std::size_t p, std::int64_t begin, std::int64_t end) {
            Counts next = counts_[p];
            for (std::int64_t i = begin; i < end; ++i) {
                const Number target = targets[i];
                const std::int64_t at = next[static_cast<std::size_t>(target >> shift)]++;
                to[at] = target;
                froms[at] = static_cast<Number>(i);
            }
        });
        parallel_for(static_cast<std::int64_t>(most_parts), 1, [&, froms, to](std::int64_t first, std::int64_t last, int) {
            const F write = f;
            const Number *const from = froms, *const place = to;
            const std::int64_t end = begins[static_cast<std::size_t>(last)];
            for (std::int64_t e = begins[static_cast<std::size_t>(first)]; e < end; ++e)
                write(static_cast<std::int64_t>(from[e]), static_cast<std::int64_t>(place[e]));
        });
    }

    const Tensor& index_;
    std::int64_t length_, most_, most_pieces_;
    int shift_ = 0;                                          // a part: the places that are alike in all bits but these
    const char* at_ = nullptr;                               // the entries at hand
    std::unique_ptr<Number[]> targets_, divided_, froms_;    // their places; those and the entries, part by part
    std::vector<std::int64_t> cuts_;                         // of the pieces
    std::vector<Range> ranges_;
    std::vector<Counts> counts_;
};

}  // namespace asnumpy::cpu
