// The Matmul object. On the device a vector core sends its orders to the cube core of its block, which serves them; here the
// order is carried out where it is given, and the cube core's pass has nothing to do. It begins when all that its core issued
// before is complete, and what follows begins when it is.
#pragma once

#include "ascendc/library/product.hpp"

namespace AscendC {

template <class... Functions>
struct MatmulCallBackFunc {};
struct MatmulPolicy {};

template <class A, class B, class C, class Bias = C, const auto& config = CFG_NORM, class CallBack = MatmulCallBackFunc<>, class Policy = MatmulPolicy>
class MatmulImpl {
    using N = ascendc::Sums<typename A::T>;

public:
    using AType = A;
    using BType = B;
    using CType = C;
    using BiasType = Bias;

    void Init(const TCubeTiling* tiling, TPipe* = nullptr) {
        tiling_ = *tiling;
        m_ = tiling_.singleCoreM, n_ = tiling_.singleCoreN, k_ = tiling_.singleCoreK;
        SetOrgShape(tiling_.M, tiling_.N, tiling_.Ka, tiling_.Kb, tiling_.N);
        bias_set_ = false;
        restart();
    }
    void SetSubBlockIdx(std::uint8_t) {}

    // A tensor of global or local memory, transposed where the type or the call says so.
    template <template <class> class Tensor>
    void SetTensorA(const Tensor<typename A::T>& a, bool transposed = false) {
        set(a_, a);
        a_transposed_ = transposed || A::isTrans;
        restart();
    }
    void SetTensorA(typename A::T scalar) { set(a_, scalar), restart(); }
    template <template <class> class Tensor>
    void SetTensorB(const Tensor<typename B::T>& b, bool transposed = false) {
        set(b_, b);
        b_transposed_ = transposed || B::isTrans;
        restart();
    }
    void SetTensorB(typename B::T scalar) { set(b_, scalar), restart(); }
    void SetBias(const GlobalTensor<typename Bias::T>& bias) { set(bias_, bias), bias_set_ = true; }
    void SetBias(const LocalTensor<typename Bias::T>& bias) { set(bias_, bias), bias_set_ = true; }
    void ClearBias() { bias_set_ = false; }
    void DisableBias() { bias_set_ = false; }

    // What is computed of the block, at most the tiling's.
    void SetTail(int m = -1, int n = -1, int k = -1) {
        if (m >= 0) m_ = m;
        if (n >= 0) n_ = n;
        if (k >= 0) k_ = k;
        restart();
    }
    void SetSingleShape(int m, int n, int k) { SetTail(m, n, k); }
    // The whole matrices, from which the pitches of rows follow.
    void SetOrgShape(int M, int N_, int K) { SetOrgShape(M, N_, K, K, N_); }
    void SetOrgShape(int M, int N_, int Ka, int Kb, int Kc = 0) {
        whole_m_ = M, whole_n_ = N_, whole_ka_ = Ka, whole_kb_ = Kb, whole_c_ = Kc ? Kc : N_;
    }

    // Floats of A and B rounded to HF32.
    void SetHF32(bool on, std::int32_t mode = 0) {
        ascendc::current().registers.hf32 = on;
        ascendc::current().registers.hf32_round = mode != 0;
    }
    void SetQuantScalar(std::uint64_t bits) { quantiser_ = ascendc::Quantiser(bits), quantised_ = true; }
    void SetQuantVector(const GlobalTensor<std::uint64_t>& vector) { quantisers_ = vector, by_column_ = true; }
    void SetLocalWorkspace(const LocalTensor<std::uint8_t>&) {}
    template <class T>
    void SetWorkspace(const T&) {}
    template <class T>
    void SetWorkspace(T*, int) {}
    void SetUserDefInfo(std::uint64_t) {}
    template <class T>
    void SetSelfDefineData(T) {}

