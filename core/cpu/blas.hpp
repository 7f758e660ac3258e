// The BLAS that NumPy has loaded into this process, called directly. Row-major, lengths and strides in elements.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string>

namespace asnumpy::cpu {

// One matrix operand: its address, the distance between its rows, whether it is read transposed.
template <class T> struct BlasMatrix {
    const T* data;
    std::int64_t ld;
    bool transposed;
};

class Blas {
public:
    // nullptr when no library with the functions is loaded. Looked for once, at the first call.
    static const Blas* find();

    const std::string& name() const { return name_; }
    // Whether a length or stride can be passed on: libraries differ in the width of their integers.
    bool fits(std::int64_t n) const { return wide_ || n <= INT32_MAX; }

    // Whether it can be told how many threads to use.
    bool obeys() const { return get_threads_ && set_threads_; }

    // As long as one lives, the library runs each call on the thread that makes it: its own threads spin for some 25 ms after
    // they have worked, on processors that ours want then.
    class OneThread {
    public:
        explicit OneThread(const Blas&);
        ~OneThread();
        OneThread(const OneThread&) = delete;
        OneThread& operator=(const OneThread&) = delete;

    private:
        const Blas& blas_;
    };

private:
    template <class T> friend class BlasOf;
    using Symbol = void (*)();
    bool load(void* library, const char* prefix, const char* suffix, bool wide);

    std::string name_;
    bool wide_ = false;
    // In the order float, double, complex<float>, complex<double>.
    std::array<Symbol, 4> gemm_{}, gemv_{}, syrk_{}, dot_{};
    Symbol get_threads_ = nullptr, set_threads_ = nullptr;
};

// The functions for one element type: float, double or complex of these.
template <class T> class BlasOf {
public:
    explicit BlasOf(const Blas& blas) : blas_(blas) {}

    // c = a @ b, or c += a @ b. c is (m, n) with rows `ldc` apart.
    void gemm(std::int64_t m, std::int64_t n, std::int64_t k, BlasMatrix<T> a, BlasMatrix<T> b, bool add, T* c, std::int64_t ldc) const;
    // y = a @ x, or y += a @ x, where a as stored is (rows, columns).
    void gemv(std::int64_t rows, std::int64_t columns, BlasMatrix<T> a, const T* x, std::int64_t incx, bool add, T* y, std::int64_t incy) const;
    // The upper triangle of c = a @ a.T, where a (as read) is (n, k).
    void syrk(std::int64_t n, std::int64_t k, BlasMatrix<T> a, T* c, std::int64_t ldc) const;
    T dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy) const;

private:
    const Blas& blas_;
};

std::string blas_name();  // what matmul calls, for people: the library's file name, or that there is none

}  // namespace asnumpy::cpu
