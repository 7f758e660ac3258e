// The names that are made at import.
#include "python/shared.hpp"

#include <utility>

namespace asnumpy::python {

void load_interned() {
    constexpr std::pair<PyObject* Interned::*, const char*> table[] = {
        {&Interned::out, "out"}, {&Interned::numpy, "numpy"}, {&Interned::call, "_call"}, {&Interned::call_checked, "call_checked"},
        {&Interned::array_finalize, "__array_finalize__"}, {&Interned::cpu, "cpu"},
    };
    for (const auto& [place, text] : table) interned.*place = checked(PyUnicode_InternFromString(text));
}

}  // namespace asnumpy::python
