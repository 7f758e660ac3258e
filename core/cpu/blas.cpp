// Finds the BLAS among the loaded libraries and casts its functions to their types.
#include "cpu/blas.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/dtype.hpp"
#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"

namespace asnumpy::cpu {
namespace {

// CBLAS's constants.
enum Layout : int { row_major = 101 };
enum Transpose : int { plain = 111, transposed = 112 };
enum Triangle : int { upper = 121 };

template <class T> constexpr std::size_t slot = std::is_same_v<T, float> ? 0 : std::is_same_v<T, double> ? 1 : std::is_same_v<T, std::complex<float>> ? 2 : 3;

// Real factors go by value, complex ones by address.
template <class T> using Factor = std::conditional_t<is_complex_v<T>, const void*, T>;
template <class T> Factor<T> factor(const T& value) {
    if constexpr (is_complex_v<T>) return &value;
    else return value;
}

// Calls f with a value of the library's integer type.
template <class F> decltype(auto) with_integer(bool wide, F&& f) {
    if (wide) return f(std::int64_t{});
    return f(std::int32_t{});
}

int transpose_flag(bool t) { return t ? transposed : plain; }

bool is_candidate(std::string_view path) {
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return file.find("blas") != std::string_view::npos || file.find("mkl") != std::string_view::npos ||
           file.find("blis") != std::string_view::npos || file.find("armpl") != std::string_view::npos;
}

std::vector<std::string> candidates() {
    std::vector<std::string> paths;
    dl_iterate_phdr([](dl_phdr_info* library, std::size_t, void* list) {
        if (is_candidate(library->dlpi_name)) static_cast<std::vector<std::string>*>(list)->push_back(library->dlpi_name);
        return 0;
    }, &paths);
    // NumPy's own before others, such as the one that SciPy ships.
    std::stable_partition(paths.begin(), paths.end(), [](const std::string& p) { return p.find("numpy") != std::string::npos; });
    return paths;
}

}  // namespace

bool Blas::load(void* library, const char* prefix, const char* suffix, bool wide) {
    const auto symbol = [&](const std::string& function) {
        return reinterpret_cast<Symbol>(dlsym(library, (prefix + function + suffix).c_str()));
    };
    constexpr std::string_view letters = "sdcz";
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const std::string stem = std::string("cblas_") + letters[i];
        gemm_[i] = symbol(stem + "gemm");
        gemv_[i] = symbol(stem + "gemv");
        syrk_[i] = symbol(stem + "syrk");
        dot_[i] = symbol(stem + (i < 2 ? "dot" : "dotu_sub"));
        if (!gemm_[i] || !gemv_[i] || !syrk_[i] || !dot_[i]) return false;
    }
    wide_ = wide;
    get_threads_ = symbol("openblas_get_num_threads");
    set_threads_ = symbol("openblas_set_num_threads");
    return true;
}

const Blas* Blas::find() {
    static Immortal<std::unique_ptr<const Blas>> found([]() -> std::unique_ptr<const Blas> {
        struct Decoration { const char* prefix; const char* suffix; bool wide; };
        constexpr std::array decorations{Decoration{"scipy_", "64_", true}, Decoration{"", "64_", true}, Decoration{"", "_64", true},
                                         Decoration{"scipy_", "", false}, Decoration{"", "", false}};
        auto blas = std::make_unique<Blas>();
        for (const std::string& path : candidates()) {
            void* const library = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);  // kept: its functions are used from now on
            if (!library) continue;
            for (const Decoration& d : decorations) {
                if (!blas->load(library, d.prefix, d.suffix, d.wide)) continue;
                blas->name_ = path.substr(path.rfind('/') + 1);
                return blas;
            }
            dlclose(library);
        }
        return nullptr;
    }());
    return found->get();
}

std::string blas_name() {
    const Blas* blas = Blas::find();
    return blas ? blas->name() : "none (own kernels)";
}

