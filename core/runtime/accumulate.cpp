// The rewrite happens in place: the copy of c takes the product's position, the product the addition's.
#include "runtime/passes.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

#include "runtime/record.hpp"
#include "runtime/single.hpp"
#include "runtime/touches.hpp"

namespace asnumpy {

namespace {

bool accumulates(DType d) {
    return d == DType::float32 || d == DType::float64 || d == DType::complex64 || d == DType::complex128;
}

// A whole product, read as this view.
bool is_product(const Instruction& product, RowId matmul) {
    return product.work == Work::structured && product.row == matmul && product.option == 0 && !product.on_host;
}
bool is_product(const Instruction& product, RowId matmul, const Array& operand) {
    if (!is_product(product, matmul)) return false;
    const Array& out = product.out[0];
    return out.buffer == operand.buffer && out.view == operand.view && out.dtype == operand.dtype;
}

// Whether the device adds a product to what is there.
bool computes_sum(const Instruction& product) {
    StructuredCall call = structured_call(product);
    call.option = 1;
    return product.out[0].pool().backend().computes(call);
}

// The list as it is looked at: how many operands of live instructions each buffer is, and who wrote an array.
class Uses {
public:
    explicit Uses(Draft& draft) : draft_(draft), touches_(draft.list, draft.census.marks().size()), counts_(draft.census.marks().size()) {
        for (std::size_t k = 0; k < draft.list.size(); ++k)
            if (!draft.dead[k]) count(draft.list[k], 1);
    }
    void count(const Instruction& instruction, int n) {
        each_buffer(instruction, [&](const Buffer& b, bool) { counts_[b.number] += n; });
    }
    // One instruction writes it, one reads it, and nobody else sees it.
    bool passes_on(const Buffer& b) const { return counts_[b.number] == 2 && !draft_.census[b].outside; }
    // The last one before that position.
    std::optional<std::uint32_t> writer(const Buffer& b, std::uint32_t before) const {
        for (const std::uint32_t k : std::views::reverse(touches_.writes_before(b, before)))
            if (!draft_.dead[k]) return k;
        return std::nullopt;
    }

private:
    Draft& draft_;
    const Touches touches_;
    std::vector<int> counts_;  // by the buffer's number
};

// --- with another operand ---

class Joining {
public:
    Joining(Draft& draft, Uses& uses) : draft_(draft), list_(draft.list), dead_(draft.dead), uses_(uses) {}

    // Makes the sum or difference at position j a product with another operand, if one of its operands is a product that
    // only it reads, and the device has that in one operation.
    bool join(std::uint32_t j) {
        static const RowId subtract = find_row("subtract");
        const Instruction& sum = list_[j];
        const Array& out = sum.out[0];
        if (!sum.in[0].array() || !sum.in[1].array() || !is_c_contiguous(out.view, static_cast<std::int64_t>(itemsize(out.dtype)))) return false;
        for (const std::size_t side : {0u, 1u}) {
            const Factored product = followed(*sum.in[side].array(), j), term = followed(*sum.in[1 - side].array(), j);
            const auto k = uses_.writer(*product.array.buffer, product.since);
            if (!k || !is_product(list_[*k], matmul_row()) || list_[*k].on_stream != sum.on_stream || !uses_.passes_on(*product.array.buffer)) continue;
            const Array& whole = list_[*k].out[0];
            if (whole.dtype != product.array.dtype || !is_whole(product.array, whole)) continue;
            if (product.array.dtype != out.dtype || term.array.dtype != out.dtype || term.array.buffer == product.array.buffer) continue;
            std::vector<std::uint32_t> gone = product.passed;
            gone.insert(gone.end(), term.passed.begin(), term.passed.end());
            Instruction made = list_[*k];
            if (made.in[0].array()->view.shape[made.in[0].array()->ndim() - 1] == 0) continue;  // a sum of nothing
            const std::optional<View> of_term = with_axes_of(term.array, whole.view.shape), of_out = with_axes_of(out, whole.view.shape);
            if (!of_term || !of_out) continue;
            made.in.emplace_back(Array{term.array.buffer, *of_term, term.array.dtype});
            made.out[0] = Array{out.buffer, *of_out, out.dtype};
            made.option = 2;
            made.numbers = {sum.row == subtract && side == 1 ? -product.factor : product.factor, sum.row == subtract && side == 0 ? -term.factor : term.factor};
            gone.push_back(*k);
            if (out.buffer == made.in[0].array()->buffer || out.buffer == made.in[1].array()->buffer || !quiet(gone, j)) continue;
            if (!out.pool().backend().offers(structured_call(made))) continue;
            const auto count = [this](const Instruction& one, int n) {
                draft_.count(one, n);
                uses_.count(one, n);
            };
            count(made, 1);
            count(list_[j], -1);
            for (const std::uint32_t one : gone) {
                count(list_[one], -1);
                dead_[one] = true;
                list_[one].in.clear();
                list_[one].out.clear();
            }
            list_[j] = std::move(made);
            return true;
        }
        return false;
    }

private:
    // A value as a number times an array, with the multiplications passed on the way to it.
    struct Factored {
        Array array;
        double factor = 1;
        std::uint32_t since = 0;  // before which instruction the array has its value
        std::vector<std::uint32_t> passed;
    };

