// Looks up libmvec's entry points by the names of the vector ABI.
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

struct Name {
    ops::Vector function;
    const char* name;
    int arguments;
};

constexpr std::array names{
    Name{ops::Vector::exp, "exp", 1},     Name{ops::Vector::exp2, "exp2", 1},   Name{ops::Vector::expm1, "expm1", 1},
    Name{ops::Vector::log, "log", 1},     Name{ops::Vector::log2, "log2", 1},   Name{ops::Vector::log10, "log10", 1},
    Name{ops::Vector::log1p, "log1p", 1}, Name{ops::Vector::sin, "sin", 1},     Name{ops::Vector::cos, "cos", 1},
    Name{ops::Vector::tan, "tan", 1},     Name{ops::Vector::asin, "asin", 1},   Name{ops::Vector::acos, "acos", 1},
    Name{ops::Vector::atan, "atan", 1},   Name{ops::Vector::sinh, "sinh", 1},   Name{ops::Vector::cosh, "cosh", 1},
    Name{ops::Vector::tanh, "tanh", 1},   Name{ops::Vector::asinh, "asinh", 1}, Name{ops::Vector::acosh, "acosh", 1},
    Name{ops::Vector::atanh, "atanh", 1}, Name{ops::Vector::cbrt, "cbrt", 1},   Name{ops::Vector::pow, "pow", 2},
    Name{ops::Vector::atan2, "atan2", 2}, Name{ops::Vector::hypot, "hypot", 2}, Name{ops::Vector::erf, "erf", 1},
    Name{ops::Vector::erfc, "erfc", 1},
};

struct Functions {
    std::array<void*, names.size() + 1> of_float{};
    std::array<void*, names.size() + 1> of_double{};
    bool any = false;
} functions;

}  // namespace

void load_vector_math(std::string_view instruction_set) {
#if defined(__linux__)
    void* const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed
    if (!library) return;
    // Letter of the instruction set, lanes of a double vector; a float vector has twice as many.
    const auto [letter, lanes] = instruction_set == "x86-64-v4"   ? std::pair{'e', 8}
                                 : instruction_set == "x86-64-v3" ? std::pair{'d', 4}
                                 : instruction_set == "x86-64-v2" ? std::pair{'b', 2}
                                                                  : std::pair{'n', 2};
    const auto find = [&](const Name& name, int width, const char* suffix) {
        const std::string symbol = std::string("_ZGV") + letter + 'N' + std::to_string(width) +
                                   std::string(static_cast<std::size_t>(name.arguments), 'v') + '_' + name.name + suffix;
        void* const address = dlsym(library, symbol.c_str());
        functions.any |= address != nullptr;
        return address;
    };
    for (const Name& name : names) {
        const auto index = static_cast<std::size_t>(name.function);
        functions.of_float[index] = find(name, 2 * lanes, "f");
        functions.of_double[index] = find(name, lanes, "");
    }
#else
    static_cast<void>(instruction_set);
#endif
}

void* vector_function(int index, bool is_double) {
    return (is_double ? functions.of_double : functions.of_float)[static_cast<std::size_t>(index)];
}

bool has_vector_math() {
    instruction_set();  // loads it
    return functions.any;
}

}  // namespace asnumpy::cpu
