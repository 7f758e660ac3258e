// _core.Ufunc: a callable that resolves types as NumPy does, remembers the answer, and records.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string_view>

#include "python/array_object.hpp"

namespace asnumpy::python {

struct UfuncHead {
    PyObject_HEAD
    PyObject* name;
    vectorcallfunc call;
    int row;  // -1: no elementwise row
    int nin, nout;
    char redirected;  // 1: a rule of the user's may send a call elsewhere; the hook asks it. An attribute of Python's: see is_redirected
    // A kernel from above may compute a call whose first operand lies on a device and has one of these dtypes, a bit each, and so many
    // elements at least; the hook asks it.
    std::atomic<std::uint64_t> kernel_dtypes;
    std::atomic<std::int64_t> kernel_size;
};

// A loop as it is called for one element; `run` is null where the host has none.
struct ScalarLoop {
    ContiguousLoop run = nullptr;
    std::array<DType, 2> in{}, out{};
    bool integer_power = false;
};
struct AskedLoop {
    ScalarLoop loop;
    Flag asked;
};

// A table that is made when somebody first looks into it; whoever comes at the same time gets the same one.
template <class T> class LateTable {
public:
    LateTable() = default;
    ~LateTable() { delete[] table_.load(std::memory_order_relaxed); }
    LateTable(const LateTable&) = delete;
    LateTable& operator=(const LateTable&) = delete;
    T& at(std::size_t index, std::size_t size) {
        T* const table = table_.load(std::memory_order_acquire);
        return (table ? table : make(size))[index];
    }

private:
    T* make(std::size_t size) {
        auto fresh = std::make_unique<T[]>(size);
        T* there = nullptr;
        return table_.compare_exchange_strong(there, fresh.get(), std::memory_order_acq_rel) ? fresh.release() : there;
    }
    std::atomic<T*> table_{nullptr};
};

struct PyUfunc : UfuncHead {
    // The loop for each combination of operand kinds: 0 not asked yet, -1 none, else loop + 1.
    LateTable<std::atomic<std::int16_t>> loops;
    LateTable<AskedLoop> scalar_loops;  // the same for numbers, of functions of one or two operands; under the ufunc's critical section until asked
};
inline bool is_redirected(PyUfunc* u) { return std::atomic_ref(u->redirected).load(std::memory_order_relaxed) != 0; }

// What the operators of arrays call; each is the ufunc that was made last under its name.
enum class Operator : int {
    add, subtract, multiply, divide, floor_divide, remainder, divmod, power, left_shift, right_shift,
    bitwise_and, bitwise_or, bitwise_xor, negative, positive, absolute, invert,
    less, less_equal, equal, not_equal, greater, greater_equal, square, sqrt, reciprocal, matmul, count
};
inline constexpr std::array<const char*, static_cast<std::size_t>(Operator::count)> operator_names{
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "divmod", "power", "left_shift", "right_shift",
    "bitwise_and", "bitwise_or", "bitwise_xor", "negative", "positive", "absolute", "invert",
    "less", "less_equal", "equal", "not_equal", "greater", "greater_equal", "square", "sqrt", "reciprocal", "matmul"};
PyUfunc* operator_ufunc(Operator);

// The common case: every operand an exact array or a number. False when it is none of these and nothing was done.
// On true `result` is a new reference.
bool call_fast(PyUfunc*, PyObject* const* operands, PyObject*& result);
// The same, writing to `self`, the first operand; false also when the result's dtype differs from the array's.
bool call_inplace(PyUfunc*, PyObject* self, PyObject* other);

// The common case of that: Numbers whose values are known, and other numbers. Computed on the host as it is called.
bool call_with_numbers(PyUfunc*, PyObject* const* operands, PyObject*& result);
// The loop of the row for operands of these kinds, -1: none.
int loop_for(PyUfunc*, const int* kinds);

PyObject* call_slowly(PyUfunc*, PyObject* const* operands, Py_ssize_t count, PyObject* keyword_names);

// An exact Python number or a NumPy scalar of a dtype asnumpy holds.
bool is_number(PyObject*);
// `input` becomes the operand in the given dtype; ValueError, TypeError, OverflowError as NumPy when it does not fit.
Input to_input(PyObject*, DType, const char* function);
// ValueError when integers would be raised to a negative power.
void check_integer_power(const Signature&, const Input& base, const Input& exponent);

void register_ufunc_type(PyObject* type);
void create_ufunc_type(nb::module_&);

}  // namespace asnumpy::python
