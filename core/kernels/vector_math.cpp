// Keeps NumPy's loops, and looks up libmvec's entry points by the names of the vector ABI.
#include "kernels/vector_math.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "kernels/kernels.hpp"
#include "ops/definition.hpp"

#if defined(__linux__)
#include <dlfcn.h>
#endif

namespace asnumpy::cpu {
namespace {

constexpr std::size_t functions = static_cast<std::size_t>(ops::Vector::erfc) + 1;
template <class T> using ByFunction = std::array<std::array<T, 2>, functions>;  // of float, of double

ByFunction<NumpyLoop> numpy_loops{};
bool any_numpy_loop = false;
std::array<std::array<NumpyLoop, 2>, solvers> solver_loops{};
ByFunction<void*> library_functions{};

struct LibraryName {
    ops::Vector function;
    const char* name;
    int arguments = 1;
};
constexpr std::array error_functions{LibraryName{ops::Vector::erf, "erf"}, LibraryName{ops::Vector::erfc, "erfc"}};
constexpr std::array library_names{
    LibraryName{ops::Vector::exp, "exp"},        LibraryName{ops::Vector::exp2, "exp2"},     LibraryName{ops::Vector::expm1, "expm1"},
    LibraryName{ops::Vector::log, "log"},        LibraryName{ops::Vector::log2, "log2"},     LibraryName{ops::Vector::log10, "log10"},
    LibraryName{ops::Vector::log1p, "log1p"},    LibraryName{ops::Vector::sin, "sin"},       LibraryName{ops::Vector::cos, "cos"},
    LibraryName{ops::Vector::tan, "tan"},        LibraryName{ops::Vector::asin, "asin"},     LibraryName{ops::Vector::acos, "acos"},
    LibraryName{ops::Vector::atan, "atan"},      LibraryName{ops::Vector::sinh, "sinh"},     LibraryName{ops::Vector::cosh, "cosh"},
    LibraryName{ops::Vector::tanh, "tanh"},      LibraryName{ops::Vector::asinh, "asinh"},   LibraryName{ops::Vector::acosh, "acosh"},
    LibraryName{ops::Vector::atanh, "atanh"},    LibraryName{ops::Vector::cbrt, "cbrt"},     LibraryName{ops::Vector::pow, "pow", 2},
    LibraryName{ops::Vector::atan2, "atan2", 2}, LibraryName{ops::Vector::hypot, "hypot", 2}, LibraryName{ops::Vector::erf, "erf"},
    LibraryName{ops::Vector::erfc, "erfc"},
};
static_assert(library_names.size() + 1 == functions, "a function of ops::Vector has no name here");

void load(std::string_view instruction_set, std::span<const LibraryName> names) {
#if defined(__linux__)
    void* const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed
    if (!library) return;
    // Letter of the instruction set, lanes of a double vector; a float vector has twice as many.
    const auto [letter, lanes] = instruction_set == "x86-64-v4"   ? std::pair{'e', 8}
                                 : instruction_set == "x86-64-v3" ? std::pair{'d', 4}
                                 : instruction_set == "x86-64-v2" ? std::pair{'b', 2}
                                                                  : std::pair{'n', 2};
    for (const LibraryName& wanted : names) {
        const auto find = [&](int width, const char* suffix) {
            const std::string operands(static_cast<std::size_t>(wanted.arguments), 'v');
            return dlsym(library, (std::string("_ZGV") + letter + 'N' + std::to_string(width) + operands + '_' + wanted.name + suffix).c_str());
        };
        library_functions[static_cast<std::size_t>(wanted.function)] = {find(2 * lanes, "f"), find(lanes, "")};
    }
#else
    static_cast<void>(instruction_set);
    static_cast<void>(names);
#endif
}

}  // namespace

void set_numpy_loop(int function, bool is_double, NumpyLoop loop) {
    numpy_loops[static_cast<std::size_t>(function)][is_double] = loop;
    any_numpy_loop = true;
}

const NumpyLoop& numpy_loop(int function, bool is_double) { return numpy_loops[static_cast<std::size_t>(function)][is_double]; }

void set_solver(Solver which, bool complex, NumpyLoop loop) { solver_loops[static_cast<std::size_t>(which)][complex] = loop; }
const NumpyLoop& solver(Solver which, bool complex) { return solver_loops[static_cast<std::size_t>(which)][complex]; }

void load_error_function(std::string_view instruction_set) { load(instruction_set, error_functions); }
void load_vector_math(std::string_view instruction_set) { load(instruction_set, library_names); }

void* vector_function(int function, bool is_double) { return library_functions[static_cast<std::size_t>(function)][is_double]; }

bool has_vector_math() { return any_numpy_loop; }

}  // namespace asnumpy::cpu
