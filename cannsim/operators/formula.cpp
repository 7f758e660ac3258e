// The tiles of elementwise operators of one formula: operands of any dtype and layout, brought to the formula's and back.
#include "operators/formula.hpp"

#include <algorithm>
#include <cstddef>

namespace cannsim {
namespace {

constexpr std::int64_t formula_tile = 512;
constexpr std::size_t widest = 16;  // bytes of an element

struct Operand {
    Cursor cursor;
    Loop convert;  // from what is stored to the formula's dtype, or back
};

void run_tiles(std::vector<Operand> reading, std::vector<Operand> writing, std::int64_t first, std::int64_t last, const TileFunction& f) {
    struct alignas(64) Tile {
        std::byte bytes[formula_tile * widest];
    };
    std::vector<Tile> memory(reading.size() + writing.size() + 1);
    std::byte* const raw = memory.back().bytes;
    std::vector<void*> to;
    std::vector<const void*> from;
    for (std::size_t k = 0; k < reading.size(); ++k) from.push_back(memory[k].bytes);
    for (std::size_t m = 0; m < writing.size(); ++m) to.push_back(memory[reading.size() + m].bytes);
    for (Operand& operand : reading)
        if (!operand.cursor.is_contiguous() && !operand.cursor.is_splat()) operand.cursor.seek(first);
    for (Operand& operand : writing)
        if (!operand.cursor.is_contiguous()) operand.cursor.seek(first);
    for (std::int64_t start = first; start < last; start += formula_tile) {
        const std::int64_t n = std::min(formula_tile, last - start);
        for (std::size_t k = 0; k < reading.size(); ++k) {
            Cursor& cursor = reading[k].cursor;
            if (!cursor.is_contiguous()) cursor.gather(raw, n);
            const void* const stored = cursor.is_contiguous() ? cursor.at(start) : raw;
            void* const wide = memory[k].bytes;
            reading[k].convert(&wide, &stored, static_cast<std::size_t>(n));
        }
        f(to.data(), from.data(), n);
        for (std::size_t m = 0; m < writing.size(); ++m) {
            Cursor& cursor = writing[m].cursor;
            const void* const wide = to[m];
            void* const stored = cursor.is_contiguous() ? cursor.at(start) : raw;
            writing[m].convert(&stored, &wide, static_cast<std::size_t>(n));
            if (!cursor.is_contiguous()) cursor.scatter(raw, n);
        }
    }
}

}  // namespace

void apply_tiles(std::span<const Array> ins, std::span<const Array> outs, DType inner, const TileFunction& f) {
    const std::int64_t size = outs[0].size();
    if (size == 0) return;
    std::vector<Operand> reading, writing;
    for (const Array& in : ins) reading.push_back({Cursor(broadcast_to(in, outs[0].shape)), converter(in.dtype, inner)});
    for (const Array& out : outs) writing.push_back({Cursor(out), converter(inner, out.dtype)});
    parallel(size, 512, std::int64_t{1} << 15, [&](std::int64_t first, std::int64_t last) { run_tiles(reading, writing, first, last, f); });
}

Work tiles(std::vector<Tensor> ins, std::vector<Tensor> outs, DType inner, TileFunction f, std::optional<double> last) {
    Work work;
    work.elementwise = true;
    work.operations = static_cast<double>(outs[0].size()) * 4;
    work.compute = [ins = std::move(ins), outs = std::move(outs), inner, f = std::move(f), last](const Run& run) {
        std::vector<Array> from, to;
        for (const Tensor& in : ins) from.push_back(run[in]);
        for (const Tensor& out : outs) to.push_back(run[out]);
        double number = last.value_or(0);
        if (last) from.push_back({reinterpret_cast<std::byte*>(&number), DType::float64, {}, {}});
        apply_tiles(from, to, inner, f);
    };
    return work;
}

Dims joined_shape(const Call& call, std::span<const Tensor> tensors) {
    Dims shape;
    for (const Tensor& tensor : tensors) {
        Tensor so_far = tensor;
        so_far.view.shape = shape;
        shape = call.broadcast({&so_far, &tensor});
    }
    return shape;
}

DType promoted(const Call& call, std::span<const Tensor> tensors) {
    DType dtype = tensors[0].dtype;
    for (const Tensor& tensor : tensors) dtype = call.promote(dtype, tensor.dtype, tensor.name);
    return dtype;
}

void expect_results(const Call& call, std::span<const Tensor> ins, std::span<const Tensor> outs, DType result) {
    const Dims shape = joined_shape(call, ins);
    for (const Tensor& out : outs) {
        call.expect_shape(out, shape);
        call.expect_castable(result, out);
    }
}

Work expression(const Call& call, std::span<const Tensor> ins, const Tensor& out, DType inner, const ExprFunction& f) {
    Pipeline p(call);
    std::vector<Expr> values;
    for (const Tensor& in : ins) values.push_back({&p, p.in(in, inner)});
    p.out(f(values.data()).value, out);
    return p.work();
}

double number(const Call& call, std::string_view name) {
    const int parameter = call.index(name);
    const Kind kind = call.params[static_cast<std::size_t>(parameter)].kind;
    if (kind == Kind::scalar) return call.given(name) ? call.real(name) : 1;
    return kind == Kind::real ? call.argument(parameter).real : static_cast<double>(call.argument(parameter).integer);
}

Tensor first_output(const Call& call) {
    for (const Direction wanted : {Direction::out, Direction::inout})
        for (int i = 0; i < static_cast<int>(call.params.size()); ++i)
            if (const Parameter& param = call.params[static_cast<std::size_t>(i)]; param.kind == Kind::tensor && param.direction == wanted) return call.tensor_at(i);
    call.refuse(call.facts.name, "an output", ACLNN_ERR_INNER);
}

namespace {

Given given_first(const Call& call, std::size_t tensors, std::span<const char* const> names, void (*expect)(const Call&, const Tensor&)) {
    Given given{};
    for (int i = 0; i < static_cast<int>(call.params.size()) && given.ins.size() < tensors; ++i)
        if (const Parameter& param = call.params[static_cast<std::size_t>(i)]; param.kind == Kind::tensor && param.direction != Direction::out)
            given.ins.push_back(call.tensor_at(i));
    for (const Tensor& tensor : given.ins) expect(call, tensor);
    given.dtype = promoted(call, given.ins);
    for (const char* const name : names) given.numbers.push_back(number(call, name));
    given.floating = asnumpy::is_float(given.dtype);
    return given;
}

}  // namespace

Given given_reals(const Call& call, std::size_t tensors, std::span<const char* const> names) { return given_first(call, tensors, names, expect_floats); }

Given given_numbers(const Call& call, std::size_t tensors, std::span<const char* const> names) {
    Given given = given_first(call, tensors, names, [](const Call& all, const Tensor& tensor) {
        all.expect(!asnumpy::is_complex(tensor.dtype), tensor.name, text("real numbers, got ", asnumpy::name(tensor.dtype)));
    });
    for (const double value : given.numbers) given.floating = given.floating || value != std::trunc(value);
    return given;
}

}  // namespace cannsim