    // The next tile of baseM x baseN; false behind the last one. Without sync all tiles are begun, and each GetTensorC without
    // sync gives the next one.
    template <bool sync = true>
    bool Iterate(bool enPartialSum = false, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        if constexpr (sync) return next(enPartialSum, where);
        if (begun_ && tile_ + 1 >= tiles()) return begun_ = false;
        begun_ = tiles() > 0, adds_ = enPartialSum;
        return begun_;
    }
    // The tile that Iterate computed: to its place in C, or to C's first element with enSequentialWrite.
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<typename C::T>& c, std::uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        if constexpr (!sync) give_next(where);
        ascendc::MatrixPlace place;
        set(place, c);
        put(place, enAtomic, enSequentialWrite, where);
    }
    template <bool sync = true>
    void GetTensorC(const LocalTensor<typename C::T>& c, std::uint8_t enAtomic = 0, bool = false,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        if constexpr (!sync) give_next(where);
        ascendc::MatrixPlace place;
        set(place, c);
        put(place, enAtomic, true, where);
    }
    template <bool sync = true>
    void IterateAll(const GlobalTensor<typename C::T>& c, std::uint8_t enAtomic = 0, bool enSequentialWrite = false, bool = false, bool = false,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        while (next(false, where)) GetTensorC(c, enAtomic, enSequentialWrite, where);
    }
    // A local result is the whole block, row by row.
    template <bool sync = true>
    void IterateAll(const LocalTensor<typename C::T>& c, std::uint8_t enAtomic = 0,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
        ascendc::MatrixPlace place;
        set(place, c);
        compute(0, 0, m_, n_, false, where);
        put(place, enAtomic, true, where);
    }
    void WaitIterateAll() {}
    void WaitGetTensorC() {}
    void End() {}

private:
    template <class T>
    static void set(ascendc::MatrixPlace& place, const GlobalTensor<T>& tensor) {
        place = {};
        place.global = tensor.address();
    }
    template <class T>
    static void set(ascendc::MatrixPlace& place, const LocalTensor<T>& tensor) {
        place = {};
        place.local = tensor.place();
        place.is_local = true;
    }
    template <class T>
    static void set(ascendc::MatrixPlace& place, T scalar) {
        place = {};
        place.is_scalar = true;
        place.scalar = static_cast<double>(static_cast<float>(scalar));
    }
    void restart() { tile_ = -1, begun_ = false; }

    int tile_rows() const { return (m_ + tiling_.baseM - 1) / tiling_.baseM; }
    int tile_columns() const { return (n_ + tiling_.baseN - 1) / tiling_.baseN; }
    int tiles() const { return tile_rows() * tile_columns(); }
    bool next(bool adds, ascendc::Where where) {
        if (!m_ || !n_ || ++tile_ >= tiles()) return false;
        // Order 0 goes down the rows of tiles first, 1 along the columns.
        tile_row_ = tiling_.iterateOrder == 0 ? tile_ % tile_rows() : tile_ / tile_columns();
        tile_column_ = tiling_.iterateOrder == 0 ? tile_ / tile_rows() : tile_ % tile_columns();
        compute(tile_row_ * tiling_.baseM, tile_column_ * tiling_.baseN, std::min(tiling_.baseM, m_ - tile_row_ * tiling_.baseM),
                std::min(tiling_.baseN, n_ - tile_column_ * tiling_.baseN), adds, where);
        return true;
    }
    void give_next(ascendc::Where where) {
        if (begun_ && !next(adds_, where))
            ascendc::current().fail(ascendc::Rule::queue, where, ascendc::join("GetTensorC asks for more tiles than the ", tiles(), " that Iterate began"));
    }

