// Devices whose memory the host cannot touch: copies, fusion, fallbacks, two devices in one queue.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "base/error.hpp"
#include "guarded.hpp"
#include "runtime/copies.hpp"
#include "runtime/fallback.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

Array on(int device, const Array& host) { return moved(host, guarded_pool(device)); }

double down(const Array& a, std::int64_t i) { return at(to_host(a), i); }

template <class E, class F> std::string message(F&& f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return {};
}

void names() {
    expect(parse_device("cpu") == Device{} && to_string(parse_device("ascend")) == "ascend:0", "names of devices");
    expect(parse_device("ascend:7").index == 7, "the index of a device");
    for (const char* wrong : {"", "gpu", "ascend:", "ascend:x", "ascend:-1", "ascend:1 ", "cpu:1", "ascendx"})
        expect(message<ValueError>([&] { parse_device(wrong); }).find("expected \"cpu\"") != std::string::npos, wrong);
}

void copies() {
    const Array host = iota(1000);
    const Array device = on(0, host);
    expect(!device.host_visible() && &device.pool() == &guarded_pool(0), "moved");
    expect(down(device, 999) == 999, "there and back");
    expect(down(slice(device, 10, 20), 3) == 13, "a part of it");
    Array steps = device;
    steps.view.shape[0] = 100;
    steps.view.strides[0] = 80;
    expect(down(steps, 7) == 70, "scattered elements are gathered first");
    Array reversed = device;
    reversed.view.offset = 999 * 8;
    reversed.view.strides[0] = -8;
    expect(down(reversed, 1) == 998, "backwards");
    Array wide = slice(device, 5, 6);
    wide.view = broadcast_to(wide.view, Dims{40});
    expect(down(wide, 39) == 5 && to_host(wide).buffer->bytes() == 8, "a broadcast view is one element");
    expect(down(on(1, device), 17) == 17 && down(on(1, steps), 17) == 170, "from device to device");
    expect(value_of(slice(device, 4, 5)).get<double>() == 4, "one value");
    upload(op("add", host, host), device);
    expect(down(device, 6) == 12, "upload in place");
    upload(slice(host, 0, 100), steps);
    expect(down(device, 990) == 99 && down(device, 991) == 1982, "upload to scattered elements");
}

void fused() {
    const Array a = on(0, iota(5000)), b = on(0, iota(5000, 1));
    Array t = op("multiply", a, b);
    for (int i = 0; i < 3; ++i) t = op("multiply", op("add", t, a), b);
    expect(explain(&t).text.find("program 1") == std::string::npos && explain(&t).text.find("7 instructions") != std::string::npos, "a chain is one program");
    double expected = 7 * 8;
    for (int i = 0; i < 3; ++i) expected = (expected + 7) * 8;
    expect(&t.pool() == &guarded_pool(0) && down(t, 7) == expected, "its value, on the device of its inputs");
    // Small arrays, too, are recorded, and in-place work keeps its order.
    const Array small = on(0, iota(10));
    assign(slice(small, 1, 10), slice(small, 0, 9));
    assign(slice(small, 0, 1), Scalar::of(9.0));
    expect(pending(small) && down(small, 0) == 9 && down(small, 9) == 8, "a small array");
    const RowId add = find_row("add");
    expect(value_of(reduce(add, find_loop(add, binary(DType::float64)), small, 1, false)).get<double>() == 45, "a sum");
}

void two_devices() {
    const Array here = iota(3000), zero = on(0, here), one = on(1, here);
    const Array x = op("add", zero, zero), y = op("multiply", one, one), z = op("add", here, here);
    const Array x2 = op("add", x, zero), y2 = op("add", y, one);
    const std::string text = explain(nullptr).text;
    expect(text.find("program 1") != std::string::npos && text.find("program 2") == std::string::npos, "one program for each device");
    expect(down(x2, 5) == 15 && down(y2, 5) == 30 && at(z, 5) == 10, "their values");
    for (const auto& [a, b] : {std::pair{zero, one}, std::pair{here, one}, std::pair{one, here}}) {
        const std::string error = message<ValueError>([&a = a, &b = b] { op("add", a, b); });
        expect(error.find("add: ") == 0 && error.find("ascend:1") != std::string::npos && error.find("to_device") != std::string::npos, "arrays of two devices");
    }
    Array number = iota(1, 4);
    number.view = View{};
    expect(down(op("add", one, number), 2) == 6 && down(op("multiply", number, zero), 2) == 8, "a 0-d array of the host is a number");
    expect(!message<ValueError>([&] { assign(here, zero); }).empty(), "assignment from another device");
    assign(zero, number);
    expect(down(zero, 9) == 4, "assignment of a number");
}

std::uint64_t counted(const char* function) {
    std::uint64_t n = 0;
    for (const Fallback& f : fallbacks())
        if (f.function == function) n += f.count;
    return n;
}

