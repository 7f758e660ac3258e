// Recording products and sums of compressed sparse arrays.
#include "runtime/sparse.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "cpu/structured.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

bool all_on_host(std::initializer_list<const Array*> arrays) {
    return std::ranges::all_of(arrays, [](const Array* a) { return a->host_visible(); });
}

bool are_indices(const Array& pointers, const Array& indices) {
    return pointers.ndim() == 1 && indices.ndim() == 1 && pointers.size() > 0 && pointers.dtype == indices.dtype &&
           (pointers.dtype == DType::int32 || pointers.dtype == DType::int64);
}

Array plain(const Array& a) { return is_c_contiguous(a.view, item_bytes(a)) ? a : cast(a, a.dtype); }

void record_over(Instruction&& instruction) {
    if (instruction.out[0].size() == 0) return;
    std::int64_t size = instruction.out[0].size();
    for (const Argument& in : instruction.in) size = std::max(size, in.array()->size());
    submit(std::move(instruction), size);
}

}  // namespace

bool is_sparse_pattern(const Array& pointers, const Array& indices, std::int64_t length) {
    if (!all_on_host({&pointers, &indices}) || !are_indices(pointers, indices)) return false;
    make_ready(pointers, Access::read);
    make_ready(indices, Access::read);
    const Tensor lines = tensor_of(pointers), places = tensor_of(indices);
    bool good = false;
    without_lock([&] { good = cpu::is_sparse_pattern(lines, places, length); });
    return good;
}

bool sparse_product(const Array& pointers, const Array& indices, const Array& values, const Array& dense, bool added, std::int64_t rows, Array& result) {
    if (!all_on_host({&pointers, &indices, &values, &dense}) || !are_indices(pointers, indices) || values.ndim() != 1 || dense.ndim() < 1 ||
        dense.ndim() > 2 || values.dtype != dense.dtype || !cpu::multiplies_sparse(values.dtype))
        return false;
    const std::int64_t lines = pointers.size() - 1;
    if (added && dense.view.shape[0] != lines) return false;
    Dims shape{added ? rows : lines};
    if (dense.ndim() == 2) shape.push_back(dense.view.shape[1]);
    result = new_array(shape, values.dtype, values.pool());
    if (result.size() == 0) return true;
    const Array first = plain(pointers), second = plain(indices), third = plain(values), fourth = dense.ndim() == 2 ? plain(dense) : dense;
    Instruction instruction = structured("sparse_product", {&first, &second, &third, &fourth}, result);
    instruction.option = added ? 1 : 0;
    record_over(std::move(instruction));
    return true;
}

bool sparse_sums(const Array& pointers, const Array& values, Array& result) {
    if (!all_on_host({&pointers, &values}) || !are_indices(pointers, pointers) || values.ndim() != 1 || !cpu::sums_sparse(values.dtype)) return false;
    result = new_array(Dims{pointers.size() - 1}, values.dtype, values.pool());
    const Array first = plain(pointers), second = plain(values);
    record_over(structured("sparse_sums", {&first, &second}, result));
    return true;
}

}  // namespace asnumpy
