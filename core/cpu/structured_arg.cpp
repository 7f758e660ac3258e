// argmax and argmin: rows by blocks, columns side by side, anything else element by element.
#include <algorithm>
#include <memory>
#include <vector>

#include "cpu/structured.hpp"
#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"
#include "kernels/kernels.hpp"

namespace asnumpy::cpu {
namespace {

template <class T> bool is_nan(const T& x) {
    if constexpr (is_complex_v<T>) return x.real() != x.real() || x.imag() != x.imag();
    else if constexpr (is_half_v<T>) return float{x} != float{x};
    else return x != x;
}

template <class T> bool less(const T& a, const T& b) {
    if constexpr (is_complex_v<T>) return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
    else if constexpr (is_half_v<T>) return float{a} < float{b};
    else return a < b;
}

// Whether x takes the place of the earlier `best`. Not called once a NaN is the best.
template <class T> bool wins(const T& x, const T& best, bool smallest) {
    return is_nan(x) || (smallest ? less(x, best) : less(best, x));
}

template <class T> std::int64_t arg_strided(const char* data, std::int64_t n, std::int64_t stride, bool smallest) {
    T best = load<T>(data);
    std::int64_t at = 0;
    for (std::int64_t i = 1; i < n && !is_nan(best); ++i) {
        const T x = load<T>(data + i * stride);
        if (wins(x, best, smallest)) {
            best = x;
            at = i;
        }
    }
    return at;
}

// The positions of several pieces of one row are compared in order: the first of equals stays.
template <class T> std::int64_t best_of(const char* data, std::int64_t stride, const std::vector<std::int64_t>& found, bool smallest) {
    std::int64_t at = found.front();
    for (const std::int64_t i : found) {
        const T best = load<T>(data + at * stride);
        if (is_nan(best)) break;
        if (wins(load<T>(data + i * stride), best, smallest)) at = i;
    }
    return at;
}

class ArgSearch {
public:
    ArgSearch(const StructuredCall& call, bool smallest) : in_(call.in[0]), out_(call.out[0]), smallest_(smallest) {
        const int axis = static_cast<int>(call.axis);
        length_ = in_.shape[axis];
        stride_ = in_.strides[axis];
        for (int i = 0, o = 0; i < in_.shape.size(); ++i)
            if (i != axis) walk_.add(in_.shape[i], {in_.strides[i], out_.strides[o++]});
        aligned_ = is_aligned(in_);
    }

    void run() {
        const auto d = static_cast<std::size_t>(in_.dtype);
        const auto item = static_cast<std::int64_t>(itemsize(in_.dtype));
        if (walk_.count() == 0) return;
        row_ = structured_kernels().arg_row[d];
        if (stride_ != item || !aligned_) row_ = nullptr;
        if (ArgColumns columns = structured_kernels().arg_columns[d]; columns && aligned_ && !row_) {
            for (int a = 0; a < walk_.axes(); ++a)
                if (walk_.strides(a)[0] == item && walk_.length(a) >= 8) return by_columns(columns, a);
        }
        if (walk_.count() >= thread_count() || walk_.count() * length_ < 2 * piece) by_rows();
        else by_pieces();
    }

private:
    static constexpr std::int64_t piece = 32768;

    std::int64_t search(const char* data, std::int64_t n) const {
        if (row_) return row_(data, n, smallest_);
        if (is_half(in_.dtype) && aligned_ && stride_ == 2) return search_half(data, n);
        return dispatch(in_.dtype, [&]<class T>() -> std::int64_t {
            if constexpr (is_narrow_v<T>) return 0;  // searched in its wide type
            else return arg_strided<T>(data, n, stride_, smallest_);
        });
    }

    // Halves are compared as float32, in which every one of them is exact.
    std::int64_t search_half(const char* data, std::int64_t n) const {
        static const RowId cast = find_row("cast");
        const Loop widen = loop(cast, cast_loop(in_.dtype, DType::float32));
        const ArgRow row = structured_kernels().arg_row[static_cast<std::size_t>(DType::float32)];
        constexpr std::int64_t block = 4096;
        std::array<float, block> wide;
        float best = 0;
        std::int64_t at = -1;
        for (std::int64_t start = 0; start < n; start += block) {
            const std::int64_t length = std::min(block, n - start);
            void* const to[] = {wide.data()};
            const void* const from[] = {data + start * 2};
            widen(to, from, static_cast<std::size_t>(length));
            const std::int64_t i = row(wide.data(), length, smallest_);
            const float x = wide[static_cast<std::size_t>(i)];
            if (at < 0 || wins(x, best, smallest_)) {
                best = x;
                at = start + i;
                if (is_nan(best)) break;
            }
        }
        return at;
    }

    void by_rows() const {
        parallel_for(walk_.count(), std::max<std::int64_t>(1, piece / std::max<std::int64_t>(length_, 1)),
                     [&](std::int64_t begin, std::int64_t end, int) {
            walk_.each(begin, end, [&](const auto& at) { store(out_.data + at[1], search(in_.data + at[0], length_)); });
        });
    }

    // Few long rows: each is searched in pieces side by side.
    void by_pieces() const {
        const std::int64_t pieces = (length_ + piece - 1) / piece;
        std::vector<std::int64_t> found(static_cast<std::size_t>(pieces));
        walk_.each(0, walk_.count(), [&](const auto& at) {
            const char* const data = in_.data + at[0];
            parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t p = begin; p < end; ++p) {
                    const std::int64_t first = p * piece;
                    found[static_cast<std::size_t>(p)] = first + search(data + first * stride_, std::min(piece, length_ - first));
                }
            });
            store(out_.data + at[1], dispatch(in_.dtype, [&]<class T>() -> std::int64_t {
                if constexpr (is_narrow_v<T>) return 0;
                else return best_of<T>(data, stride_, found, smallest_);
            }));
        });
    }

    void by_columns(ArgColumns columns, int axis) {
        const auto [width, strides] = walk_.split(axis);
        const std::int64_t blocks = (width + arg_columns - 1) / arg_columns, out_stride = strides[1];
        const auto item = static_cast<std::int64_t>(itemsize(in_.dtype));
        const std::int64_t grain = std::max<std::int64_t>(1, piece / (length_ * std::min(width, arg_columns)));
        parallel_for(walk_.count() * blocks, grain, [&](std::int64_t begin, std::int64_t end, int) {
            std::array<std::int64_t, arg_columns> found;
            for (std::int64_t task = begin; task < end; ++task) {
                const std::int64_t first = task % blocks * arg_columns, n = std::min(arg_columns, width - first);
                walk_.each(task / blocks, task / blocks + 1, [&](const auto& at) {
                    columns(in_.data + at[0] + first * item, length_, stride_, n, smallest_, found.data());
                    for (std::int64_t c = 0; c < n; ++c)
                        store(out_.data + at[1] + (first + c) * out_stride, found[static_cast<std::size_t>(c)]);
                });
            }
        });
    }

    const Tensor& in_;
    const Tensor& out_;
    bool smallest_;
    std::int64_t length_ = 0, stride_ = 0;
    bool aligned_ = false;
    Walk<2> walk_;
    ArgRow row_ = nullptr;
};

}  // namespace

void argmax(const StructuredCall& call) { ArgSearch(call, false).run(); }
void argmin(const StructuredCall& call) { ArgSearch(call, true).run(); }

}  // namespace asnumpy::cpu
