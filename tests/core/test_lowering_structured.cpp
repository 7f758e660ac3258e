// Reductions and structured operations of the Ascend backend, on the simulator, beside the CPU backend.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "ascend/lower/lowering.hpp"
#include "ascend_device.hpp"
#include "ascend_values.hpp"
#include "base/error.hpp"
#include "cpu/backend.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;
using ascend::Path;

namespace {

int failures = 0, checks = 0;
std::map<std::string, int> shown;
std::mt19937 randomness(7);

void fail(const std::string& where, const std::string& what) {
    ++failures;
    if (++shown[where] <= 3) std::fprintf(stderr, "failed: %s: %s\n", where.c_str(), what.c_str());
}

// An array of the host and, with the same layout, of the device.
struct Both {
    Bytes memory;
    Tensor host, device;
};

enum class Layout { contiguous, transposed, stepped };

Tensor laid_out(DType d, const Dims& shape, Layout layout, std::size_t& bytes) {
    const auto item = static_cast<std::int64_t>(itemsize(d));
    Tensor t{nullptr, d, shape, Dims(shape.size())};
    std::int64_t stride = layout == Layout::stepped ? 2 * item : item;
    for (int i = 0; i < shape.size(); ++i) {
        const int axis = layout == Layout::transposed ? i : shape.size() - 1 - i;
        t.strides[axis] = stride;
        stride *= shape[axis];
    }
    bytes = static_cast<std::size_t>(std::max(stride, item));
    return t;
}

Both filled(TestDevice& device, DType d, const Dims& shape, Layout layout, const Bytes& values) {
    Both both;
    std::size_t bytes;
    both.host = laid_out(d, shape, layout, bytes);
    both.memory.resize(bytes);
    const std::size_t item = itemsize(d), count = values.size() / item;
    for (std::size_t at = 0; at < bytes; at += item) std::memcpy(both.memory.data() + at, values.data() + randomness() % count * item, item);
    both.device = both.host;
    both.device.data = device.upload(both.memory, d, Dims{static_cast<std::int64_t>(bytes / item)}).data;
    return both;
}
void attach(Both& both) { both.host.data = reinterpret_cast<char*>(both.memory.data()); }

Bytes elements(const Tensor& t, const std::byte* memory) {
    const std::size_t item = itemsize(t.dtype);
    Bytes result(static_cast<std::size_t>(count(t.shape)) * item);
    std::vector<std::int64_t> index(static_cast<std::size_t>(t.shape.size()), 0);
    for (std::size_t to = 0; to < result.size(); to += item) {
        std::int64_t from = 0;
        for (int axis = 0; axis < t.shape.size(); ++axis) from += index[static_cast<std::size_t>(axis)] * t.strides[axis];
        std::memcpy(result.data() + to, memory + from, item);
        for (int axis = t.shape.size() - 1; axis >= 0 && ++index[static_cast<std::size_t>(axis)] == t.shape[axis]; --axis) index[static_cast<std::size_t>(axis)] = 0;
    }
    return result;
}

bool any_nan(const std::byte* value, DType d) {
    return dispatch(d, [&]<class T>() {
        T x;
        std::memcpy(static_cast<void*>(&x), value, sizeof(T));
        if constexpr (is_complex_v<T>) return x.real() != x.real() || x.imag() != x.imag();
        else return false;
    });
}

// `scale`: differences that do not count; below zero: of several complex NaNs each may be the result.
void compare(const std::string& where, Both& out, TestDevice& device, double places, double scale = 0) {
    ++checks;
    const Bytes want = elements(out.host, out.memory.data()), have = device.download(out.device);
    const DType d = out.host.dtype;
    for (std::size_t at = 0; at < want.size(); at += itemsize(d)) {
        if (close(want.data() + at, have.data() + at, d, places)) continue;
        if (scale < 0 && any_nan(want.data() + at, d) && any_nan(have.data() + at, d)) continue;
        const auto number = [d](const std::byte* value) {
            return dispatch(d, [&]<class T>() -> double {
                T x;
                std::memcpy(static_cast<void*>(&x), value, sizeof(T));
                if constexpr (is_narrow_v<T> || is_complex_v<T>) return 0;
                else return static_cast<double>(static_cast<std::conditional_t<is_half_v<T>, float, T>>(x));
            });
        };
        if (scale > 0 && std::fabs(number(want.data() + at) - number(have.data() + at)) <= scale && !is_complex(d)) continue;
        fail(where, "element " + std::to_string(at / itemsize(d)) + " of " + to_string(out.host.shape) + " is " + show(have.data() + at, d) + ", expected " + show(want.data() + at, d));
    }
}

// Values among which sums and products stay finite.
Bytes tame(DType d) {
    Bytes bytes;
    dispatch(d, [&]<class T>() {
        for (const double v : {0.0, 1.0, 2.0, 3.0, 1.5, 0.5, 1.0, 2.25}) {
            if constexpr (is_narrow_v<T>) {
                Bytes one(sizeof(T), static_cast<std::byte>(static_cast<int>(v)));
                bytes.insert(bytes.end(), one.begin(), one.end());
            } else if constexpr (is_half_v<T>) append(bytes, T(static_cast<float>(v)));
            else if constexpr (is_complex_v<T>) append(bytes, T(static_cast<typename T::value_type>(v), static_cast<typename T::value_type>(1 - v)));
            else append(bytes, static_cast<T>(v));
        }
    });
    return bytes;
}
Bytes edges(DType d) { return edge_values(row(find_row("add")), Signature{2, 1, {d, d}, {d}}, 0); }
bool inexact(DType d) { return is_float(d) || is_complex(d); }

// --- reductions ---

void check_reduction(TestDevice& device, RowId id, int loop) {
    const Row& r = row(id);
    const DType d = r.loops[static_cast<std::size_t>(loop)].in[0];
    const ascend::Folding* const folding = ascend::reduction(id, loop);
    if (!folding) return;
    Program program;
    program.inputs = {d};
    program.reductions.push_back({0, id, static_cast<std::uint16_t>(loop)});
    const auto reference = cpu::cpu_backend().compile(program);
    const bool sums = r.name == "add" || r.name == "multiply" || r.name == "hypot" || r.name.starts_with("logaddexp");
    const bool orderly = sums && inexact(d);
    const bool overflows = r.name == "lcm";  // then the order decides
    const Bytes values = orderly || overflows ? tame(d) : edges(d);
    const bool chooses = r.name.ends_with("max") || r.name.ends_with("maximum") || r.name.ends_with("min") || r.name.ends_with("minimum");  // among zeros of both signs
    for (const Dims& shape : {Dims{3, 5, 4}, Dims{1, 7, 2}, Dims{2, 1, 3}}) {
        for (std::uint64_t reduced = 1; reduced < 8; ++reduced) {
            for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::stepped}) {
                Both in = filled(device, d, shape, layout, values);
                Dims kept;
                for (int axis = 0; axis < 3; ++axis) kept.push_back(reduced >> axis & 1 ? 1 : shape[axis]);
                Both out = filled(device, d, kept, layout == Layout::stepped ? Layout::stepped : Layout::contiguous, values);
                attach(in);
                attach(out);
                const auto as_output = [&](Tensor t) {
                    t.shape = shape;
                    for (int axis = 0; axis < 3; ++axis)
                        if (reduced >> axis & 1) t.strides[axis] = 0;
                    return t;
                };
                Launch launch;
                launch.shape = shape;
                launch.reduced = reduced;
                launch.operands = {{in.host.data, in.host.strides}, {out.host.data, as_output(out.host).strides}};
                reference->run(launch);
                device.launch([&](ascend::Emitter& e) { folding->run(e, in.device, reduced, as_output(out.device)); });
                compare("reduce " + std::string(r.name) + " of " + std::string(name(d)), out, device, orderly ? 32 : chooses ? 1 : 0, chooses ? -1 : 0);
                device.clear();
            }
        }
    }
}