template <class T>
void BlasOf<T>::gemm(std::int64_t m, std::int64_t n, std::int64_t k, BlasMatrix<T> a, BlasMatrix<T> b, bool add, T* c, std::int64_t ldc) const {
    // The library's kernels for few elements take two to four times as long where they add to what is there: the sum itself is a few vectors.
    constexpr std::int64_t most_apart = 512;
    if (std::is_floating_point_v<T> && add && m * n <= most_apart) {
        std::array<T, most_apart> product;
        gemm(m, n, k, a, b, false, product.data(), n);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) c[i * ldc + j] += product[static_cast<std::size_t>(i * n + j)];
        return;
    }
    const T one{1}, beta{add ? T{1} : T{0}};
    with_integer(blas_.wide_, [&]<class I>(I) {
        using Function = void (*)(int, int, int, I, I, I, Factor<T>, const T*, I, const T*, I, Factor<T>, T*, I);
        reinterpret_cast<Function>(blas_.gemm_[slot<T>])(row_major, transpose_flag(a.transposed), transpose_flag(b.transposed), static_cast<I>(m),
            static_cast<I>(n), static_cast<I>(k), factor(one), a.data, static_cast<I>(a.ld), b.data, static_cast<I>(b.ld), factor(beta), c, static_cast<I>(ldc));
    });
}

template <class T>
void BlasOf<T>::gemv(std::int64_t rows, std::int64_t columns, BlasMatrix<T> a, const T* x, std::int64_t incx, bool add, T* y, std::int64_t incy) const {
    const T one{1}, beta{add ? T{1} : T{0}};
    with_integer(blas_.wide_, [&]<class I>(I) {
        using Function = void (*)(int, int, I, I, Factor<T>, const T*, I, const T*, I, Factor<T>, T*, I);
        reinterpret_cast<Function>(blas_.gemv_[slot<T>])(row_major, transpose_flag(a.transposed), static_cast<I>(rows), static_cast<I>(columns),
            factor(one), a.data, static_cast<I>(a.ld), x, static_cast<I>(incx), factor(beta), y, static_cast<I>(incy));
    });
}

template <class T> void BlasOf<T>::syrk(std::int64_t n, std::int64_t k, BlasMatrix<T> a, T* c, std::int64_t ldc) const {
    const T one{1}, zero{0};
    with_integer(blas_.wide_, [&]<class I>(I) {
        using Function = void (*)(int, int, int, I, I, Factor<T>, const T*, I, Factor<T>, T*, I);
        reinterpret_cast<Function>(blas_.syrk_[slot<T>])(row_major, upper, transpose_flag(a.transposed), static_cast<I>(n), static_cast<I>(k),
            factor(one), a.data, static_cast<I>(a.ld), factor(zero), c, static_cast<I>(ldc));
    });
}

template <class T> T BlasOf<T>::dot(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy) const {
    return with_integer(blas_.wide_, [&]<class I>(I) {
        if constexpr (is_complex_v<T>) {
            T result{};
            using Function = void (*)(I, const T*, I, const T*, I, T*);
            reinterpret_cast<Function>(blas_.dot_[slot<T>])(static_cast<I>(n), x, static_cast<I>(incx), y, static_cast<I>(incy), &result);
            return result;
        } else {
            using Function = T (*)(I, const T*, I, const T*, I);
            return reinterpret_cast<Function>(blas_.dot_[slot<T>])(static_cast<I>(n), x, static_cast<I>(incx), y, static_cast<I>(incy));
        }
    });
}

template class BlasOf<float>;
template class BlasOf<double>;
template class BlasOf<std::complex<float>>;
template class BlasOf<std::complex<double>>;

namespace {

// Several threads may hold the library to one thread: the first says so, the last gives it its threads back.
struct Held {
    ForkMutex lock{97};
    int holders = 0, before = 0;
};

Held& held() {
    static Immortal<Held> instance;
    return *instance;
}

}  // namespace

Blas::OneThread::OneThread(const Blas& blas) : blas_(blas) {
    if (!blas_.obeys()) return;
    const std::lock_guard lock(held().lock);
    if (held().holders++ > 0) return;
    held().before = reinterpret_cast<int (*)()>(blas_.get_threads_)();
    if (held().before > 1) reinterpret_cast<void (*)(int)>(blas_.set_threads_)(1);
}

Blas::OneThread::~OneThread() {
    if (!blas_.obeys()) return;
    const std::lock_guard lock(held().lock);
    if (--held().holders == 0 && held().before > 1) reinterpret_cast<void (*)(int)>(blas_.set_threads_)(held().before);
}

}  // namespace asnumpy::cpu