Array roots(const Array& a) {
    const RowId sqrt = find_row("sqrt");
    Signature s;
    s.nin = s.nout = 1;
    s.in[0] = s.out[0] = a.dtype;
    const Input in[]{a};
    return apply(sqrt, find_loop(sqrt, s), in)[0];
}

void falls_back() {
    forget_fallbacks();
    std::vector<std::string> said;
    set_host({nullptr, nullptr, [&said](const std::string& text) { said.push_back(text); }});
    const Array a = on(0, iota(2000)), squares = op("multiply", a, a);
    const Array b = op("add", roots(squares), a);
    expect(explain(&b).text.find("sqrt -> float64(2000,), on the host") != std::string::npos, "it stands alone");
    expect(down(b, 30) == 60 && counted("sqrt") == 1, "and has the right value");
    roots(squares);
    expect(counted("sqrt") == 2 && said.size() == 1, "counted each time, reported once");
    expect(fallbacks()[0].bytes == 2 * 32000 && fallbacks()[0].dtypes == "float64" && fallbacks()[0].device == "ascend:0", "with its bytes");

    const RowId multiply = find_row("multiply");
    Array grid = on(0, op("add", slice(iota(12), 0, 12), iota(12, 1)));  // 1 3 5 ... 23
    grid.view = contiguous(Dims{3, 4}, 8);
    const Array products = reduce(multiply, find_loop(multiply, binary(DType::float64)), grid, 1, false);
    expect(down(products, 0) == 1 * 9 * 17 && down(products, 3) == 7 * 15 * 23, "a reduction on the host");

    // A strided output: what lies between its elements stays.
    Array every = a;
    every.view.shape[0] = 1000;
    every.view.strides[0] = 16;
    const RowId sqrt = find_row("sqrt");
    Signature s;
    s.nin = s.nout = 1;
    s.in[0] = s.out[0] = DType::float64;
    const Input in[]{every};
    apply(sqrt, find_loop(sqrt, s), in, std::span(&every, 1));
    expect(down(a, 32) == std::sqrt(32.0) && down(a, 33) == 33, "in place, every other element");

    Array index = new_array(Dims{2}, DType::int64, cpu_pool());
    index.buffer->materialise();
    reinterpret_cast<std::int64_t*>(index.data())[0] = 5;
    reinterpret_cast<std::int64_t*>(index.data())[1] = -1;
    const Array places = on(0, index);
    scatter(a, places, on(0, iota(2, 100)), 0);
    expect(down(a, 5) == 100 && down(a, 1999) == 101 && down(a, 7) == 7 && counted("scatter") == 1, "scatter keeps what it does not write");
    expect(down(take(a, places, 0), 1) == 101 && counted("take") == 0, "take runs on the device");
    const Array beyond = on(0, index);
    assign(slice(beyond, 0, 1), Scalar::of(std::int64_t{2000}));
    expect(message<IndexError>([&] { take(a, beyond, 0); }).find("index 2000") != std::string::npos, "an index out of range");

    set_fallback_policy(FallbackPolicy::error);
    const std::string error = message<RuntimeFailure>([&] { roots(a); });
    expect(error.find("sqrt of float64 runs on the host, not on ascend:0") == 0, "an error where the user wants it");
    set_fallback_policy(FallbackPolicy::warn);
    set_host({});
}

void products_accumulate() {
    Array a = on(0, iota(10000)), b = on(0, iota(10000));
    a.view = contiguous(Dims{100, 100}, 8);
    b.view = contiguous(Dims{100, 100}, 8);
    const Array c = op("add", matmul(a, b), a);
    double expected = 3;
    for (int k = 0; k < 100; ++k) expected += k * (k * 100.0 + 3);
    expect(at(Array{to_host(c).buffer, View{0, Dims{10000}, Dims{8}}, c.dtype}, 3) == expected, "a @ b + c");
}

void draws_are_the_same() {
    const Stream stream{42, 0, 0};
    const RowId uniform = find_row("random_random");
    const Array here = new_array(Dims{500}, DType::float64, cpu_pool()), there = new_array(Dims{500}, DType::float64, guarded_pool(0));
    draw(uniform, stream, {}, here, 0);
    draw(uniform, stream, {}, there, 0);
    for (int i = 0; i < 500; ++i) expect(at(here, i) == down(there, i), "random numbers are those of every device");
}

}  // namespace

int main() {
    names();
    copies();
    fused();
    two_devices();
    falls_back();
    products_accumulate();
    draws_are_the_same();
    expect(pending_count() == 0, "nothing is left");
    expect(guarded_pool(0).figures().blocks == 0 && guarded_pool(1).figures().blocks == 0, "all memory has come back");
    std::puts("devices: ok");
}
