// Rows of mathematical functions beside the same functions of long double: within 4 ulp everywhere, special values exactly,
// on every instruction set of this machine.
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "kernels/table.hpp"
#include "ops/row.hpp"

using namespace asnumpy;

namespace {

using Exact = long double;

constexpr Exact most_ulps = 4;

struct One {
    const char* row;
    double low, high;  // where the function does most of its work; arguments of every size are tried besides
    Exact (*exact)(Exact);
};
struct Pair {
    const char* row;
    double low, high;
    Exact (*exact)(Exact, Exact);
};

constexpr One ones[]{
    {"exp", -750, 715, [](Exact x) { return std::exp(x); }},
    {"exp2", -1080, 1030, [](Exact x) { return std::exp2(x); }},
    {"expm1", -3, 3, [](Exact x) { return std::expm1(x); }},
    {"log", 0, 4, [](Exact x) { return std::log(x); }},
    {"log2", 0, 4, [](Exact x) { return std::log2(x); }},
    {"log10", 0, 4, [](Exact x) { return std::log10(x); }},
    {"log1p", -1, 2, [](Exact x) { return std::log1p(x); }},
    {"sqrt", 0, 4, [](Exact x) { return std::sqrt(x); }},
    {"cbrt", -10, 10, [](Exact x) { return std::cbrt(x); }},
    {"sin", -20, 20, [](Exact x) { return std::sin(x); }},
    {"cos", -20, 20, [](Exact x) { return std::cos(x); }},
    {"tan", -20, 20, [](Exact x) { return std::tan(x); }},
    {"arcsin", -1, 1, [](Exact x) { return std::asin(x); }},
    {"arccos", -1, 1, [](Exact x) { return std::acos(x); }},
    {"arctan", -10, 10, [](Exact x) { return std::atan(x); }},
    {"sinh", -90, 90, [](Exact x) { return std::sinh(x); }},
    {"cosh", -90, 90, [](Exact x) { return std::cosh(x); }},
    {"tanh", -10, 10, [](Exact x) { return std::tanh(x); }},
    {"arcsinh", -10, 10, [](Exact x) { return std::asinh(x); }},
    {"arccosh", 1, 10, [](Exact x) { return std::acosh(x); }},
    {"arctanh", -1, 1, [](Exact x) { return std::atanh(x); }},
};
constexpr Pair pairs[]{
    {"power", 0, 30, [](Exact x, Exact y) { return std::pow(x, y); }},
    {"arctan2", -10, 10, [](Exact y, Exact x) { return std::atan2(y, x); }},
    {"hypot", -10, 10, [](Exact x, Exact y) { return std::hypot(x, y); }},
};

int failures = 0;

template <class T> DType dtype_of() { return sizeof(T) == 4 ? DType::float32 : DType::float64; }

// Numbers of the range, and every bit pattern alike: tiny, huge, subnormal, infinite, NaN.
template <class T> std::vector<T> arguments(double low, double high, std::size_t n, std::mt19937_64& generator) {
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr T inf = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::denorm_min(), normal = std::numeric_limits<T>::min();
    const T special[]{0, -T{0}, 1, -1, 2, -2, 3, -3, T{0.5}, -T{0.5}, inf, -inf, std::numeric_limits<T>::quiet_NaN(), tiny, -tiny, normal, -normal,
                      std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), T{1} + std::numeric_limits<T>::epsilon(), T{1} - std::numeric_limits<T>::epsilon()};
    std::uniform_real_distribution<double> uniform(low, high);
    std::vector<T> x(std::begin(special), std::end(special));
    while (x.size() < n / 2) x.push_back(static_cast<T>(uniform(generator)));
    while (x.size() < n) x.push_back(std::bit_cast<T>(static_cast<Word>(generator())));
    return x;
}

// In units of the spacing of T at `exact`; what overflows T counts as the power of two that follows its largest number.
template <class T> Exact ulps(T got, Exact exact) {
    if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : std::numeric_limits<Exact>::infinity();
    const Exact beyond = std::ldexp(Exact{1}, std::numeric_limits<T>::max_exponent);
    const auto bounded = [&](Exact x) { return std::fabs(x) >= beyond ? std::copysign(beyond, x) : x; };
    const Exact expected = bounded(exact);
    const int exponent = expected == 0 ? std::numeric_limits<int>::min() / 2 : std::ilogb(expected);
    const int least = std::numeric_limits<T>::min_exponent - 1, most = std::numeric_limits<T>::max_exponent - 1;
    const int place = std::min(std::max(exponent, least), most) - (std::numeric_limits<T>::digits - 1);
    return std::fabs(bounded(got) - expected) / std::ldexp(Exact{1}, place);
}