// --- structured operations ---

void check_call(TestDevice& device, const std::string& where, StructuredCall call, std::vector<Both>& in, Both& out, double places, double scale = 0) {
    for (Both& one : in) {
        attach(one);
        call.in.push_back(one.host);
    }
    attach(out);
    call.out = {out.host};
    if (ascend::explain(call).path == Path::host) return device.clear();
    cpu::cpu_backend().run(call);
    for (std::size_t k = 0; k < in.size(); ++k) {
        const std::ptrdiff_t shift = in[k].host.data - reinterpret_cast<char*>(in[k].memory.data());
        call.in[k] = in[k].host;
        call.in[k].data = in[k].device.data + shift;
    }
    call.out = {out.device};
    ascend::pool(0).backend().run(call);
    compare(where, out, device, places, scale);
    device.clear();
}

void broadcast_batch(Both& b) {
    b.host.strides[0] = b.device.strides[0] = 0;
}

void check_products(TestDevice& device, DType d) {
    struct Shapes { Dims a, b, out; };
    const std::vector<Shapes> all{
        {{3, 4}, {4, 5}, {3, 5}}, {{1, 300}, {300, 2}, {1, 2}}, {{2, 3, 4}, {2, 4, 5}, {2, 3, 5}}, {{3, 0}, {0, 2}, {3, 2}},
        {{2, 2, 3, 4}, {2, 2, 4, 3}, {2, 2, 3, 3}}, {{2, 1, 2, 1, 2, 3, 4}, {2, 1, 2, 1, 2, 4, 2}, {2, 1, 2, 1, 2, 3, 2}}};
    const bool floats = inexact(d);
    for (const Shapes& shapes : all)
        for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::stepped})
            for (const bool batch_broadcast : {false, true})
                for (const std::int64_t option : {0, 1}) {
                    if (batch_broadcast && shapes.a.size() != 3) continue;
                    if (option && (d != DType::float32 && d != DType::complex64)) continue;
                    std::vector<Both> in;
                    in.push_back(filled(device, d, shapes.a, layout, floats ? tame(d) : edges(d)));
                    in.push_back(filled(device, d, shapes.b, layout == Layout::transposed ? Layout::contiguous : layout, floats ? tame(d) : edges(d)));
                    if (batch_broadcast) broadcast_batch(in[1]);
                    Both out = filled(device, d, shapes.out, option ? Layout::contiguous : layout, tame(d));
                    StructuredCall call;
                    call.row = find_row("matmul");
                    call.option = option;
                    check_call(device, "matmul of " + std::string(name(d)), call, in, out, floats ? 16 : 0, is_half(d) ? 4 : 1e-3);
                }
}

