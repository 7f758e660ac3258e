// Inclusive scans: columns side by side, lines in interleaved chains, one long line in segments shared by threads.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "cpu/structured.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"
#include "kernels/kernels.hpp"
#include "ops/arithmetic.hpp"
#include "ops/element.hpp"
#include "ops/extremum.hpp"

namespace asnumpy::cpu {
namespace {

// The common operators, so that a chain stays in a register: the definitions of their rows, of which all others use the loops.
template <const auto& table> consteval std::size_t row_index(std::string_view name) {
    std::size_t found = 0, index = 0;
    std::apply([&](const auto&... definition) { ((definition.name == name ? found = index++ : index++), ...); }, table);
    return found;
}
template <class Row> struct Operation {
    template <class T> static T call(T a, T b) {
        if constexpr (is_half_v<T>) return T(static_cast<float>(Row::template call<T>(float{a}, float{b})));
        else return static_cast<T>(Row::template call<T>(a, b));
    }
};
using Add = Operation<ops::RowOf<ops::arithmetic, row_index<ops::arithmetic>("add")>>;
using Maximum = Operation<ops::RowOf<ops::extremum, row_index<ops::extremum>("maximum")>>;
using Minimum = Operation<ops::RowOf<ops::extremum, row_index<ops::extremum>("minimum")>>;
struct Multiply : Operation<ops::RowOf<ops::arithmetic, row_index<ops::arithmetic>("multiply")>> {
    template <class T> static T call(T a, T b) {
        if constexpr (is_complex_v<T>) return ops::complex_multiply_stepwise(a, b);  // as NumPy's running products
        else return Operation::call(a, b);
    }
    template <class T> static void loop(void* const* out, const void* const* in, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            static_cast<T*>(out[0])[i] = call(static_cast<const T*>(in[0])[i], static_cast<const T*>(in[1])[i]);
    }
};

// Whether a chain may be cut and its pieces combined: always for integers; float sums only become more accurate by it,
// but a product could overflow in a piece where NumPy's running product had reached zero.
template <class T, class Op> constexpr bool may_cut = std::is_integral_v<T> || (std::is_same_v<Op, Add> && !is_half_v<T>);

// Scans `lines` lines at once: their chains do not wait for each other.
template <int lines, class T, class Op>
void scan_together(const char* in, char* out, std::int64_t in_stride, std::int64_t out_stride, std::int64_t n) {
    std::array<const T*, lines> from;
    std::array<T*, lines> to;
    std::array<T, lines> value;
    for (int r = 0; r < lines; ++r) {
        const auto line = static_cast<std::size_t>(r);
        from[line] = reinterpret_cast<const T*>(in + r * in_stride);
        to[line] = reinterpret_cast<T*>(out + r * out_stride);
        to[line][0] = value[line] = from[line][0];
    }
    for (std::int64_t i = 1; i < n; ++i)
        for (std::size_t r = 0; r < lines; ++r) to[r][i] = value[r] = Op::call(value[r], from[r][i]);
}

// Scans one line by lanes: the total of each lane gives the next lane its start, then all chains run together.
// A length that is no power of two keeps the lanes from sharing cache sets.
constexpr int lanes = 8;
constexpr std::int64_t lane_length = 248, tile = lanes * lane_length;

template <class T, class Op> void scan_by_lanes(Fold fold, const T* in, T* out, std::int64_t n, std::optional<T> carry) {
    std::int64_t at = 0;
    for (; at + tile <= n; at += tile) {
        const T* from = in + at;
        T* to = out + at;
        std::array<T, lanes> value;
        value[0] = carry ? Op::call(*carry, from[0]) : from[0];
        T total = carry.value_or(T{});
        for (std::size_t l = 0; l + 1 < lanes; ++l) {
            const T* lane = from + static_cast<std::int64_t>(l) * lane_length;
            T sum;
            fold(&sum, lane, lane_length);
            total = carry || l > 0 ? Op::call(total, sum) : sum;
            value[l + 1] = Op::call(total, lane[lane_length]);
        }
        for (std::size_t l = 0; l < lanes; ++l) to[static_cast<std::int64_t>(l) * lane_length] = value[l];
        for (std::int64_t i = 1; i < lane_length; ++i) {
#pragma GCC unroll 8
            for (std::size_t l = 0; l < lanes; ++l) {
                const std::int64_t k = static_cast<std::int64_t>(l) * lane_length + i;
                to[k] = value[l] = Op::call(value[l], from[k]);
            }
        }
        carry = value[lanes - 1];
    }
    for (; at < n; ++at) {
        carry = carry ? Op::call(*carry, in[at]) : in[at];
        out[at] = *carry;
    }
}

// One long line: a thread sums its segment, takes the total of those before from its neighbour, hands on the new
// total, and scans the segment while it is still in its cache. Segments are taken in order, so nobody waits for a
// segment that no thread has begun.
template <class T, class Op> void scan_long(Fold fold, const T* in, T* out, std::int64_t n) {
    const std::int64_t segment = 131072 / static_cast<std::int64_t>(sizeof(T)), segments = (n + segment - 1) / segment;
    struct alignas(64) Total {
        T value;
        std::atomic<bool> ready{false};
    };
    std::vector<Total> totals(static_cast<std::size_t>(segments));
    std::atomic<std::int64_t> next{0};
    parallel_for(thread_count(), 1, [&](std::int64_t, std::int64_t, int) {
        for (std::int64_t s; (s = next.fetch_add(1, std::memory_order_relaxed)) < segments;) {
            const std::int64_t start = s * segment, length = std::min(segment, n - start);
            Total& total = totals[static_cast<std::size_t>(s)];
            fold(&total.value, in + start, static_cast<std::size_t>(length));
            std::optional<T> carry;
            if (s > 0) {
                const Total& before = totals[static_cast<std::size_t>(s - 1)];
                for (int spins = 0; !before.ready.load(std::memory_order_acquire); ++spins)
                    if (spins > 1000) std::this_thread::yield();
                carry = before.value;
                total.value = Op::call(before.value, total.value);
            }
            total.ready.store(true, std::memory_order_release);
            scan_by_lanes<T, Op>(fold, in + start, out + start, length, carry);
        }
    });
}

// The ways of one dtype and operation, all that is compiled for it.
struct Chains {
    using Line = void (*)(Fold, const char* in, char* out, std::int64_t n);
    using Lines = void (*)(const char* in, char* out, std::int64_t in_stride, std::int64_t out_stride, std::int64_t n);
    Line by_lanes, long_line;  // null where a chain may not be cut
    Lines four_lines, one_line;
};
template <class T, class Op> constexpr Chains make_chains() {
    Chains made{nullptr, nullptr, &scan_together<4, T, Op>, &scan_together<1, T, Op>};
    if constexpr (may_cut<T, Op>) {
        made.by_lanes = [](Fold fold, const char* in, char* out, std::int64_t n) {
            scan_by_lanes<T, Op>(fold, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), n, std::nullopt);
        };
        made.long_line = [](Fold fold, const char* in, char* out, std::int64_t n) {
            scan_long<T, Op>(fold, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), n);
        };
    }
    return made;
}
template <class T, class Op> inline constexpr Chains chains = make_chains<T, Op>();

