// Fourier transforms of real lines, and of windows that move along a line.
#include <complex>
#include <numbers>
#include <optional>

#include "operators/fold.hpp"

namespace cannsim {
namespace {

using Complex = std::complex<double>;

// Halves while the length is even, the definition for what is left. `in` has the stride of the elements still to be halved.
void transform(const Complex* in, std::int64_t stride, Complex* out, std::int64_t n, const std::vector<Complex>& roots) {
    const auto root = [&](std::int64_t k) { return roots[static_cast<std::size_t>(k % n * (static_cast<std::int64_t>(roots.size()) / n))]; };
    if (n % 2 != 0 || n <= 4) {
        for (std::int64_t k = 0; k < n; ++k) {
            Complex sum{};
            for (std::int64_t j = 0; j < n; ++j) sum += in[j * stride] * root(j * k);
            out[k] = sum;
        }
        return;
    }
    const std::int64_t half = n / 2;
    transform(in, stride * 2, out, half, roots);
    transform(in + stride, stride * 2, out + half, half, roots);
    for (std::int64_t k = 0; k < half; ++k) {
        const Complex even = out[k], odd = out[k + half] * root(k);
        out[k] = even + odd;
        out[k + half] = even - odd;
    }
}
std::vector<Complex> roots_of(std::int64_t n) {
    std::vector<Complex> roots;
    for (std::int64_t k = 0; k < n; ++k) roots.push_back(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
    return roots;
}

// The last axis of the result holds real and imaginary parts. norm: 1 none, 2 over n, 3 over its root.
Work plan_real(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const int axis = call.axis("dim", call.integer("dim"), self.ndim());
    call.expect(self.ndim() >= 1, "self", "at least one axis");
    const std::int64_t n = call.integer("n") > 0 ? call.integer("n") : self.length(axis), norm = call.integer("norm"), given = std::min(n, self.length(axis));
    call.expect(norm >= 1 && norm <= 3, "norm", text("1 no scaling, 2 over n or 3 over its root, got ", norm));
    call.expect(n > 0, "n", text("a length of at least 1, got ", n));
    Dims shape = self.shape();
    shape[axis] = n / 2 + 1;
    shape.push_back(2);
    call.expect_shape(out, shape);
    Work work;
    work.operations = static_cast<double>(self.size()) * 20;
    work.compute = [=](const Run& run) {
        const double scale = norm == 1 ? 1 : norm == 2 ? 1 / static_cast<double>(n) : 1 / std::sqrt(static_cast<double>(n));
        const std::vector<Complex> roots = roots_of(n);
        const Owned values = contiguous(run[self], DType::float64), results = make(DType::float64, shape);
        Array first = at(results, shape.size() - 1, 0);
        std::vector<Complex> line(static_cast<std::size_t>(n)), made(line);
        each_line(axis, [&](const std::byte* from, std::byte* to) {
            for (std::int64_t i = 0; i < n; ++i) line[static_cast<std::size_t>(i)] = i < given ? *reinterpret_cast<const double*>(from + i * values.strides[axis]) : 0.0;
            transform(line.data(), 1, made.data(), n, roots);
            for (std::int64_t k = 0; k < n / 2 + 1; ++k) {
                auto* const pair = reinterpret_cast<double*>(to + k * first.strides[axis]);
                pair[0] = made[static_cast<std::size_t>(k)].real() * scale;
                pair[1] = made[static_cast<std::size_t>(k)].imag() * scale;
            }
        }, static_cast<const Array&>(values), first);
        copy(results, run[out]);
    };
    return work;
}

// A spectrum of each window of the signal: (batch, frequencies, windows), complex or with parts as the last axis.
Work plan_short_time(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const std::optional<Tensor> window = call.optional("windowOptional");
    const std::int64_t n = call.integer("nFft"), hop = call.integer("hopLength"), width = call.integer("winLength");
    const bool one_sided = call.flag("onesided"), as_complex = call.flag("returnComplex"), normalized = call.flag("normalized");
    const std::int64_t length = self.length(self.ndim() - 1);
    call.expect(n > 0 && n <= length, "nFft", text("from 1 to the signal's length ", length, ", got ", n));
    call.expect(hop > 0, "hopLength", text("at least 1, got ", hop));
    call.expect(width > 0 && width <= n, "winLength", text("from 1 to nFft, got ", width));
    if (window) call.expect(window->size() == width, window->name, text(width, " elements, got shape ", window->shape()));
    if (one_sided) call.expect(!asnumpy::is_complex(self.dtype), "onesided", "false for a complex signal");
    call.expect(asnumpy::is_complex(out.dtype) == as_complex, "out", as_complex ? "complex numbers, since returnComplex is true" : "real numbers, since returnComplex is false");
    const std::int64_t windows = 1 + (length - n) / hop, frequencies = one_sided ? n / 2 + 1 : n;
    Dims shape;
    if (self.ndim() == 2) shape.push_back(self.length(0));
    shape.push_back(frequencies);
    shape.push_back(windows);
    if (!as_complex) shape.push_back(2);
    call.expect_shape(out, shape);
    Work work;
    work.operations = static_cast<double>(windows) * static_cast<double>(n) * 20;
    work.compute = [=](const Run& run) {
        const std::vector<Complex> roots = roots_of(n);
        const Owned signal = contiguous(run[self], DType::complex128), results = make(as_complex ? DType::complex128 : DType::float64, shape);
        std::vector<Complex> factors(static_cast<std::size_t>(n)), line(factors), made(factors);
        std::fill_n(factors.begin() + (n - width) / 2, width, Complex(1));
        if (window) {
            const Owned given = contiguous(run[*window], DType::complex128);
            std::copy_n(given.as<Complex>(), width, factors.begin() + (n - width) / 2);
        }
        const double scale = normalized ? 1 / std::sqrt(static_cast<double>(n)) : 1;
        auto* const to = reinterpret_cast<Complex*>(results.data);  // two doubles are laid out as a complex number
        for (std::int64_t b = 0; b < signal.size() / length; ++b)
            for (std::int64_t w = 0; w < windows; ++w) {
                for (std::int64_t i = 0; i < n; ++i) line[static_cast<std::size_t>(i)] = factors[static_cast<std::size_t>(i)] * signal.as<Complex>()[b * length + w * hop + i];
                transform(line.data(), 1, made.data(), n, roots);
                for (std::int64_t k = 0; k < frequencies; ++k) to[(b * frequencies + k) * windows + w] = made[static_cast<std::size_t>(k)] * scale;
            }
        copy(results, run[out]);
    };
    return work;
}

const Operators fourier{{"aclRfft1D", plan_real}, {"aclStft", plan_short_time}};

}  // namespace
}  // namespace cannsim
