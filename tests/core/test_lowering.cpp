// Every loop that the Ascend backend computes, on the simulator, beside the CPU's kernels: edge values, layouts, scalars, in place.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ascend/lower/lowering.hpp"
#include "ascend/lower/term.hpp"
#include "ascend_device.hpp"
#include "ascend_values.hpp"
#include "base/error.hpp"
#include "cann/operators.hpp"
#include "kernels/kernels.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;
using ascend::Emitter;

namespace {

int failures = 0;
std::map<std::string, int> shown;

void fail(const std::string& where, const std::string& what) {
    ++failures;
    if (++shown[where] <= 3) std::fprintf(stderr, "failed: %s: %s\n", where.c_str(), what.c_str());
}

std::string title(const Row& r, const Signature& s) {
    std::string text = std::string(r.name) + "(";
    for (std::size_t i = 0; i < s.nin; ++i) text += std::string(i ? ", " : "") + std::string(name(s.in[i]));
    return text + ") -> " + std::string(name(s.out[0]));
}

// Units in the last place by which a device may differ from the CPU's kernels: none where the row is exact.
double allowed(std::string_view row, DType d) {
    static const std::set<std::string_view> rounded{
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "logaddexp2", "erf", "erfc", "sin", "cos", "tan", "arcsin", "arccos",
        "arctan", "arctan2", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "cbrt", "power", "float_power"};
    if (row.starts_with("logaddexp")) return 512;  // close to zero its terms take each other away
    if (rounded.contains(row)) return 8;
    if (row == "hypot" || (is_complex(d) && (row == "multiply" || row == "square" || row == "divide" || row == "reciprocal")) || row == "absolute" || row == "sign")
        return is_float(d) || is_complex(d) ? 2 : 0;
    // Of zeros of both signs NumPy's float16 takes the first, CANN another one.
    if (d == DType::float16 && (row == "maximum" || row == "minimum" || row == "fmax" || row == "fmin")) return 0.5;
    return 0;
}

// The elements `index` of a list, one after the other.
Bytes picked(const Bytes& list, DType d, const std::vector<std::size_t>& index) {
    const std::size_t item = itemsize(d);
    Bytes result(index.size() * item);
    for (std::size_t i = 0; i < index.size(); ++i) std::memcpy(result.data() + i * item, list.data() + index[i] * item, item);
    return result;
}

struct Case {
    RowId id;
    int loop;
    const Row& r;
    const Signature& s;
    const ascend::Lowering& lowering;
    std::vector<Bytes> in;        // n contiguous elements of each input
    std::vector<Bytes> expected;  // of each output
    std::size_t n;
};

void expect_values(const Case& c, const std::vector<Bytes>& got, const char* layout) {
    for (std::size_t k = 0; k < c.s.nout; ++k) {
        const DType d = c.s.out[k];
        for (std::size_t i = 0; i < c.n; ++i) {
            const std::byte* const want = c.expected[k].data() + i * itemsize(d);
            const std::byte* const have = got[k].data() + i * itemsize(d);
            if (close(want, have, d, allowed(c.r.name, c.s.in[0]))) continue;
            std::string text = std::string(layout) + ": ";
            for (std::size_t j = 0; j < c.s.nin; ++j) text += show(c.in[j].data() + i * itemsize(c.s.in[j]), c.s.in[j]) + " ";
            fail(title(c.r, c.s), text + "gives " + show(have, d) + ", expected " + show(want, d));
        }
    }
}

// The kernels' results; the inputs are as long as each other.
void compute_expected(Case& c) {
    c.expected.clear();
    void* out[2];
    const void* in[3];
    for (std::size_t k = 0; k < c.s.nout; ++k) c.expected.emplace_back(c.n * itemsize(c.s.out[k]));
    for (std::size_t k = 0; k < c.s.nout; ++k) out[k] = c.expected[k].data();
    for (std::size_t k = 0; k < c.s.nin; ++k) in[k] = c.in[k].data();
    cpu::loop(c.id, c.loop)(out, in, c.n);
}

void contiguous_layout(TestDevice& device, const Case& c) {
    std::vector<Tensor> in, out;
    for (std::size_t k = 0; k < c.s.nin; ++k) in.push_back(device.upload(c.in[k], c.s.in[k], Dims{static_cast<std::int64_t>(c.n)}));
    for (std::size_t k = 0; k < c.s.nout; ++k) out.push_back(device.empty(c.s.out[k], Dims{static_cast<std::int64_t>(c.n)}));
    device.launch([&](Emitter& e) { c.lowering.run(e, in, out); });
    std::vector<Bytes> got;
    for (const Tensor& t : out) got.push_back(device.download(t));
    expect_values(c, got, "contiguous");
}

// Every second column of a matrix with more columns, outputs likewise.
void strided_layout(TestDevice& device, const Case& c) {
    const std::size_t rows_ = 3, columns = c.n / rows_;
    if (columns == 0) return;
    const std::size_t n = rows_ * columns;
    const Dims shape{static_cast<std::int64_t>(rows_), static_cast<std::int64_t>(columns)};
    const auto spread = [&](Tensor t) {
        const auto item = static_cast<std::int64_t>(itemsize(t.dtype));
        t.shape = shape;
        t.strides = Dims{static_cast<std::int64_t>(columns) * 2 * item + item, 2 * item};
        return t;
    };
    std::vector<Tensor> in, out;
    for (std::size_t k = 0; k < c.s.nin; ++k) {
        const std::size_t item = itemsize(c.s.in[k]);
        Bytes wide(rows_ * (2 * columns + 1) * item);
        for (std::size_t i = 0; i < n; ++i)
            std::memcpy(wide.data() + (i / columns * (2 * columns + 1) + i % columns * 2) * item, c.in[k].data() + i * item, item);
        in.push_back(spread(device.upload(wide, c.s.in[k], Dims{static_cast<std::int64_t>(wide.size() / item)})));
    }
    for (std::size_t k = 0; k < c.s.nout; ++k)
        out.push_back(spread(device.empty(c.s.out[k], Dims{static_cast<std::int64_t>(rows_ * (2 * columns + 1))})));
    device.launch([&](Emitter& e) { c.lowering.run(e, in, out); });
    Case part = c;
    part.n = n;
    std::vector<Bytes> got;
    for (const Tensor& t : out) got.push_back(device.download(t));
    expect_values(part, got, "strided");
}

void in_place_layout(TestDevice& device, const Case& c) {
    for (std::size_t k = 0; k < c.s.nin; ++k) {
        for (std::size_t j = 0; j < c.s.nout; ++j) {
            if (c.s.in[k] != c.s.out[j]) continue;
            std::vector<Tensor> in, out;
            for (std::size_t i = 0; i < c.s.nin; ++i) in.push_back(device.upload(c.in[i], c.s.in[i], Dims{static_cast<std::int64_t>(c.n)}));
            for (std::size_t i = 0; i < c.s.nout; ++i) out.push_back(i == j ? in[k] : device.empty(c.s.out[i], Dims{static_cast<std::int64_t>(c.n)}));
            device.launch([&](Emitter& e) { c.lowering.run(e, in, out); });
            std::vector<Bytes> got;
            for (const Tensor& t : out) got.push_back(device.download(t));
            expect_values(c, got, "in place");
        }
    }
}

// One operand the same everywhere: a number that the host knows, or a stride of 0.
void scalar_layouts(TestDevice& device, const Case& c, const std::vector<Bytes>& lists) {
    const auto last = c.s.nin - 1u;
    for (std::size_t fixed = 0; fixed < c.s.nin; ++fixed) {
        if (fixed == 0 && c.s.nin == 3) continue;
        const DType d = c.s.in[fixed];
        const std::size_t item = itemsize(d), count = std::min<std::size_t>(lists[fixed].size() / item, 24);
        for (std::size_t choice = 0; choice < count; ++choice) {
            Case one = c;
            const std::size_t size = lists[fixed == 0 ? last : 0].size() / itemsize(c.s.in[fixed == 0 ? last : 0]);
            one.n = size;
            for (std::size_t k = 0; k < c.s.nin; ++k) {
                std::vector<std::size_t> index(size);
                const std::size_t length = lists[k].size() / itemsize(c.s.in[k]);
                for (std::size_t i = 0; i < size; ++i) index[i] = k == fixed ? choice : i % length;
                one.in[k] = picked(lists[k], c.s.in[k], index);
            }
            compute_expected(one);
            for (const bool known : {true, false}) {
                if (!known && choice % 6) continue;
                std::vector<Tensor> in, out;
                for (std::size_t k = 0; k < c.s.nin; ++k) in.push_back(device.upload(one.in[k], c.s.in[k], Dims{static_cast<std::int64_t>(size)}));
                in[fixed].strides[0] = 0;
                for (std::size_t k = 0; k < c.s.nout; ++k) out.push_back(device.empty(c.s.out[k], Dims{static_cast<std::int64_t>(size)}));
                device.launch([&](Emitter& e) {
                    if (known) {
                        Scalar value;
                        value.dtype = d;
                        std::memcpy(value.bytes.data(), one.in[fixed].data(), item);
                        in[fixed] = e.constant(value);
                    }
                    one.lowering.run(e, in, out);
                });
                std::vector<Bytes> got;
                for (const Tensor& t : out) got.push_back(device.download(t));
                expect_values(one, got, known ? "scalar" : "broadcast");
            }
        }
    }
}

void check_loop(TestDevice& device, RowId id, int loop) {
    const Row& r = row(id);
    const Signature& s = r.loops[static_cast<std::size_t>(loop)];
    const ascend::Lowering* const lowering = ascend::elementwise(id, loop);
    if (!lowering) return;
    std::vector<Bytes> lists;
    for (std::size_t k = 0; k < s.nin; ++k) lists.push_back(edge_values(r, s, k));
    Case c{id, loop, r, s, *lowering, {}, {}, 1};
    std::vector<std::size_t> lengths;
    for (std::size_t k = 0; k < s.nin; ++k) {
        lengths.push_back(lists[k].size() / itemsize(s.in[k]));
        c.n *= lengths.back();
    }
    for (std::size_t k = 0, step = 1; k < s.nin; step *= lengths[k++]) {  // all combinations
        std::vector<std::size_t> index(c.n);
        for (std::size_t i = 0; i < c.n; ++i) index[i] = i / step % lengths[k];
        c.in.push_back(picked(lists[k], s.in[k], index));
    }
    compute_expected(c);
    contiguous_layout(device, c);
    strided_layout(device, c);
    in_place_layout(device, c);
    if (s.nin > 1) scalar_layouts(device, c, lists);
    device.clear();
}

// Each call string names an operator and gives as many arguments as it has parameters.
void check_call_strings() {
    for (const Row& r : rows()) {
        const ascend::RowCalls& calls = ascend::calls_of(r.name);
        for (const std::string_view text : {calls.elementwise, calls.scalar_last, calls.scalar_first, calls.reduce, calls.scan}) {
            if (text.empty()) continue;
            const ascend::CallString call = ascend::parse_call(text);
            const int found = cann::find_operator(call.op);
            if (found < 0) fail(std::string(r.name), std::string(call.op) + " is not among CANN's operators");
            else if (cann::operators()[static_cast<std::size_t>(found)].count != call.arguments.size()) fail(std::string(r.name), "number of arguments of '" + std::string(text) + "'");
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    setenv("ASNUMPY_CANN", CANNSIM_FOLDER, 0);
    setenv("CANNSIM_STRICT", "abort", 0);
    check_call_strings();
    TestDevice device;
    const std::string only = argc > 1 ? argv[1] : "";
    int loops = 0;
    for (std::size_t id = 0; id < rows().size(); ++id) {
        if (!only.empty() && rows()[id].name != only) continue;
        for (std::size_t loop = 0; loop < rows()[id].loops.size(); ++loop) {
            try {
                check_loop(device, static_cast<RowId>(id), static_cast<int>(loop));
                ++loops;
            } catch (const std::exception& error) {
                fail(title(rows()[id], rows()[id].loops[loop]), error.what());
            }
        }
    }
    std::printf("%d loops, %d failures in %zu of them\n", loops, failures, shown.size());
    return failures == 0 ? 0 : 1;
}