// Sums and products of integers have the same bits for both signs.
template <class T, class Op> struct SameChainOf { using type = T; };
template <class T, class Op> requires(ops::is_integer_type<T> && (std::is_same_v<Op, Add> || std::is_same_v<Op, Multiply>))
struct SameChainOf<T, Op> { using type = std::make_signed_t<T>; };
template <class T, class Op> using SameChain = typename SameChainOf<T, Op>::type;

class Scan {
public:
    explicit Scan(const StructuredCall& call)
        : in_(call.in[0]), out_(call.out[0]), op_(call.op), item_(static_cast<std::int64_t>(itemsize(in_.dtype))) {
        const int axis = static_cast<int>(call.axis);
        length_ = in_.shape[axis];
        in_stride_ = in_.strides[axis];
        out_stride_ = out_.strides[axis];
        for (int i = 0; i < in_.shape.size(); ++i)
            if (i != axis) walk_.add(in_.shape[i], {in_.strides[i], out_.strides[i]});
        const DType d = in_.dtype;
        const int index = find_loop(op_, Signature{2, 1, {d, d}, {d}});
        loop_ = index < 0 ? nullptr : loop(op_, index);
        if (!loop_)
            throw RuntimeFailure("scan: row " + std::string(row(op_).name) + " has no loop for two operands of " + std::string(name(d)));
        fold_ = fold(op_, index);
        if (row(op_).name == "multiply" && d == DType::complex64) loop_ = &Multiply::loop<std::complex<float>>;
        if (row(op_).name == "multiply" && d == DType::complex128) loop_ = &Multiply::loop<std::complex<double>>;
    }

    void run() {
        if (walk_.count() == 0 || length_ == 0) return;
        const bool aligned = is_aligned(in_) && is_aligned(out_);
        if (aligned && in_stride_ == item_ && out_stride_ == item_ && by_typed_lines()) return;
        if (aligned && length_ > 1) {
            for (int a = 0; a < walk_.axes(); ++a)
                if (walk_.strides(a)[0] == item_ && walk_.strides(a)[1] == item_ && walk_.length(a) >= 8) return by_columns(a);
        }
        by_gathering();
    }

private:
    static constexpr std::int64_t task_elements = 16384;

    bool by_typed_lines() {
        const std::string_view op = row(op_).name;
        if (op == "add") return by_lines_of<Add>();
        if (op == "multiply") return by_lines_of<Multiply>();
        if (is_complex(in_.dtype)) return false;  // ordered by the rows' own comparison
        if (op == "maximum") return by_lines_of<Maximum>();
        if (op == "minimum") return by_lines_of<Minimum>();
        return false;
    }