// n * (a @ b) + m * c, beside the CPU's product and the sum in float64.
void check_products_with_term(TestDevice& device, DType d) {
    struct Shapes { Dims a, b, out; };
    const std::vector<Shapes> all{{{3, 4}, {4, 5}, {3, 5}}, {{2, 3, 4}, {2, 4, 5}, {2, 3, 5}}, {{2, 2, 3, 4}, {2, 2, 4, 3}, {2, 2, 3, 3}}};
    for (const Shapes& shapes : all)
        for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::stepped})
            for (const bool same_matrix : {false, true})  // for the whole batch
                for (const std::uint64_t still : {0u, 1u, 3u, 7u})  // axes along which c is broadcast
                    for (const std::array<double, 2> numbers : {std::array{1.0, 1.0}, {1.0, -1.0}, {-0.5, 2.0}}) {
                        std::vector<Both> in;
                        in.push_back(filled(device, d, shapes.a, layout, tame(d)));
                        in.push_back(filled(device, d, shapes.b, Layout::contiguous, tame(d)));
                        in.push_back(filled(device, d, shapes.out, layout, tame(d)));
                        for (int axis = 0; same_matrix && axis + 2 < shapes.b.size(); ++axis) in[1].host.strides[axis] = in[1].device.strides[axis] = 0;
                        for (int axis = 0; axis < shapes.out.size(); ++axis)
                            if (still >> axis & 1) in[2].host.strides[axis] = in[2].device.strides[axis] = 0;
                        Both out = filled(device, d, shapes.out, Layout::contiguous, tame(d));
                        for (Both& one : in) attach(one);
                        attach(out);
                        StructuredCall call;
                        call.row = find_row("matmul");
                        call.in = {in[0].host, in[1].host};
                        call.out = {out.host};
                        cpu::cpu_backend().run(call);
                        const Bytes term = elements(in[2].host, in[2].memory.data());
                        dispatch(d, [&]<class T>() {
                            if constexpr (is_half_v<T> || std::is_same_v<T, float>)
                                for (std::size_t at = 0; at < out.memory.size(); at += sizeof(T)) {
                                    T product, c;
                                    std::memcpy(&product, out.memory.data() + at, sizeof(T));
                                    std::memcpy(&c, term.data() + at, sizeof(T));
                                    const T sum(static_cast<float>(numbers[0] * static_cast<float>(product) + numbers[1] * static_cast<float>(c)));
                                    std::memcpy(out.memory.data() + at, &sum, sizeof(T));
                                }
                        });
                        call.option = 2;
                        call.numbers = numbers;
                        call.in = {in[0].device, in[1].device, in[2].device};
                        call.out = {out.device};
                        if (!ascend::pool(0).backend().offers(call)) fail("matmul", "is not offered with a term for " + std::string(name(d)));
                        ascend::pool(0).backend().run(call);
                        compare("matmul with a term of " + std::string(name(d)), out, device, 16, is_half(d) ? 4 : 1e-3);
                        device.clear();
                    }
}

