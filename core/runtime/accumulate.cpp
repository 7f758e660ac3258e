// The rewrite happens in place: the copy of c takes the product's position, the product the addition's.
#include "runtime/accumulate.hpp"

#include "runtime/record.hpp"

namespace asnumpy {

namespace {

bool accumulates(DType d) {
    return d == DType::float32 || d == DType::float64 || d == DType::complex64 || d == DType::complex128;
}

// A whole product, read as this view.
bool is_product(const Instruction& product, RowId matmul, const Array& operand) {
    if (product.work != Work::structured || product.row != matmul || product.option != 0 || product.on_host) return false;
    const Array& out = product.out[0];
    return out.buffer == operand.buffer && out.view == operand.view && accumulates(out.dtype) &&
           out.dtype == operand.dtype;
}

// Whether the device adds a product to what is there.
bool computes_sum(const Instruction& product) {
    StructuredCall call = structured_call(product);
    call.option = 1;
    return product.out[0].pool().backend().computes(call);
}

// How many operands of live instructions the buffer is.
int uses(std::span<const Instruction> list, const std::vector<bool>& dead, const Buffer* buffer) {
    int found = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (!dead[i]) each_buffer(list[i], [&](Buffer& b, bool) { found += &b == buffer; });
    return found;
}

}  // namespace

void accumulate_products(std::span<Instruction> list, const std::vector<bool>& dead, Census& census) {
    static const RowId matmul = find_row("matmul"), add = find_row("add"), cast = find_row("cast");
    for (std::size_t j = 1; j < list.size(); ++j) {
        if (dead[j] || list[j].work != Work::elementwise || list[j].row != add || list[j].on_host) continue;
        for (std::size_t side = 0; side < 2; ++side) {
            if (!list[j].in[side].array()) continue;
            const Array& operand = *list[j].in[side].array();
            std::size_t k = j;
            while (k-- > 0)
                if (!dead[k] && is_product(list[k], matmul, operand)) break;
            if (k >= j || list[k].on_stream != list[j].on_stream || census[*operand.buffer].outside || uses(list, dead, operand.buffer.get()) != 2) continue;
            const Argument& other = list[j].in[1 - side];
            if ((other.array() && other.array()->buffer == operand.buffer) || other.dtype() != operand.dtype) continue;
            // Gemm writes C order, and its operands must stay what they were until the addition's position.
            const Array& out = list[j].out[0];
            const auto item = static_cast<std::int64_t>(itemsize(out.dtype));
            if (out.dtype != operand.dtype || !is_c_contiguous(out.view, item)) continue;
            bool quiet = out.buffer != list[k].in[0].array()->buffer && out.buffer != list[k].in[1].array()->buffer;
            for (std::size_t between = k + 1; quiet && between < j; ++between)
                quiet = dead[between] || (!conflicts(list[between], list[k]) && !conflicts(list[between], list[j]));
            if (!quiet || !computes_sum(list[k])) continue;
            Instruction product = std::move(list[k]);
            Instruction copy = std::move(list[j]);
            Argument term = std::move(copy.in[1 - side]);
            copy.in.clear();
            copy.row = cast;
            copy.loop = static_cast<std::uint16_t>(cast_loop(term.dtype(), term.dtype()));
            copy.in.emplace_back(std::move(term));
            product.out[0] = copy.out[0];
            product.option = 1;
            ++product.out[0].buffer->pending_writes;
            list[k] = std::move(copy);
            list[j] = std::move(product);
            break;
        }
    }
}

}  // namespace asnumpy
