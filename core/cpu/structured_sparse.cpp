// Products of compressed sparse arrays with dense ones and sums of their lines, with SciPy's order of additions for each element.
#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstring>
#include <type_traits>

#include "base/error.hpp"
#include "cpu/compressed_lines.hpp"
#include "cpu/line_sums.hpp"
#include "cpu/multiply_add.hpp"
#include "cpu/structured.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

template <class T> constexpr bool is_multiplied = std::is_arithmetic_v<T> || is_complex_v<T>;
template <class T> constexpr bool is_summed = is_multiplied<T> && !(std::is_integral_v<T> && sizeof(T) < 8);

// A line is what is compressed: a row of CSR, which gives a row of the result; a column of CSC, whose values each add to a row of it.
template <class T, class I> class Product {
public:
    explicit Product(const StructuredCall& call)
        : lines_(call.in[0], std::min(call.in[1].shape[0], call.in[2].shape[0])), indices_(call.in[1].data), values_(call.in[2].data),
          dense_(call.in[3].data), out_(call.out[0].data), last_(lines_.first() + lines_.entries()),
          length_(call.option == 1 ? call.out[0].shape[0] : call.in[3].shape[0]), columns_(call.out[0].shape.size() == 2 ? call.out[0].shape[1] : 1),
          step_(call.in[3].strides[0]) {}

    // Each row of the result is that of one line.
    void by_lines() const {
        lines_.share(columns_ + 1, [self = *this](std::int64_t first, std::int64_t last) {
            if (self.columns_ == 1) self.vector_lines(first, last);
            else self.matrix_lines(first, last);
        });
    }

    // The lines one after the other. Of a matrix each thread has rows of the result of its own, and looks at all indices for them, which takes
    // as long as to add a few elements.
    void added_up() const {
        const std::int64_t most = columns_ < block ? 1 : std::min<std::int64_t>(lines_.threads(columns_), std::max<std::int64_t>(length_, 1));
        const std::int64_t parts = std::min(most, most_owners);
        parallel_for(parts, 1, [self = *this, parts](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t part = begin; part < end; ++part) {
                const std::int64_t low = self.length_ * part / parts, high = self.length_ * (part + 1) / parts, row = self.columns_ * item;
                std::memset(self.out_ + low * row, 0, static_cast<std::size_t>((high - low) * row));
                if (self.columns_ == 1) self.add_vector();
                else if (parts == 1) self.add_all();
                else self.add_own(low, high);
            }
        });
    }

private:
    static constexpr auto item = static_cast<std::int64_t>(sizeof(T));
    static constexpr std::int64_t most_owners = 8, block = 8, ahead = 16;

    std::int64_t index(std::int64_t entry) const { return load<I>(indices_ + entry * static_cast<std::int64_t>(sizeof(I))); }
    T value(std::int64_t entry) const { return number_at<T>(values_ + entry * item); }
    std::int64_t place(std::int64_t entry) const {
        const std::int64_t at = index(entry);
        if (static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(length_)) [[unlikely]] raise_out_of_bounds(at, length_);
        return at;
    }

    void vector_lines(std::int64_t first, std::int64_t last) const {
        const Product self = *this;  // members would be read anew after every write
        lines_.each(first, last, [self](std::int64_t line, std::int64_t begin, std::int64_t end) {
            T sum{};
            for (std::int64_t entry = begin; entry < end; ++entry)
                sum = multiply_add(sum, self.value(entry), number_at<T>(self.dense_ + self.place(entry) * self.step_));
            store(self.out_ + line * item, sum);
        });
    }

    // Some columns at a time, whose sums lie in registers.
    void matrix_lines(std::int64_t first, std::int64_t last) const {
        const Product self = *this;
        lines_.each(first, last, [self](std::int64_t line, std::int64_t begin, std::int64_t end) {
            char* const to = self.out_ + line * self.columns_ * item;
            std::int64_t column = 0;
            for (; column + block <= self.columns_; column += block) self.template sums_of<block>(begin, end, column * item, to);
            for (; column < self.columns_; ++column) self.template sums_of<1>(begin, end, column * item, to);
        });
    }
    template <std::int64_t width> void sums_of(std::int64_t begin, std::int64_t end, std::int64_t from, char* to) const {
        std::array<T, width> sums{};
        for (std::int64_t entry = begin; entry < end; ++entry) {
            if (entry + ahead < last_) prefetch(entry + ahead);
            const T x = value(entry);
            const char* const row = dense_ + place(entry) * step_ + from;
            for (std::int64_t k = 0; k < width; ++k) {
                T& sum = sums[static_cast<std::size_t>(k)];
                sum = multiply_add(sum, x, number_at<T>(row + k * item));
            }
        }
        std::memcpy(to + from, sums.data(), sizeof sums);
    }
    // Of an index that nobody has looked at: an address, which need not be one.
    void prefetch(std::int64_t entry) const {
        const std::uint64_t distance = static_cast<std::uint64_t>(index(entry)) * static_cast<std::uint64_t>(step_);
        __builtin_prefetch(reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(dense_) + distance));
    }

    void add_vector() const {
        lines_.each([self = *this](std::int64_t line, std::int64_t begin, std::int64_t end) {
            const Product own = self;  // members would be read anew after every write
            const T factor = number_at<T>(own.dense_ + line * own.step_);
            for (std::int64_t entry = begin; entry < end; ++entry) {
                char* const to = own.out_ + own.place(entry) * item;
                store(to, multiply_add(number_at<T>(to), own.value(entry), factor));
            }
        });
    }

    void add_all() const {
        lines_.each([self = *this](std::int64_t line, std::int64_t begin, std::int64_t end) {
            for (std::int64_t entry = begin; entry < end; ++entry) self.add(entry, line, self.place(entry));
        });
    }
    void add(std::int64_t entry, std::int64_t line, std::int64_t at) const {
        const T x = value(entry);
        const char* from = dense_ + line * step_;
        char* to = out_ + at * columns_ * item;
        std::int64_t column = 0;
        for (; column + block <= columns_; column += block, from += block * item, to += block * item) add_some<block>(x, from, to);
        for (; column < columns_; ++column, from += item, to += item) add_some<1>(x, from, to);
    }
    template <std::int64_t width> static void add_some(T x, const char* from, char* to) {
        std::array<T, width> sums;
        for (std::size_t k = 0; k < sums.size(); ++k) {
            const auto at = static_cast<std::int64_t>(k) * item;
            sums[k] = multiply_add(number_at<T>(to + at), x, number_at<T>(from + at));
        }
        std::memcpy(to, sums.data(), sizeof sums);
    }

    // Those of rows low .. high. They are gathered first: a branch for each entry would be foretold wrongly half of the time.
    void add_own(std::int64_t low, std::int64_t high) const {
        struct Entry {
            std::int64_t number, line, at;
        };
        constexpr std::size_t most = 512;
        std::array<Entry, most> own;
        std::size_t count = 0;
        bool outside = false;
        const auto spend = [&own, &count, self = *this] {
            for (std::size_t k = 0; k < count; ++k) self.add(own[k].number, own[k].line, own[k].at);
            count = 0;
        };
        lines_.each([&, self = *this](std::int64_t line, std::int64_t begin, std::int64_t end) {
            for (std::int64_t entry = begin; entry < end; ++entry) {
                const std::int64_t at = self.index(entry);
                outside |= static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(self.length_);
                own[count] = {entry, line, at};
                count += static_cast<std::uint64_t>(at - low) < static_cast<std::uint64_t>(high - low);
                if (count == most) [[unlikely]] spend();
            }
        });
        spend();
        if (!outside) return;
        for (std::int64_t entry = lines_.first(); entry < last_; ++entry) place(entry);
        throw IndexError("the indices of a sparse array have changed while they were read");
    }

    CompressedLines<I> lines_;
    const char *indices_, *values_, *dense_;
    char* out_;
    std::int64_t last_, length_, columns_, step_;
};