void check_scans(TestDevice& device, DType d) {
    for (const char* op : {"add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or",
                           "bitwise_xor", "gcd", "lcm", "logaddexp"}) {
        const bool sums = std::string(op) == "add" || std::string(op) == "multiply" || std::string(op) == "logaddexp";
        const RowId id = find_row(op);
        if (find_loop(id, Signature{2, 1, {d, d}, {d}}) < 0) continue;
        for (const Dims& shape : {Dims{3, 6, 4}, Dims{7}, Dims{1, 2}})
            for (int axis = 0; axis < shape.size(); ++axis)
                for (const Layout layout : {Layout::contiguous, Layout::transposed}) {
                    std::vector<Both> in;
                    in.push_back(filled(device, d, shape, layout, (sums && inexact(d)) || std::string(op) == "lcm" ? tame(d) : edges(d)));
                    Both out = filled(device, d, shape, Layout::contiguous, tame(d));
                    StructuredCall call;
                    call.row = find_row("scan");
                    call.op = id;
                    call.axis = axis;
                    check_call(device, std::string(op) + " scan of " + std::string(name(d)), call, in, out, sums && inexact(d) ? 32 : 0, is_half(d) && sums ? 0.5 : 0);
                }
    }
}

void check_places(TestDevice& device, DType d) {
    for (const char* which : {"argmax", "argmin"})
        for (int axis = 0; axis < 3; ++axis)
            for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::stepped}) {
                const Dims shape{4, 6, 5};
                std::vector<Both> in;
                in.push_back(filled(device, d, shape, layout, axis == 1 ? tame(d) : edges(d)));
                Dims kept;
                for (int i = 0; i < 3; ++i)
                    if (i != axis) kept.push_back(shape[i]);
                Both out = filled(device, DType::int64, kept, Layout::contiguous, tame(DType::int64));
                StructuredCall call;
                call.row = find_row(which);
                call.axis = axis;
                check_call(device, std::string(which) + " of " + std::string(name(d)), call, in, out, 0);
            }
}

Bytes numbers(std::int64_t low, std::int64_t high) {
    Bytes bytes;
    for (std::int64_t i = low; i < high; ++i) append(bytes, i);
    return bytes;
}

