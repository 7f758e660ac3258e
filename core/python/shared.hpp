// What threads share in a Python without the interpreter's lock, and what stands in that lock's place.
//
// With the lock, whoever runs code of this folder is alone with Python's objects until it gives the lock away. Without it (a build for a
// free-threaded Python: NB_FREE_THREADED) all threads run at once, and this folder keeps to these rules, which cost nothing where there is the lock:
//
// 1. What is made at import and never changed (types, hooks, names, the functions of operators) needs no lock.
// 2. A setting, or that something is known, is a Flag or another atomic: its writer has written everything else before.
// 3. An object's own tables and late values (a Number's value and array, the known forms of a jitted function, the checked calls of an
//    operator) are under the critical section of that object, the few tables of the folder under an nb::ft_mutex. Both are held for moments:
//    nobody runs Python code, waits, or drops an object while holding one; what goes out of a table is destroyed afterwards.
// 4. Lists that a program gave are read through Items; references to what lies in a list or dict of its are never borrowed from there.
// 5. Recording and running have the queue's locks, which know nothing of Python (runtime/queue_state.hpp).
// 6. Elements are the program's to guard, as NumPy's are; so are the few statements that give an array another layout or memory (a.shape = ...,
//    resize, donation to jit, assignment to a 0-d number): no other thread uses that very array object meanwhile.
#pragma once

#include <atomic>
#include <span>

#include "python/errors.hpp"

namespace asnumpy::python {

#ifdef NB_FREE_THREADED
inline constexpr bool has_interpreter_lock = false;
#else
inline constexpr bool has_interpreter_lock = true;
#endif

// A truth that one thread tells others. Who sees it set sees what was written before.
class Flag {
public:
    Flag& operator=(bool value) {
        if constexpr (has_interpreter_lock) value_ = value;
        else std::atomic_ref(value_).store(value, std::memory_order_release);
        return *this;
    }
    operator bool() const {
        if constexpr (has_interpreter_lock) return value_;
        else return std::atomic_ref(const_cast<bool&>(value_)).load(std::memory_order_acquire);
    }

private:
    bool value_ = false;
};

// The items of a tuple or list, no more than so many, as they are now: where others may change a list meanwhile, those of a copy.
class Items {
public:
    explicit Items(PyObject* o, Py_ssize_t most = PY_SSIZE_T_MAX) {
        if constexpr (!has_interpreter_lock) {
            if (PyList_Check(o)) {
                held_ = owned(PyList_GetSlice(o, 0, most));
                o = held_.ptr();
            }
        }
        const Py_ssize_t size = PySequence_Fast_GET_SIZE(o);
        items_ = {PySequence_Fast_ITEMS(o), static_cast<std::size_t>(size < most ? size : most)};
    }
    PyObject* operator[](std::size_t i) const { return items_[i]; }
    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }
    PyObject* const* data() const { return items_.data(); }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }

private:
    nb::object held_;
    std::span<PyObject* const> items_;
};

// Names of attributes and keywords, and the like, made at import: a static object of a function is made under a lock of the language's,
// for which no thread may wait while the interpreter waits for that thread.
struct Interned {
    PyObject *out, *numpy, *call, *call_checked, *array_finalize, *cpu;
};
inline Interned interned{};
void load_interned();

}  // namespace asnumpy::python