template <class T, class I> void multiply_lines(const StructuredCall& call) {
    const Product<T, I> product(call);
    if (call.option == 1) product.added_up();
    else product.by_lines();
}

template <class T, class I> void sum_lines(const StructuredCall& call) {
    const CompressedLines<I> lines(call.in[0], call.in[1].shape[0]);
    lines.share(1, [lines, from = call.in[1].data, out = call.out[0].data](std::int64_t first, std::int64_t last) {
        constexpr auto item = static_cast<std::int64_t>(sizeof(T));
        lines.each(first, last, [from, out](std::int64_t line, std::int64_t begin, std::int64_t end) {
            store(out + line * item, end > begin ? sum_of_run<T>(from + begin * item, item, end - begin) : T{});
        });
    });
}

template <class F> void with_index(DType dtype, F&& f) {
    if (dtype == DType::int32) f.template operator()<std::int32_t>();
    else f.template operator()<std::int64_t>();
}

template <class I> bool is_pattern(const Tensor& pointers, const Tensor& indices, std::int64_t length) {
    const auto at = [](const Tensor& of, std::int64_t k) { return static_cast<std::int64_t>(load<I>(of.data + k * of.strides[0])); };
    const std::int64_t lines = pointers.shape[0] - 1;
    if (lines < 0) return false;
    const std::int64_t first = at(pointers, 0), last = at(pointers, lines);
    if (first < 0 || last < first || last > indices.shape[0]) return false;
    constexpr std::int64_t grain = 65536;
    std::atomic<bool> good{true};
    parallel_for(lines, grain, [&](std::int64_t begin, std::int64_t end, int) {
        bool rises = true;
        for (std::int64_t k = begin; k < end; ++k) rises &= at(pointers, k) <= at(pointers, k + 1);
        if (!rises) good = false;
    });
    if (!good) return false;
    parallel_for(last - first, grain, [&](std::int64_t begin, std::int64_t end, int) {
        bool inside = true;
        for (std::int64_t k = first + begin; k < first + end; ++k) inside &= static_cast<std::uint64_t>(at(indices, k)) < static_cast<std::uint64_t>(length);
        if (!inside) good = false;
    });
    return good;
}

}  // namespace

bool multiplies_sparse(DType dtype) {
    return dispatch(dtype, []<class T>() { return is_multiplied<T>; });
}
bool sums_sparse(DType dtype) {
    return dispatch(dtype, []<class T>() { return is_summed<T>; });
}

void sparse_product(const StructuredCall& call) {
    dispatch(call.out[0].dtype, [&]<class T>() {
        if constexpr (is_multiplied<T>) with_index(call.in[0].dtype, [&]<class I>() { multiply_lines<T, I>(call); });
    });
}

void sparse_sums(const StructuredCall& call) {
    dispatch(call.out[0].dtype, [&]<class T>() {
        if constexpr (is_summed<T>) with_index(call.in[0].dtype, [&]<class I>() { sum_lines<T, I>(call); });
    });
}

bool is_sparse_pattern(const Tensor& pointers, const Tensor& indices, std::int64_t length) {
    bool good = false;
    with_index(pointers.dtype, [&]<class I>() { good = is_pattern<I>(pointers, indices, length); });
    return good;
}

}  // namespace asnumpy::cpu