void check_moves(TestDevice& device, DType d) {
    const Bytes values = is_narrow(d) ? tame(d) : edges(d);
    for (int axis = 0; axis < 2; ++axis)
        for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::stepped})
            for (const std::int64_t n : {1, 9}) {
                const Dims whole{5, 4};
                Dims part = whole;
                part[axis] = n;
                const std::int64_t length = whole[axis];
                for (const char* which : {"take", "scatter"}) {
                    const bool take = which[0] == 't';
                    std::vector<Both> in;
                    in.push_back(filled(device, d, take ? whole : part, layout, values));
                    in.push_back(filled(device, DType::int64, Dims{n}, layout == Layout::stepped ? layout : Layout::contiguous, numbers(-length, length)));
                    Both out = filled(device, d, take ? part : whole, layout, values);
                    StructuredCall call;
                    call.row = find_row(which);
                    call.axis = axis;
                    check_call(device, std::string(which) + " of " + std::string(name(d)), call, in, out, 0);
                }
            }
    for (const Layout layout : {Layout::contiguous, Layout::stepped}) {
        std::vector<Both> in;
        in.push_back(filled(device, d, Dims{40}, layout, values));
        in.push_back(filled(device, DType::boolean, Dims{40}, layout, edges(DType::boolean)));
        const Bytes mask = elements(in[1].host, in[1].memory.data());
        const auto found = std::ranges::count(mask, std::byte{1});
        Both out = filled(device, d, Dims{found}, layout, values);
        StructuredCall call;
        call.row = find_row("compress");
        check_call(device, "compress of " + std::string(name(d)), call, in, out, 0);
    }
}

void check_counts(TestDevice& device) {
    for (const Layout layout : {Layout::contiguous, Layout::stepped}) {
        std::vector<Both> mask;
        mask.push_back(filled(device, DType::boolean, Dims{50}, layout, edges(DType::boolean)));
        const auto found = std::ranges::count(elements(mask[0].host, mask[0].memory.data()), std::byte{1});
        Both places = filled(device, DType::int64, Dims{found}, layout, tame(DType::int64));
        StructuredCall call;
        call.row = find_row("flatnonzero");
        check_call(device, "flatnonzero", call, mask, places, 0);

        std::vector<Both> index;
        index.push_back(filled(device, DType::int64, Dims{70}, layout, numbers(0, 12)));
        Both counts = filled(device, DType::int64, Dims{12}, layout, tame(DType::int64));
        call.row = find_row("bincount");
        check_call(device, "bincount", call, index, counts, 0);

        for (const std::int64_t length : {11, 12, 13}) {
            std::vector<Both> candidates;
            candidates.push_back(filled(device, DType::int64, Dims{70}, layout, numbers(-12, 12)));
            Both inside = filled(device, DType::boolean, Dims{}, Layout::contiguous, edges(DType::boolean));
            call.row = find_row("in_range");
            call.option = length;
            check_call(device, "in_range", call, candidates, inside, 0);
        }
    }
}

void guarded(const std::string& what, const std::function<void()>& check) {
    try {
        check();
    } catch (const std::exception& error) {
        fail(what, error.what());
    }
}

}  // namespace

int main() {
    setenv("ASNUMPY_CANN", CANNSIM_FOLDER, 0);
    setenv("CANNSIM_STRICT", "abort", 0);
    TestDevice device;
    for (std::size_t id = 0; id < rows().size(); ++id)
        for (std::size_t loop = 0; loop < rows()[id].loops.size(); ++loop)
            if (rows()[id].reducible)
                guarded("reduce " + std::string(rows()[id].name) + " of " + std::string(name(rows()[id].loops[loop].in[0])),
                        [&] { check_reduction(device, static_cast<RowId>(id), static_cast<int>(loop)); });
    for (int i = 0; i < dtype_count; ++i) {
        const DType d = static_cast<DType>(i);
        const std::string of = " of " + std::string(name(d));
        if (!is_narrow(d)) {
            guarded("matmul" + of, [&] { check_products(device, d); });
            if (is_half(d) || d == DType::float32) guarded("matmul with a term" + of, [&] { check_products_with_term(device, d); });
            guarded("scan" + of, [&] { check_scans(device, d); });
            guarded("argmax" + of, [&] { check_places(device, d); });
        }
        guarded("moves" + of, [&] { check_moves(device, d); });
    }
    guarded("counts", [&] { check_counts(device); });
    std::printf("%d comparisons, %d failures in %zu of them\n", checks, failures, shown.size());
    return failures == 0 ? 0 : 1;
}