    template <class Op> bool by_lines_of() {
        return dispatch(in_.dtype, [&]<class T>() {
            if constexpr (is_narrow_v<T> || std::is_same_v<T, long double> || std::is_same_v<T, std::complex<long double>>) return false;
            else if constexpr (is_complex_v<T> && !std::is_same_v<Op, Add> && !std::is_same_v<Op, Multiply>) return false;
            else return by_lines(chains<SameChain<T, Op>, Op>);
        });
    }

    bool by_lines(const Chains& chains) {
        const std::int64_t lines = walk_.count(), grain = std::max<std::int64_t>(1, task_elements / length_);
        if (chains.by_lanes && fold_ && length_ >= tile) {
            if (lines < 2 * thread_count() && thread_count() > 1 && length_ >= 8 * task_elements) {
                walk_.each(0, lines, [&](const auto& at) { chains.long_line(fold_, in_.data + at[0], out_.data + at[1], length_); });
                return true;
            }
            parallel_for(lines, grain, [&](std::int64_t begin, std::int64_t end, int) {
                walk_.each(begin, end, [&](const auto& at) { chains.by_lanes(fold_, in_.data + at[0], out_.data + at[1], length_); });
            });
            return true;
        }
        const auto [last, strides] = walk_.split_last();
        const std::int64_t groups = (last + 3) / 4, in_step = strides[0], out_step = strides[1], count = last;
        parallel_for(walk_.count() * groups, std::max<std::int64_t>(1, grain / 4), [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t task = begin; task < end; ++task) {
                const std::int64_t first = task % groups * 4, n = std::min<std::int64_t>(4, count - first);
                walk_.each(task / groups, task / groups + 1, [&](const auto& at) {
                    const char* from = in_.data + at[0] + first * in_step;
                    char* to = out_.data + at[1] + first * out_step;
                    if (n == 4) return chains.four_lines(from, to, in_step, out_step, length_);
                    for (std::int64_t r = 0; r < n; ++r) chains.one_line(from + r * in_step, to + r * out_step, 0, 0, length_);
                });
            }
        });
        return true;
    }

    // Each line of the output is the one before it combined with a line of the input.
    void by_columns(int axis) {
        const std::int64_t width = walk_.split(axis).first;
        const std::int64_t block = std::max<std::int64_t>(64, 16384 / item_), blocks = (width + block - 1) / block;
        const std::int64_t grain = std::max<std::int64_t>(1, task_elements / (length_ * std::min(block, width)));
        parallel_for(walk_.count() * blocks, grain, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t task = begin; task < end; ++task) {
                const std::int64_t first = task % blocks * block;
                const auto n = static_cast<std::size_t>(std::min(block, width - first));
                walk_.each(task / blocks, task / blocks + 1, [&](const auto& at) {
                    const char* from = in_.data + at[0] + first * item_;
                    char* to = out_.data + at[1] + first * item_;
                    copy_bytes(to, from, n * static_cast<std::size_t>(item_));
                    for (std::int64_t i = 1; i < length_; ++i) {
                        from += in_stride_;
                        const void* const in[] = {to, from};
                        to += out_stride_;
                        void* const out[] = {to};
                        loop_(out, in, n);
                    }
                });
            }
        });
    }

    // Any layout: one element of each of many lines is gathered, combined, and scattered.
    void by_gathering() {
        constexpr std::int64_t most = 128;
        const std::int64_t lines = walk_.count();
        const std::int64_t grain = std::min(most, std::max<std::int64_t>(1, task_elements / length_));
        parallel_for(lines, grain, [&](std::int64_t begin, std::int64_t end, int) {
            struct alignas(64) Column { std::array<char, most * 32> bytes; };
            Column value, next;
            std::array<std::int64_t, most> from, to;
            for (; begin < end; begin += most) {
                const std::int64_t n = std::min(most, end - begin);
                std::size_t r = 0;
                walk_.each(begin, begin + n, [&](const auto& at) {
                    from[r] = at[0];
                    to[r++] = at[1];
                });
                const auto items = static_cast<std::size_t>(n), item = static_cast<std::size_t>(item_);
                for (std::int64_t i = 0; i < length_; ++i) {
                    char* const column = i == 0 ? value.bytes.data() : next.bytes.data();
                    for (std::size_t k = 0; k < items; ++k) std::memcpy(column + k * item, in_.data + from[k] + i * in_stride_, item);
                    if (i > 0) {
                        void* const out[] = {value.bytes.data()};
                        const void* const in[] = {value.bytes.data(), next.bytes.data()};
                        loop_(out, in, items);
                    }
                    for (std::size_t k = 0; k < items; ++k) std::memcpy(out_.data + to[k] + i * out_stride_, value.bytes.data() + k * item, item);
                }
            }
        });
    }

    const Tensor& in_;
    const Tensor& out_;
    RowId op_;
    std::int64_t item_, length_ = 0, in_stride_ = 0, out_stride_ = 0;
    Walk<2> walk_;
    Loop loop_ = nullptr;
    Fold fold_ = nullptr;
};

}  // namespace

void scan(const StructuredCall& call) { Scan(call).run(); }

}  // namespace asnumpy::cpu