    // A view of rows x columns from (row, column) on, of a matrix of which `place` is the first element.
    template <class T>
    static ascendc::MatrixView part(ascendc::MatrixPlace& place, CubeFormat format, bool transposed, int rows, int columns, int row,
                                    int column, int block_rows, int block_columns, int whole_rows, int whole_columns) {
        ascendc::MatrixView view{static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns), 0, 0, format == CubeFormat::NZ,
                                 transposed};
        // Global matrices are parts of the whole ones, local ones hold the block alone, in rows of whole blocks of 32 bytes.
        const int stored_rows = transposed ? (place.is_local ? block_columns : whole_columns) : (place.is_local ? block_rows : whole_rows);
        int stored_columns = transposed ? (place.is_local ? block_rows : whole_rows) : (place.is_local ? block_columns : whole_columns);
        constexpr int wide = ascendc::block_elements<T>;
        if (place.is_local) stored_columns = (stored_columns + wide - 1) / wide * wide;
        view.pitch = static_cast<std::uint32_t>(stored_columns);
        view.padded_rows = static_cast<std::uint32_t>((stored_rows + 15) / 16 * 16);
        if (format == CubeFormat::VECTOR) view.pitch = view.stored_columns();
        const std::uint64_t first = view.at(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), wide);
        const std::uint64_t offset = ascendc::bytes_of<T>(first);
        place.global += offset;
        place.local.address += static_cast<std::uint32_t>(offset);
        return view;
    }

    void compute(int row, int column, int rows, int columns, bool adds, ascendc::Where where) {
        ascendc::current().drain();
        ascendc::Instruction at("Matmul", ascendc::Pipe::MTE2, where);
        const std::size_t size = static_cast<std::size_t>(rows) * columns;
        const bool begins = !adds || sums_.size() != size;
        if (begins) sums_.assign(size, N(0));
        rows_ = rows, columns_ = columns;
        ascendc::MatrixPlace a = a_, b = b_;
        const auto a_view = part<typename A::T>(a, A::format, a_transposed_, rows, k_, row, 0, m_, k_, whole_m_, whole_ka_);
        const auto b_view = part<typename B::T>(b, B::format, b_transposed_, k_, columns, 0, column, k_, n_, whole_kb_, whole_n_);
        ascendc::multiply<typename A::T, typename B::T>(at, a, a_view, b, b_view, sums_);
        if (bias_set_ && begins) {
            ascendc::MatrixPlace bias = bias_;
            const auto view = part<typename Bias::T>(bias, CubeFormat::ND, false, 1, columns, 0, column, 1, n_, 1, whole_n_);
            const std::byte* const values = ascendc::matrix_bytes<typename Bias::T>(at, bias, view, "bias", false);
            for (std::size_t i = 0; i < size; ++i)
                sums_[i] += static_cast<N>(ascendc::element<typename Bias::T>(values, i % static_cast<std::size_t>(columns)));
        }
        const double k_step = 32. / sizeof(typename A::T);
        at.takes(((rows + 15) / 16) * ((columns + 15) / 16) * ((k_ + k_step - 1) / k_step));
    }

    void put(ascendc::MatrixPlace c, std::uint8_t atomic, bool sequential, ascendc::Where where) {
        ascendc::Core& core = ascendc::current();
        core.drain();
        {
            ascendc::Instruction at("GetTensorC", ascendc::Pipe::MTE3, where);
            const ascendc::Registers before = core.registers;
            if (atomic) {
                core.registers.atomic = atomic == 1 ? ascendc::Atomic::add : atomic == 2 ? ascendc::Atomic::max : ascendc::Atomic::min;
                core.registers.atomic_type = ascendc::element_of<typename C::T>();
            }
            const int row = sequential ? 0 : tile_row_ * tiling_.baseM, column = sequential ? 0 : tile_column_ * tiling_.baseN;
            const bool tile_alone = sequential && !c.is_local;
            auto view = part<typename C::T>(c, C::format, false, rows_, columns_, row, column, rows_, columns_, whole_m_, whole_c_);
            if (tile_alone && C::format != CubeFormat::NZ) view.pitch = static_cast<std::uint32_t>(tiling_.baseN);
            if (by_column_) put_by_column(at, c, view, column);
            else ascendc::store_result<typename C::T>(at, c, view, sums_, quantised_ ? &quantiser_ : nullptr);
            core.registers.atomic = before.atomic;
            core.registers.atomic_type = before.atomic_type;
            ascendc::takes_transfer(at, static_cast<std::uint64_t>(rows_) * columns_ * sizeof(typename C::T));
        }
        core.drain();
    }
    // Each column has a scale of its own.
    void put_by_column(ascendc::Instruction& at, const ascendc::MatrixPlace& c, ascendc::MatrixView view, int column) {
        const std::uintptr_t first = quantisers_.address() + column * sizeof(std::uint64_t);
        const std::byte* const scales = at.uses_global({first, columns_ * sizeof(std::uint64_t), 1, 0}, false);
        for (int j = 0; j < columns_; ++j) {
            std::uint64_t bits;
            std::memcpy(&bits, scales + j * sizeof(bits), sizeof(bits));
            const ascendc::Quantiser quantiser(bits);
            std::vector<N> one(static_cast<std::size_t>(rows_));
            for (int i = 0; i < rows_; ++i) one[i] = sums_[static_cast<std::size_t>(i) * columns_ + j];
            ascendc::MatrixPlace place = c;
            ascendc::MatrixView line = view;
            line.columns = 1;
            const std::uint64_t offset =
                view.at(0, static_cast<std::uint32_t>(j), ascendc::block_elements<typename C::T>) * sizeof(typename C::T);
            place.global += offset;
            place.local.address += static_cast<std::uint32_t>(offset);
            ascendc::store_result<typename C::T>(at, place, line, one, &quantiser);
        }
    }

    TCubeTiling tiling_{};
    int m_ = 0, n_ = 0, k_ = 0;
    int whole_m_ = 0, whole_n_ = 0, whole_ka_ = 0, whole_kb_ = 0, whole_c_ = 0;
    ascendc::MatrixPlace a_, b_, bias_;
    bool a_transposed_ = A::isTrans, b_transposed_ = B::isTrans, bias_set_ = false;
    ascendc::Quantiser quantiser_;
    bool quantised_ = false, by_column_ = false;
    GlobalTensor<std::uint64_t> quantisers_;
    std::vector<N> sums_;
    bool begun_ = false, adds_ = false;  // by Iterate without sync
    int tile_ = -1, tile_row_ = 0, tile_column_ = 0, rows_ = 0, columns_ = 0;
};

