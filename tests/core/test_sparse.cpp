// Products and sums of compressed sparse arrays beside loops over their entries, and what the kernels do where pointers or indices are bad.
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"
#include "cpu/backend.hpp"
#include "cpu/structured.hpp"
#include "cpu/threads.hpp"
#include "runtime/sparse.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

Tensor tensor(void* data, DType dtype, Dims shape) {
    View view = contiguous(std::move(shape), static_cast<std::int64_t>(itemsize(dtype)));
    return {static_cast<char*>(data), dtype, std::move(view.shape), std::move(view.strides)};
}

StructuredCall make_call(const char* name, std::vector<Tensor> in, Tensor out, bool added = false) {
    StructuredCall call;
    call.row = find_row(name);
    call.in = std::move(in);
    call.out = {std::move(out)};
    call.option = added ? 1 : 0;
    return call;
}

template <class I> struct Pattern {
    std::vector<I> pointers{0}, indices;
    std::int64_t length;

    // Lines of 0 to 2 * each entries, but one of many; indices in no order, some twice.
    Pattern(std::int64_t lines, std::int64_t length, std::int64_t each) : length(length) {
        std::uint64_t state = 1;
        const auto drawn = [&state](std::int64_t below) {
            state = state * 6364136223846793005 + 1442695040888963407;
            return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(below));
        };
        for (std::int64_t line = 0; line < lines; ++line) {
            const std::int64_t count = line == lines / 2 ? 20 * each : drawn(2 * each + 1);
            for (std::int64_t k = 0; k < count; ++k) indices.push_back(static_cast<I>(drawn(length)));
            pointers.push_back(static_cast<I>(indices.size()));
        }
    }
    std::int64_t lines() const { return static_cast<std::int64_t>(pointers.size()) - 1; }
    std::int64_t entries() const { return static_cast<std::int64_t>(indices.size()); }
    Tensor begins() { return tensor(pointers.data(), dtype_of_v<I>, Dims{lines() + 1}); }
    Tensor places() { return tensor(indices.data(), dtype_of_v<I>, Dims{entries()}); }
};

// Numbers whose sums depend on the order.
template <class T> std::vector<T> numbers(std::int64_t n, int seed) {
    std::vector<T> made(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < made.size(); ++i) {
        const auto number = static_cast<int>((i * 7919 + static_cast<std::size_t>(seed)) % 251) - 100;
        if constexpr (is_complex_v<T>) made[i] = T(static_cast<typename T::value_type>(number) / 3, static_cast<typename T::value_type>(number % 17) / 7);
        else if constexpr (std::is_floating_point_v<T>) made[i] = static_cast<T>(number) / 3;
        else made[i] = static_cast<T>(number);
    }
    return made;
}

template <class T, class I> void products(std::int64_t lines, std::int64_t length, std::int64_t each) {
    Pattern<I> pattern(lines, length, each);
    const DType dtype = dtype_of_v<T>;
    std::vector<T> values = numbers<T>(pattern.entries(), 3);
    for (const std::int64_t columns : {1, 3, 8, 19}) {
        for (const bool added : {false, true}) {
            const std::int64_t from = added ? lines : length, to = added ? length : lines;
            std::vector<T> dense = numbers<T>(from * columns, 5), got(static_cast<std::size_t>(to * columns), T(9)), wanted(got.size());
            for (std::int64_t line = 0; line < lines; ++line)
                for (auto entry = static_cast<std::size_t>(pattern.pointers[static_cast<std::size_t>(line)]); entry < static_cast<std::size_t>(pattern.pointers[static_cast<std::size_t>(line) + 1]); ++entry)
                    for (std::int64_t k = 0; k < columns; ++k) {
                        const std::int64_t at = pattern.indices[entry], row = added ? at : line, read = added ? line : at;
                        T& sum = wanted[static_cast<std::size_t>(row * columns + k)];
                        const T x = values[entry], y = dense[static_cast<std::size_t>(read * columns + k)];
                        if constexpr (is_complex_v<T>) sum = {sum.real() + (x.real() * y.real() - x.imag() * y.imag()), sum.imag() + (x.real() * y.imag() + x.imag() * y.real())};
                        else if constexpr (std::is_floating_point_v<T>) sum += x * y;
                        else sum = static_cast<T>(static_cast<unsigned>(sum) + static_cast<unsigned>(x) * static_cast<unsigned>(y));
                    }
            const std::vector<Tensor> in{pattern.begins(), pattern.places(), tensor(values.data(), dtype, Dims{pattern.entries()}),
                                         tensor(dense.data(), dtype, Dims{from, columns})};
            cpu::cpu_backend().run(make_call("sparse_product", in, tensor(got.data(), dtype, Dims{to, columns}), added));
            expect(std::memcmp(got.data(), wanted.data(), got.size() * sizeof(T)) == 0, "a product has the bits of the loop over its entries");
        }
    }
}

template <class I> void sums(std::int64_t lines, std::int64_t each) {
    Pattern<I> pattern(lines, 10, each);
    std::vector<std::int64_t> values = numbers<std::int64_t>(pattern.entries(), 3), got(static_cast<std::size_t>(lines), 9), wanted(got.size());
    for (std::size_t line = 0; line < wanted.size(); ++line)
        for (auto entry = static_cast<std::size_t>(pattern.pointers[line]); entry < static_cast<std::size_t>(pattern.pointers[line + 1]); ++entry) wanted[line] += values[entry];
    cpu::cpu_backend().run(make_call("sparse_sums", {pattern.begins(), tensor(values.data(), DType::int64, Dims{pattern.entries()})}, tensor(got.data(), DType::int64, Dims{lines})));
    expect(got == wanted, "the sums of lines");
}

