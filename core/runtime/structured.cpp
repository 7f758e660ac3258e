// Recording structured operations: their shapes and checks.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/order.hpp"
#include "cpu/structured.hpp"
#include "runtime/copies.hpp"
#include "runtime/pick.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"
#include "runtime/tracing.hpp"

namespace asnumpy {

Instruction structured(const char* name, std::initializer_list<const Array*> in, const Array& out) {
    Instruction instruction;
    instruction.work = Work::structured;
    instruction.row = find_row(name);
    for (const Array* a : in) instruction.in.emplace_back(*a);
    instruction.out.emplace_back(out);
    return instruction;
}

namespace {

// Of a product, in the time in which an operation passes over one element.
constexpr std::int64_t multiplications_an_element = 16;
// Up to this many take some microseconds, for which nobody gives the interpreter's lock away.
constexpr std::int64_t most_with_lock = 262144;
// Up to this many are for one thread.
constexpr std::int64_t most_without_threads = 32768;

void submit_structured(Instruction&& instruction) {
    std::int64_t size = instruction.out[0].size();
    for (const Argument& in : instruction.in) size = std::max(size, in.array()->size());
    submit(std::move(instruction), size);
}

void check_range_once(const Array& index, std::int64_t length, int axis) {
    const Array inside = new_array(Dims{}, DType::boolean, index.pool());
    Instruction instruction = structured("in_range", {&index}, inside);
    instruction.option = length;
    flush_for(index);
    if (index.host_visible() && may_run_now(instruction)) {
        const bool quick = index.size() <= eager_size();
        if (quick) run_now(instruction);
        else without_lock([&instruction] { run_now(instruction); });
    } else {
        submit_structured(std::move(instruction));
        flush_for(inside);
    }
    if (value_of(inside).get<bool>()) return;
    const Array indices = to_host(index);
    for (std::int64_t i = 0; i < indices.size(); ++i) {
        std::int64_t value;
        std::memcpy(&value, indices.data() + i * indices.view.strides[0], sizeof value);
        if (value < -length || value >= length)
            throw IndexError("index " + std::to_string(value) + " is out of bounds for axis " + std::to_string(axis) + " with size " +
                             std::to_string(length));
    }
    // Somebody has changed it since: kernels look again.
}

// Runs what the index needs, and nothing else. Other threads may record work while this one waits for the answer; what is
// recorded next reads the index as it was checked. Memory that the host sees may change without that: kernels look again.
void check_range(const Array& index, std::int64_t length, int axis) {
    if (index.size() == 0) return;
    if (Trace* const trace = current_trace()) [[unlikely]] {
        const Array inside = new_array(Dims{}, DType::boolean, index.pool());
        Instruction instruction = structured("in_range", {&index}, inside);
        instruction.option = length;
        submit_structured(std::move(instruction));
        return trace->add_check({inside, index, length, axis});
    }
    std::uint32_t seen;
    do {
        seen = index.buffer->writes.load(std::memory_order_relaxed);
        check_range_once(index, length, axis);
    } while (index.buffer->writes.load(std::memory_order_relaxed) != seen);
}

// The elements of a view without gaps as one axis, in the order of memory; nothing where there are gaps or repetitions.
std::optional<View> without_order(const View& view, std::int64_t item) {
    View flat = contiguous(Dims{view.size()}, item);
    flat.offset = view.offset;
    std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride, length
    for (int i = 0; i < view.ndim(); ++i) {
        if (view.shape[i] == 1) continue;
        axes.emplace_back(std::abs(view.strides[i]), view.shape[i]);
        flat.offset += std::min<std::int64_t>(0, view.strides[i] * (view.shape[i] - 1));
    }
    std::sort(axes.begin(), axes.end());
    for (const auto& [stride, length] : axes) {
        if (stride != item) return std::nullopt;
        item *= length;
    }
    return flat;
}

// Calls a small product of two matrices at hand on the operands themselves, without a launch. False: nothing was done.
bool multiply_at_once(const Array& a, const Array& b, Array& out, std::int64_t multiplications) {
    if (multiplications > most_without_threads || out.size() > eager_size() || !out.host_visible() || !is_at_hand(a) || !is_at_hand(b)) return false;
    const HostProduct product = out.pool().backend().host_product(out.dtype);
    if (!product) return false;
    out.buffer->materialise();
    const std::array<std::int64_t, 9> numbers{
        out.view.shape[0], out.view.shape[1], a.view.shape[1],
        a.view.strides[0], a.view.strides[1], b.view.strides[0], b.view.strides[1], out.view.strides[0], out.view.strides[1],
    };
    product(a.data(), b.data(), out.data(), numbers.data());
    return true;
}

}  // namespace

Array matmul(const Array& a, const Array& b) {
    const int na = a.ndim(), nb = b.ndim();
    if (a.dtype != b.dtype || na < 2 || nb < 2) throw RuntimeFailure("matmul: takes two arrays of one dtype and at least two axes");
    const std::int64_t m = a.view.shape[na - 2], k = a.view.shape[na - 1], n = b.view.shape[nb - 1];
    if (b.view.shape[nb - 2] != k)
        throw ValueError("matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size " +
                         std::to_string(b.view.shape[nb - 2]) + " is different from " + std::to_string(k) + ")");
    const Dims batch_a(std::span(a.view.shape.begin(), a.view.shape.end() - 2));
    const Dims batch_b(std::span(b.view.shape.begin(), b.view.shape.end() - 2));
    const std::array<const Dims*, 2> batches{&batch_a, &batch_b};
    Dims shape = broadcast_shapes(batches, "matmul");
    const auto with = [&shape](std::int64_t rows, std::int64_t columns) {
        Dims full = shape;
        full.push_back(rows);
        full.push_back(columns);
        return full;
    };
    Array out = new_array(with(m, n), a.dtype, a.pool());
    if (out.size() == 0 || (na == 2 && nb == 2 && multiply_at_once(a, b, out, m * n * k))) return out;
    Array left = a, right = b;
    left.view = broadcast_to(a.view, with(m, k));
    right.view = broadcast_to(b.view, with(k, n));
    Instruction product = structured("matmul", {&left, &right}, out);
    // On the host a product is worth recording by its multiplications, not by what it reads: a matrix meets a vector once. Where the
    // result is small, what follows runs at once, and would wait for it.
    std::int64_t size = std::max({left.size(), right.size(), out.size()});
    if (out.host_visible()) {
        const std::int64_t multiplications = out.size() * k;
        size = std::min(size, 1 + multiplications / multiplications_an_element);
        if (size > eager_size() && out.size() <= eager_size() && &a.pool() == &out.pool() && &b.pool() == &out.pool() && may_run_now(product)) {
            if (multiplications <= most_with_lock) run_now(product);
            else without_lock([&product] { run_now(product); });
            return out;
        }
    }
    submit(std::move(product), size);
    return out;
}

Array scan(RowId op, const Array& array, int axis) {
    Array out = new_array(array.view.shape, array.dtype, array.pool());
    if (out.size() == 0) return out;
    const std::int64_t item = item_bytes(array.dtype);
    const OrderedOperand operand{&array.view, item};
    out.view.strides = iterator_strides(array.view.shape, {&operand, 1}, item);
    Instruction instruction = structured("scan", {&array}, out);
    instruction.axis = axis;
    instruction.op = op;
    submit_structured(std::move(instruction));
    return out;
}

Array argmax(const Array& array, int axis, bool maximum) {
    Array flat = is_narrow(array.dtype) ? cast(array, cast_step(array.dtype, DType::boolean)) : array;
    if (axis < 0) {
        const std::int64_t size = flat.size();
        const auto view = reshape(flat.view, Dims{size}, static_cast<std::int64_t>(itemsize(flat.dtype)));
        if (view) {
            flat.view = *view;
        } else {
            flat = new_array(flat.view.shape, flat.dtype, flat.pool());
            assign(flat, array);
            flat.view = contiguous(Dims{size}, static_cast<std::int64_t>(itemsize(flat.dtype)));
        }
        axis = 0;
    }
    Dims shape;
    for (int i = 0; i < flat.ndim(); ++i)
        if (i != axis) shape.push_back(flat.view.shape[i]);
    Array out = new_array(shape, DType::int64, flat.pool());
    if (out.size() == 0) return out;
    if (flat.size() == 0) throw ValueError(std::string("attempt to get ") + (maximum ? "argmax" : "argmin") + " of an empty sequence");
    Instruction instruction = structured(maximum ? "argmax" : "argmin", {&flat}, out);
    instruction.axis = axis;
    submit_structured(std::move(instruction));
    return out;
}

std::optional<Array> offered(RowId id, std::span<const Array> in, std::int64_t axis, std::int64_t option, std::array<double, 2> numbers) {
    Pool& pool = in[0].pool();
    if (pool.host_visible() || in[0].size() == 0) return std::nullopt;
    for (const Array& a : in)
        if (&a.pool() != &pool) return std::nullopt;
    Instruction instruction;
    instruction.work = Work::structured;
    instruction.row = id;
    instruction.axis = axis;
    instruction.option = option;
    instruction.numbers = numbers;
    for (const Array& a : in) instruction.in.emplace_back(a);
    const Array out = new_array(in[0].view.shape, in[0].dtype, pool);
    instruction.out.emplace_back(out);
    if (!pool.backend().offers(structured_call(instruction))) return std::nullopt;
    submit_structured(std::move(instruction));
    return out;
}

std::optional<Array> deviations(const Array& array) {
    if ((array.dtype != DType::float32 && array.dtype != DType::float64) || array.size() == 0) return std::nullopt;
    const std::optional<View> all = without_order(array.view, static_cast<std::int64_t>(itemsize(array.dtype)));
    if (!all) return std::nullopt;
    Array flat = array;
    flat.view = *all;
    Instruction instruction = structured("deviations", {&flat}, new_array(Dims{}, array.dtype, array.pool()));
    if (!array.pool().backend().computes(structured_call(instruction))) return std::nullopt;
    const Array out = instruction.out[0];
    submit_structured(std::move(instruction));
    return out;
}

Array as_positions(const Array& index) { return index.dtype == DType::int64 ? index : cast(index, DType::int64); }

bool means_places(DType d, std::int64_t length) { return (d == DType::uint8 && length > UINT8_MAX) || (d == DType::uint16 && length > UINT16_MAX); }

Array take(const Array& array, const Array& given, int axis) {
    if (Array result; given.dtype == DType::int64 && take_at_once(array, given, result)) return result;
    const bool as_given = given.host_visible() && given.size() > eager_size() && means_places(given.dtype, array.view.shape[axis]);
    const Array index = as_given ? given : as_positions(given);
    if (Array result; !as_given && take_at_once(array, index, result)) return result;
    if (!as_given) check_range(index, array.view.shape[axis], axis);
    Dims shape = array.view.shape;
    shape[axis] = index.size();
    Array out = new_array(shape, array.dtype, array.pool());
    if (out.size() == 0) return out;
    Instruction instruction = structured("take", {&array, &index}, out);
    instruction.axis = axis;
    submit_structured(std::move(instruction));
    return out;
}

void scatter(const Array& dst, const Array& given, const Array& src, int axis) {
    const Array index = as_positions(given);
    Dims shape = dst.view.shape;
    shape[axis] = index.size();
    if (count(shape) == 0) return check_range(index, dst.view.shape[axis], axis);
    Array source = src.dtype == dst.dtype ? src : cast(src, dst.dtype);
    if (source.ndim() == 0 && source.host_visible()) source = moved(source, dst.pool());
    if (source.buffer == dst.buffer) {  // the old values are what is written
        const Array copy = new_array(source.view.shape, source.dtype, source.pool());
        assign(copy, source);
        source = copy;
    }
    source.view = broadcast_to(source.view, shape);
    if (index.buffer != dst.buffer && scatter_at_once(dst, index, source)) return;
    check_range(index, dst.view.shape[axis], axis);
    const Array positions = index.buffer == dst.buffer ? cast(index, DType::int64) : index;
    Instruction instruction = structured("scatter", {&source, &positions}, dst);
    instruction.axis = axis;
    submit_structured(std::move(instruction));
}

namespace {

// Large enough that other threads of the program should go on meanwhile.
constexpr std::int64_t long_mask = 1 << 18;

std::int64_t count_true(const Array& mask) {
    if (mask.host_visible() && !current_trace()) {
        make_ready(mask, Access::read);
        std::int64_t found = 0;
        const Tensor bytes = tensor_of(mask);
        if (mask.size() < long_mask) found = cpu::count_true(bytes);
        else without_lock([&] { found = cpu::count_true(bytes); });
        return found;
    }
    const RowId add = find_row("add");
    Signature sum;
    sum.nin = 2;
    sum.nout = 1;
    sum.in = {DType::int64, DType::int64};
    sum.out = {DType::int64};
    return value_of(reduce(add, find_loop(add, sum), mask, 1, false)).get<std::int64_t>();
}

// What a mask selects on the host is taken at once: the wait for its number was the wait for the mask.
Array selected(Instruction&& instruction, Array out, const Array& mask) {
    if (out.size() == 0) return out;
    if (!out.host_visible() || current_trace() || !may_run_now(instruction)) submit_structured(std::move(instruction));
    else if (mask.size() < long_mask) run_now(instruction);
    else without_lock([&] { run_now(instruction); });
    return out;
}

}  // namespace

bool place(const Array& vector, const Array& mask, const Array& source) {
    if (place_at_once(vector, mask, source)) return true;
    if (current_trace() || vector.ndim() != 1 || source.ndim() != 1 || !vector.host_visible() || source.dtype != vector.dtype ||
        &mask.pool() != &vector.pool() || &source.pool() != &vector.pool() || source.buffer == vector.buffer || mask.buffer == vector.buffer ||
        may_overlap(vector, source) || may_overlap(vector, mask))
        return false;
    make_ready(mask, Access::read);
    make_ready(source, Access::read);
    make_ready(vector, Access::write);
    const Tensor to = tensor_of(vector), bytes = tensor_of(mask), from = tensor_of(source);
    bool placed = false;
    if (mask.size() < long_mask) placed = cpu::place(to, bytes, from);
    else without_lock([&] { placed = cpu::place(to, bytes, from); });
    return placed;
}

Array compress(const Array& flat, const Array& mask) {
    if (Array result; compress_at_once(flat, mask, result)) return result;
    const Array out = new_array(Dims{count_true(mask)}, flat.dtype, flat.pool());
    return selected(structured("compress", {&flat, &mask}, out), out, mask);
}

Array flatnonzero(const Array& mask) {
    if (Array result; flatnonzero_at_once(mask, result)) return result;
    const Array out = new_array(Dims{count_true(mask)}, DType::int64, mask.pool());
    return selected(structured("flatnonzero", {&mask}, out), out, mask);
}

Array bincount(const Array& index, std::int64_t length) {
    Array out = new_array(Dims{length}, DType::int64, index.pool());
    if (length > 0) submit_structured(structured("bincount", {&index}, out));
    return out;
}

}  // namespace asnumpy
