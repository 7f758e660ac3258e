// Structured operations of the Ascend backend, on the simulator, beside the CPU backend.
#include "beside_cpu.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;
using ascend::Path;

namespace {

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
        const bool chooses = d == DType::float16 && !sums;  // among zeros of both signs
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
                    check_call(device, std::string(op) + " scan of " + std::string(name(d)), call, in, out, sums && inexact(d) ? 32 : chooses ? 0.5 : 0, is_half(d) && sums ? 0.5 : 0);
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

}  // namespace

int main() {
    setenv("ASNUMPY_CANN", CANNSIM_FOLDER, 0);
    setenv("CANNSIM_STRICT", "abort", 0);
    TestDevice device;
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
    return verdict();
}