template <class A, class B, class C, class Bias = C, const auto& config = CFG_NORM, class CallBack = MatmulCallBackFunc<>, class Policy = MatmulPolicy>
class Matmul : public MatmulImpl<A, B, C, Bias, config, CallBack, Policy> {};

}  // namespace AscendC

namespace ascendc {

// object, &tiling, object, &tiling...; an object without a tiling gets it by Init.
inline void begin_products() {}
template <class Object>
void begin_products(Object&) {}
template <class Object, class Second, class... Rest>
void begin_products(Object& object, Second&& second, Rest&&... rest) {
    if constexpr (std::is_convertible_v<Second, const AscendC::TCubeTiling*>) {
        if (const AscendC::TCubeTiling* tiling = second) object.Init(tiling);
        begin_products(rest...);
    } else {
        begin_products(second, rest...);
    }
}

}  // namespace ascendc

namespace matmul {
using AscendC::Matmul;
using AscendC::MatmulCallBackFunc;
using AscendC::MatmulImpl;
}  // namespace matmul

// A cube core of a mixed kernel serves its vector cores until the kernel's end: here it ends at once.
#if defined(ASCENDC_CUBE_ONLY)
#define REGIST_MATMUL_OBJ(pipe, workspace, ...) ascendc::begin_products(__VA_ARGS__)
#else
#define REGIST_MATMUL_OBJ(pipe, workspace, ...) \
    if ASCEND_IS_AIC return;                    \
    ascendc::begin_products(__VA_ARGS__)
#endif
