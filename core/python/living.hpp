// Array objects that live, with the lines that made them: noted while somebody wants to know.
#pragma once

#include "python/shared.hpp"

namespace asnumpy::python {

inline Flag notes_living;

// Of an object that was just made, or is about to go.
void note_birth(PyObject* array) noexcept;
void note_death(PyObject* array) noexcept;

void bind_living(nb::module_&);

}  // namespace asnumpy::python
