// Packing, blocking and sharing between threads; the register tile is in structured_gemm_unit.hpp.
#include "cpu/gemm_packed.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "cpu/arena.hpp"
#include "cpu/structured_kernels.hpp"
#include "cpu/structured_layout.hpp"
#include "cpu/threads.hpp"

namespace asnumpy::cpu {
namespace {

// What each type is computed in: arithmetic modulo a power of two does not care about the sign, and there are no
// multiplications of bytes.
template <class T> struct Compute;
template <> struct Compute<bool> { using type = std::uint8_t; static constexpr GemmType gemm = GemmType::boolean; };
template <class T> requires(std::is_integral_v<T> && sizeof(T) <= 2) struct Compute<T> { using type = std::uint16_t; static constexpr GemmType gemm = GemmType::u16; };
template <class T> requires(std::is_integral_v<T> && sizeof(T) == 4) struct Compute<T> { using type = std::uint32_t; static constexpr GemmType gemm = GemmType::u32; };
template <class T> requires(std::is_integral_v<T> && sizeof(T) == 8) struct Compute<T> { using type = std::uint64_t; static constexpr GemmType gemm = GemmType::u64; };
template <> struct Compute<float> { using type = float; static constexpr GemmType gemm = GemmType::f32; };
template <> struct Compute<double> { using type = double; static constexpr GemmType gemm = GemmType::f64; };

template <class T> constexpr bool supported = std::is_arithmetic_v<T> && !std::is_same_v<T, long double>;

constexpr std::int64_t depth = 256;                 // rows of b in a block
constexpr std::int64_t block_columns_bytes = 4096;  // of b: depth times this stays in the second-level cache
constexpr int largest_tile = 16 * 128;              // elements of a register tile, at most

template <class T> class PackedGemm {
    using P = typename Compute<T>::type;

public:
    PackedGemm(const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add)
        : a_(a), b_(b), c_(c), add_(add), kernel_(structured_kernels().gemm[static_cast<std::size_t>(Compute<T>::gemm)]) {}

    void run() {
        const std::int64_t columns = kernel_.columns, rows = kernel_.rows;
        const std::int64_t wide = std::max<std::int64_t>(block_columns_bytes / static_cast<std::int64_t>(sizeof(P)) / columns, 1) * columns;
        const std::int64_t width = std::min(wide, (c_.columns + columns - 1) / columns * columns);
        const auto b_panels = std::make_unique_for_overwrite<P[]>(static_cast<std::size_t>(std::min(depth, a_.columns) * width));
        const std::int64_t row_panels = (c_.rows + rows - 1) / rows;
        // A task's panels of a stay in the cache; enough tasks that all threads have some.
        const std::int64_t group = std::clamp<std::int64_t>(row_panels / (4 * thread_count()), 1, 128 / rows);
        const std::int64_t groups = (row_panels + group - 1) / group;
        for (std::int64_t j = 0; j < c_.columns; j += width) {
            const std::int64_t n = std::min(width, c_.columns - j), panels = (n + columns - 1) / columns;
            for (std::int64_t p = 0; p < a_.columns; p += depth) {
                const std::int64_t k = std::min(depth, a_.columns - p);
                parallel_for(panels, std::max<std::int64_t>(1, 32768 / (k * columns)), [&](std::int64_t begin, std::int64_t end, int) {
                    for (std::int64_t panel = begin; panel < end; ++panel) {
                        const std::int64_t first = j + panel * columns;
                        pack(b_.at(p, first), b_.column_stride, b_.row_stride, std::min(columns, c_.columns - first), columns, k, &b_panels[static_cast<std::size_t>(panel * columns * k)]);
                    }
                });
                const std::int64_t work = group * rows * n * k;
                const auto a_panels = [&] {
                    thread_local Arena arena;
                    return reinterpret_cast<P*>(arena.reserve(group * rows * k * static_cast<std::int64_t>(sizeof(P))));
                };
                parallel_for(groups, std::max<std::int64_t>(1, 262144 / work), [&] { static_cast<void>(a_panels()); }, [&](std::int64_t begin, std::int64_t end, int) {
                    for (std::int64_t g = begin; g < end; ++g) multiply(g * group, std::min(group, row_panels - g * group), j, n, p, k, a_panels(), b_panels.get());
                });
            }
        }
    }

private:
    // `count` rows (or columns) of a panel of `size`, k long, one after another for each step of k; the rest are zeros.
    static void pack(const char* from, std::int64_t stride, std::int64_t step, std::int64_t count, std::int64_t size, std::int64_t k, P* to) {
        if (count < size) std::fill_n(to, size * k, P{});
        if (stride == static_cast<std::int64_t>(sizeof(T))) {
            for (std::int64_t p = 0; p < k; ++p)
                for (std::int64_t i = 0; i < count; ++i) to[p * size + i] = convert(from + p * step + i * static_cast<std::int64_t>(sizeof(T)));
        } else {
            for (std::int64_t i = 0; i < count; ++i)
                for (std::int64_t p = 0; p < k; ++p) to[p * size + i] = convert(from + p * step + i * stride);
        }
    }

    static P convert(const char* at) {
        if constexpr (std::is_same_v<T, bool>) return static_cast<P>(load<std::uint8_t>(at) != 0);
        else return static_cast<P>(load<T>(at));
    }

    void multiply(std::int64_t first_panel, std::int64_t panels, std::int64_t j, std::int64_t n, std::int64_t p, std::int64_t k, P* a_panels, const P* b_panels) const {
        const std::int64_t rows = kernel_.rows, columns = kernel_.columns;
        for (std::int64_t i = 0; i < panels; ++i) {
            const std::int64_t row = (first_panel + i) * rows;
            pack(a_.at(row, p), a_.row_stride, a_.column_stride, std::min(rows, c_.rows - row), rows, k, a_panels + i * rows * k);
        }
        alignas(64) std::array<P, largest_tile> tile;
        for (std::int64_t column = 0; column < n; column += columns) {
            for (std::int64_t i = 0; i < panels; ++i) {
                kernel_.run(k, a_panels + i * rows * k, b_panels + column * k, tile.data());
                const std::int64_t row = (first_panel + i) * rows;
                for (std::int64_t r = 0; r < std::min(rows, c_.rows - row); ++r)
                    update(row + r, j + column, std::min(columns, n - column), &tile[static_cast<std::size_t>(r * columns)], add_ || p > 0);
            }
        }
    }

    void update(std::int64_t row, std::int64_t column, std::int64_t n, const P* sums, bool add) const {
        char* const to = c_.at(row, column);
        if (c_.column_stride == static_cast<std::int64_t>(sizeof(T))) return update(to, static_cast<std::int64_t>(sizeof(T)), n, sums, add);
        update(to, c_.column_stride, n, sums, add);
    }

    [[gnu::always_inline]] static void update(char* to, std::int64_t stride, std::int64_t n, const P* sums, bool add) {
        if (add) {
            for (std::int64_t i = 0; i < n; ++i) {
                const P old = convert(to + i * stride);
                store(to + i * stride, static_cast<T>(std::is_same_v<T, bool> ? (old != P{} || sums[i] != P{}) : static_cast<P>(old + sums[i])));
            }
        } else {
            for (std::int64_t i = 0; i < n; ++i) store(to + i * stride, static_cast<T>(sums[i]));
        }
    }

    const MatrixView& a_;
    const MatrixView& b_;
    const MatrixView& c_;
    bool add_;
    GemmKernel kernel_;
};

}  // namespace

bool has_gemm_packed(DType dtype) {
    return dispatch(dtype, []<class T>() { return supported<T>; });
}

void gemm_packed(DType dtype, const MatrixView& a, const MatrixView& b, const MatrixView& c, bool add) {
    dispatch(dtype, [&]<class T>() {
        if constexpr (supported<T>) PackedGemm<T>(a, b, c, add).run();
        else throw RuntimeFailure("gemm_packed: expected an integer, bool, float32 or float64, got " + std::string(name(dtype)));
    });
}

}  // namespace asnumpy::cpu
