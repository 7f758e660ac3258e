// Inverses and systems of equations by NumPy's loops, which need no interpreter.
#include <array>
#include <cfenv>
#include <string>

#include "base/error.hpp"
#include "cpu/structured.hpp"
#include "kernels/vector_math.hpp"

namespace asnumpy::cpu {
namespace {

// The loops say by a flag of floating-point arithmetic that a matrix is singular. What the program has set stays.
class SingularFlag {
public:
    SingularFlag() { std::feholdexcept(&before_); }
    ~SingularFlag() { std::fesetenv(&before_); }
    SingularFlag(const SingularFlag&) = delete;
    SingularFlag& operator=(const SingularFlag&) = delete;
    bool raised() const { return std::fetestexcept(FE_INVALID) != 0; }

private:
    std::fenv_t before_;
};

void run_solver(Solver which, const StructuredCall& call, const char* function) {
    const Tensor &matrix = call.in[0], &out = call.out[0];
    if (out.shape[0] == 0) return;
    const NumpyLoop& loop = solver(which, matrix.dtype == DType::complex128);
    std::array<char*, 3> operands{matrix.data};
    std::array<std::intptr_t, 9> strides{};  // from call to call first: there is one
    std::size_t count = 0, stride = call.in.size() + 1;
    const auto add = [&](const Tensor& one) {
        operands[count++] = one.data;
        for (const std::int64_t along : one.strides) strides[stride++] = along;
    };
    for (const Tensor& in : call.in) add(in);
    add(out);
    const std::array<std::intptr_t, 3> lengths{1, matrix.shape[0], out.shape.size() == 2 ? out.shape[1] : 1};
    const SingularFlag flag;
    loop.run(operands.data(), lengths.data(), strides.data(), loop.data);
    if (flag.raised()) throw LinAlgError(std::string(function) + ": Singular matrix (came " + std::string(name(matrix.dtype)) + " of shape " + to_string(matrix.shape) + ")");
}

}  // namespace

bool solves(DType dtype) {
    const bool complex = dtype == DType::complex128;
    return (complex || dtype == DType::float64) && solver(Solver::inverse, complex).run && solver(Solver::solve, complex).run && solver(Solver::solve_vector, complex).run;
}

void matrix_inverse(const StructuredCall& call) { run_solver(Solver::inverse, call, "linalg.inv"); }

void matrix_solve(const StructuredCall& call) {
    run_solver(call.out[0].shape.size() == 1 ? Solver::solve_vector : Solver::solve, call, "linalg.solve");
}

}  // namespace asnumpy::cpu
