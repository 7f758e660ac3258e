// CANN's end within a Python process.
#pragma once

namespace asnumpy::python {

// Puts CANN's end among Python's exit functions, once; 0, or -1 with a Python exception set. The argument is Py_AddPendingCall's.
int end_at_exit(void* unused = nullptr);

// Does not return to a thread that still works when the process ends and CANN is gone: what it asks for can neither be done
// nor told. As the interpreter does with such threads, it stops.
void stop_after_the_end();

}  // namespace asnumpy::python
