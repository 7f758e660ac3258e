// Keeps NumPy's loops, and looks up libmvec's entry points by the names of the vector ABI.
#include "cpu/vector_math.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "cpu/kernels.hpp"
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
ByFunction<void*> library_functions{};

}  // namespace

void set_numpy_loop(int function, bool is_double, NumpyLoop loop) {
    numpy_loops[static_cast<std::size_t>(function)][is_double] = loop;
    any_numpy_loop = true;
}

const NumpyLoop& numpy_loop(int function, bool is_double) { return numpy_loops[static_cast<std::size_t>(function)][is_double]; }

void load_vector_math(std::string_view instruction_set) {
#if defined(__linux__)
    void* const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed
    if (!library) return;
    // Letter of the instruction set, lanes of a double vector; a float vector has twice as many.
    const auto [letter, lanes] = instruction_set == "x86-64-v4"   ? std::pair{'e', 8}
                                 : instruction_set == "x86-64-v3" ? std::pair{'d', 4}
                                 : instruction_set == "x86-64-v2" ? std::pair{'b', 2}
                                                                  : std::pair{'n', 2};
    for (const auto& [function, name] : {std::pair{ops::Vector::erf, "erf"}, std::pair{ops::Vector::erfc, "erfc"}}) {
        const auto find = [&](int width, const char* suffix) {
            return dlsym(library, (std::string("_ZGV") + letter + 'N' + std::to_string(width) + "v_" + name + suffix).c_str());
        };
        library_functions[static_cast<std::size_t>(function)] = {find(2 * lanes, "f"), find(lanes, "")};
    }
#else
    static_cast<void>(instruction_set);
#endif
}

void* vector_function(int function, bool is_double) { return library_functions[static_cast<std::size_t>(function)][is_double]; }

bool has_vector_math() { return any_numpy_loop; }

}  // namespace asnumpy::cpu