template <class T> std::vector<T> evaluate(const char* name, std::vector<const void*> in, std::size_t n) {
    Signature signature;
    signature.nin = static_cast<std::uint8_t>(in.size());
    signature.nout = 1;
    signature.in = {dtype_of<T>(), in.size() > 1 ? dtype_of<T>() : DType{}};
    signature.out = {dtype_of<T>()};
    const RowId id = find_row(name);
    const int index = find_loop(id, signature);
    std::vector<T> result(n);
    if (index < 0) {
        std::fprintf(stderr, "failed: no loop of %s\n", name);
        std::exit(1);
    }
    void* out[]{result.data()};
    cpu::loop(id, index)(out, in.data(), n);
    return result;
}

struct Worst {
    Exact ulps = 0;
    std::string where = "nowhere";
};

template <class T> void judge(const char* name, const Worst& worst) {
    std::printf("  %-8s %-7s %.2Lf ulp at %s\n", name, sizeof(T) == 4 ? "float32" : "float64", worst.ulps, worst.where.c_str());
    if (worst.ulps <= most_ulps) return;
    std::fprintf(stderr, "failed: %s is off by %.2Lf ulp at %s\n", name, worst.ulps, worst.where.c_str());
    ++failures;
}

template <class T> bool same_zero(T got, Exact exact) { return exact != 0 || got != 0 || std::signbit(got) == std::signbit(exact); }

std::string text(double x) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", x);
    return digits;
}

template <class T, class... In> void visit(Worst& worst, T got, Exact exact, In... in) {
    const Exact off = same_zero(got, exact) ? ulps(got, exact) : std::numeric_limits<Exact>::infinity();
    if (off <= worst.ulps) return;
    std::string where;
    ((where += (where.empty() ? "" : ", ") + text(in)), ...);
    worst = {off, where + ": " + text(got)};
}

template <class T> void check_all(std::size_t n, std::mt19937_64& generator) {
    for (const One& f : ones) {
        const std::vector<T> x = arguments<T>(f.low, f.high, n, generator);
        const std::vector<T> got = evaluate<T>(f.row, {x.data()}, n);
        Worst worst;
        for (std::size_t i = 0; i < n; ++i) visit(worst, got[i], f.exact(x[i]), x[i]);
        judge<T>(f.row, worst);
    }
    for (const Pair& f : pairs) {
        std::vector<T> x = arguments<T>(f.low, f.high, n, generator), y = arguments<T>(-f.high, f.high, n, generator);
        const std::size_t special = 21;  // each with each
        for (std::size_t i = 0; i < special * special; ++i) {
            x.push_back(x[i / special]);
            y.push_back(y[i % special]);
        }
        const std::vector<T> got = evaluate<T>(f.row, {x.data(), y.data()}, x.size());
        Worst worst;
        for (std::size_t i = 0; i < x.size(); ++i) visit(worst, got[i], f.exact(x[i], y[i]), x[i], y[i]);
        judge<T>(f.row, worst);
    }
}

// Every length leaves the loop's last, partly filled vector alone right.
void check_tails() {
    std::vector<float> x(70);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 8;
    const std::vector<float> all = evaluate<float>("exp", {x.data()}, x.size());
    for (std::size_t n = 1; n <= x.size(); ++n) {
        const std::vector<float> some = evaluate<float>("exp", {x.data()}, n);
        if (std::memcmp(some.data(), all.data(), n * sizeof(float)) == 0) continue;
        std::fprintf(stderr, "failed: exp of %zu elements\n", n);
        ++failures;
    }
}

int run_here(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::printf("%s, SIMD functions of the C library: %s, seed %llu\n", std::string(cpu::instruction_set()).c_str(),
                cpu::has_vector_math() ? "yes" : "no", static_cast<unsigned long long>(seed));
    check_all<float>(n, generator);
    check_all<double>(n, generator);
    check_tails();
    return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
    // A process chooses its instruction set once: one child for each.
    int result = 0;
    for (const cpu::InstructionSet& set : cpu::instruction_sets()) {
        if (!set.supported()) continue;
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            setenv("ASNUMPY_ISA", std::string(set.name).c_str(), 1);
            const int status = run_here(n, seed);
            std::fflush(stdout);
            _exit(status);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) result = 1;
    }
    return result;
}