bool raises(const StructuredCall& call) {
    try {
        cpu::cpu_backend().run(call);
    } catch (const IndexError&) {
        return true;
    }
    return false;
}

// One bad pointer or index at each of some places: an exception, never a wild access.
template <class I> void bad_patterns(std::int64_t lines, std::int64_t each) {
    constexpr std::int64_t length = 50;
    Pattern<I> pattern(lines, length, each);
    const auto good = [&] { return cpu::is_sparse_pattern(pattern.begins(), pattern.places(), length); };
    expect(good(), "a pattern");
    std::vector<double> values = numbers<double>(pattern.entries(), 1), dense(static_cast<std::size_t>(std::max(lines, length) * 8)), out(dense.size());
    const Tensor given = tensor(values.data(), DType::float64, Dims{pattern.entries()});
    const auto refused = [&](bool also_sums) {
        bool all = true;
        for (const std::int64_t columns : {1, 8})
            for (const bool added : {false, true}) {
                const std::int64_t from = added ? lines : length, to = added ? length : lines;
                all = all && raises(make_call("sparse_product", {pattern.begins(), pattern.places(), given, tensor(dense.data(), DType::float64, Dims{from, columns})},
                                              tensor(out.data(), DType::float64, Dims{to, columns}), added));
            }
        return all && (!also_sums || raises(make_call("sparse_sums", {pattern.begins(), given}, tensor(out.data(), DType::float64, Dims{lines}))));
    };
    expect(!refused(true), "a good pattern is followed");
    const auto with = [](I& at, I bad, auto&& f) {
        const I before = std::exchange(at, bad);
        f();
        at = before;
    };
    for (const std::size_t place : {std::size_t{0}, pattern.indices.size() / 2, pattern.indices.size() - 1})
        for (const I bad : {static_cast<I>(length), I{-1}, std::numeric_limits<I>::max(), std::numeric_limits<I>::min()})
            with(pattern.indices[place], bad, [&] { expect(!good() && refused(false), "a bad index is refused"); });
    for (const std::size_t place : {std::size_t{0}, pattern.pointers.size() / 2, pattern.pointers.size() - 1})
        for (const I bad : {static_cast<I>(pattern.entries() + 1), I{-1}, std::numeric_limits<I>::max(), std::numeric_limits<I>::min()})
            with(pattern.pointers[place], bad, [&] { expect(!good() && refused(true), "a bad pointer is refused"); });
}

// Recorded like all work: nothing runs before a value is asked for, and what is written meanwhile is ordered after it.
void products_are_recorded() {
    set_eager_size(0);
    Pattern<std::int32_t> pattern(300, 300, 4);
    const auto array = [](const Tensor& t) {
        const Array made = new_array(t.shape, t.dtype, default_pool());
        make_ready(made);
        std::memcpy(made.data(), t.data, static_cast<std::size_t>(made.nbytes()));
        return made;
    };
    const Array pointers = array(pattern.begins()), indices = array(pattern.places()), x = op("add", iota(300), iota(300));
    std::vector<double> ones(static_cast<std::size_t>(pattern.entries()), 1.0);
    const Array values = array(tensor(ones.data(), DType::float64, Dims{pattern.entries()}));
    Array made, summed;
    expect(is_sparse_pattern(pointers, indices, 300) && pending(x), "a pattern is looked at without what else is recorded");
    expect(sparse_product(pointers, indices, values, x, false, 300, made) && sparse_sums(pointers, values, summed), "both are recorded");
    assign(values, Scalar::of(0.0));
    expect(pending(made) && pending(summed) && pending(x), "nothing has run");
    double sum = 0;
    for (auto entry = static_cast<std::size_t>(pattern.pointers[7]); entry < static_cast<std::size_t>(pattern.pointers[8]); ++entry) sum += 2.0 * pattern.indices[entry];
    expect(at(made, 7) == sum && at(summed, 7) == pattern.pointers[8] - pattern.pointers[7], "they see the values of before");
    expect(!sparse_product(pointers, indices, values, cast(x, DType::float32), false, 300, made), "other dtypes are refused");
    expect(!sparse_product(cast(pointers, DType::int64), indices, values, x, false, 300, made), "so are pointers of another dtype than the indices");
    set_eager_size(4096);
}

}  // namespace

int main() {
    products_are_recorded();
    for (const int threads : {1, 4}) {
        cpu::oversubscribe(threads);
        for (const std::int64_t lines : {1, 5, 3000}) {
            products<double, std::int32_t>(lines, 70, 40);
            products<float, std::int64_t>(lines, 70, 5);
            products<std::complex<float>, std::int32_t>(lines, 7, 5);
            products<std::int8_t, std::int64_t>(lines, 7, 5);
            sums<std::int32_t>(lines, 40);
            sums<std::int64_t>(lines, 5);
        }
        bad_patterns<std::int32_t>(2000, 50);
        bad_patterns<std::int64_t>(30, 3);
    }
    return 0;
}
