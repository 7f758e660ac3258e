// Functions of whole runs of numbers that are written elsewhere: NumPy's own loops, which are handed over when the extension
// module is loaded, so that results have NumPy's bits; and those of the C library (libmvec), of which the CPU takes the error
// function, which NumPy has not, and the simulator, which has no NumPy, takes all.
#pragma once

#include <cstdint>
#include <string_view>

namespace asnumpy::cpu {

// A ufunc's loop in NumPy's C interface: operands, the number of elements, strides in bytes.
struct NumpyLoop {
    void (*run)(char** operands, const std::intptr_t* count, const std::intptr_t* strides, void* data) = nullptr;
    void* data = nullptr;
};
// `function` is the number of an ops::Vector. Set before the first operation runs; null: call the scalar function.
void set_numpy_loop(int function, bool is_double, NumpyLoop);
const NumpyLoop& numpy_loop(int function, bool is_double);

// Of NumPy's linear algebra, which calls the LAPACK that it has: a matrix to its inverse; a matrix and a matrix, or a vector, to what solves them.
// Lengths are the number of calls, that of the matrix, and the columns of the right side; strides those from call to call, then along the axes.
enum class Solver : std::uint8_t { inverse, solve, solve_vector };
inline constexpr int solvers = 3;
// Of float64, or complex128: NumPy computes all others as these. Null: there is none.
void set_solver(Solver, bool complex, NumpyLoop);
const NumpyLoop& solver(Solver, bool complex);

// Looks up the C library's functions for the widths of `instruction_set`: the error function alone, or all. Before any loop runs.
void load_error_function(std::string_view instruction_set);
void load_vector_math(std::string_view instruction_set);
// Their calling convention is that of a function from vector to vector of the width of the instruction set; null: call the scalar function.
void* vector_function(int function, bool is_double);

}  // namespace asnumpy::cpu
