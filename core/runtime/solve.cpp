// Recording what NumPy's LAPACK computes, or calling it without a record.
#include "runtime/solve.hpp"

#include "cpu/structured.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

bool is_single_precision(DType dtype) { return dtype == DType::float32 || dtype == DType::complex64; }

bool is_solvable(const Array& a) {
    return a.host_visible() && a.size() > 0 && a.view.offset % item_bytes(a) == 0 && (a.dtype == DType::boolean || is_integer(a.dtype) || is_single_precision(a.dtype) || cpu::solves(a.dtype));
}

// As NumPy: in double precision, whatever comes.
Array as_computed(const Array& a, DType dtype) { return a.dtype == dtype && is_c_contiguous(a.view, item_bytes(a)) ? a : cast(a, dtype); }

bool is_small_and_there(const Array& a, DType dtype) { return a.dtype == dtype && is_at_hand(a) && is_c_contiguous(a.view, item_bytes(a)) && a.size() <= eager_size(); }

}  // namespace

bool solve_matrix(const Array& matrix, const Array* right, Array& result) {
    if (!is_solvable(matrix) || matrix.ndim() != 2 || matrix.shape()[0] != matrix.shape()[1]) return false;
    if (right && (!is_solvable(*right) || right->ndim() < 1 || right->ndim() > 2 || right->shape()[0] != matrix.shape()[0])) return false;
    const bool complex = is_complex(matrix.dtype) || (right && is_complex(right->dtype)), single = is_single_precision(matrix.dtype) && (!right || is_single_precision(right->dtype));
    const DType wide = complex ? DType::complex128 : DType::float64;
    if (!cpu::solves(wide)) return false;
    const bool now = !current_trace();
    if (now && !(is_small_and_there(matrix, wide) && (!right || is_small_and_there(*right, wide)))) return false;
    const Array first = as_computed(matrix, wide), second = right ? as_computed(*right, wide) : Array();
    result = new_array(right ? right->shape() : matrix.shape(), wide, matrix.pool());
    Instruction instruction = right ? structured("matrix_solve", {&first, &second}, result) : structured("matrix_inverse", {&first}, result);
    if (!now) {
        submit(std::move(instruction), result.size());
        if (single) result = cast(result, complex ? DType::complex64 : DType::float32);
        return true;
    }
    result.buffer->materialise();
    const StructuredCall call = structured_call(instruction);
    without_lock([&] { result.pool().backend().run(call); });
    return true;
}

}  // namespace asnumpy