    // A view with the axes of length 1 that it lacks of the shape: products of vectors are those of matrices.
    static std::optional<View> with_axes_of(const Array& array, const Dims& shape) {
        const View& view = array.view;
        View result{view.offset, shape, Dims(shape.size())};
        std::int64_t stride = static_cast<std::int64_t>(itemsize(array.dtype)), length = 1;
        int axis = view.ndim();
        for (int to = shape.size(); to-- > 0;) {
            if (axis > 0 && view.shape[axis - 1] == shape[to]) {
                stride = view.strides[--axis];
                length = shape[to];
            } else if (shape[to] == 1) {
                stride *= length;  // where C order has it
                length = 1;
            } else {
                return std::nullopt;
            }
            result.strides[to] = stride;
        }
        if (axis != 0) return std::nullopt;
        return result;
    }
    static bool is_whole(const Array& part, const Array& whole) {
        const std::optional<View> view = with_axes_of(part, whole.view.shape);
        if (!view || view->offset != whole.view.offset) return false;
        for (int axis = 0; axis < whole.ndim(); ++axis)
            if (whole.view.shape[axis] > 1 && view->strides[axis] != whole.view.strides[axis]) return false;
        return true;
    }
    static RowId matmul_row() {
        static const RowId id = find_row("matmul");
        return id;
    }
    Factored followed(const Array& from, std::uint32_t before) const {
        static const RowId multiply = find_row("multiply");
        Factored result{from, 1, before, {}};
        while (const auto k = uses_.writer(*result.array.buffer, result.since)) {
            const Instruction& i = list_[*k];
            if (i.work != Work::elementwise || i.row != multiply || i.on_host || !uses_.passes_on(*result.array.buffer)) break;
            const std::size_t number = i.in[0].scalar() ? 0 : 1;
            const Scalar* const factor = i.in[number].scalar();
            const Array* const other = i.in[1 - number].array();
            if (!factor || !other || !is_float(factor->dtype) || is_narrow(factor->dtype) || other->buffer == result.array.buffer) break;
            if (!(i.out[0].view == result.array.view) || i.out[0].dtype != result.array.dtype || other->dtype != result.array.dtype) break;
            result.factor *= dispatch(factor->dtype, [&]<class T>() -> double {
                if constexpr (is_half_v<T>) return static_cast<float>(factor->get<T>());
                else if constexpr (std::is_floating_point_v<T>) return static_cast<double>(factor->get<T>());
                else return 1;
            });
            result.passed.push_back(*k);
            result.since = *k;
            result.array = *other;
        }
        return result;
    }
    // What the instructions that go read is the same at position j, and nobody between needs what the one there writes.
    bool quiet(std::span<const std::uint32_t> gone, std::uint32_t j) const {
        for (const std::uint32_t one : gone)
            for (std::uint32_t between = one + 1; between < j; ++between) {
                if (dead_[between] || std::ranges::find(gone, between) != gone.end()) continue;
                if (conflicts(list_[between], list_[one])) return false;
            }
        return true;
    }

    Draft& draft_;
    std::span<Instruction> list_;
    std::vector<bool>& dead_;
    Uses& uses_;
};

}  // namespace

std::size_t accumulate_products(Draft& draft) {
    const std::span<Instruction> list = draft.list;
    const std::vector<bool>& dead = draft.dead;
    std::size_t found = 0;
    static const RowId matmul = find_row("matmul"), add = find_row("add"), subtract = find_row("subtract");
    Uses uses(draft);
    Joining joining(draft, uses);
    for (std::uint32_t j = 1; j < list.size(); ++j) {
        if (dead[j] || list[j].work != Work::elementwise || (list[j].row != add && list[j].row != subtract) || list[j].on_host) continue;
        if (joining.join(j)) {
            ++found;
            continue;
        }
        if (list[j].row != add) continue;
        for (std::uint8_t side = 0; side < 2; ++side) {
            if (!list[j].in[side].array()) continue;
            const Array& operand = *list[j].in[side].array();
            const std::optional<std::uint32_t> written = uses.writer(*operand.buffer, j);
            if (!written || !is_product(list[*written], matmul, operand) || !accumulates(operand.dtype) || !uses.passes_on(*operand.buffer)) continue;
            const std::uint32_t k = *written;
            if (list[k].on_stream != list[j].on_stream) continue;
            const Argument& other = list[j].in[1u - side];
            if ((other.array() && other.array()->buffer == operand.buffer) || other.dtype() != operand.dtype) continue;
            // Gemm writes C order, and its operands must stay what they were until the addition's position.
            const Array& out = list[j].out[0];
            const auto item = static_cast<std::int64_t>(itemsize(out.dtype));
            if (out.dtype != operand.dtype || !is_c_contiguous(out.view, item)) continue;
            bool quiet = out.buffer != list[k].in[0].array()->buffer && out.buffer != list[k].in[1].array()->buffer;
            for (std::uint32_t between = k + 1; quiet && between < j; ++between)
                quiet = dead[between] || (!conflicts(list[between], list[k]) && !conflicts(list[between], list[j]));
            if (!quiet || !computes_sum(list[k])) continue;
            for (const std::uint32_t one : {k, j}) uses.count(list[one], -1);
            draft.accumulate({k, j, side});
            for (const std::uint32_t one : {k, j}) uses.count(list[one], 1);
            ++found;
            break;
        }
    }
    return found;
}

}  // namespace asnumpy
