// Operators of two numbers of the commonest dtypes, where a step costs less than calling a loop: the row's definition stands
// in the operator's slot.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "ops/arithmetic.hpp"
#include "ops/bitwise.hpp"
#include "ops/comparison.hpp"
#include "python/error_state.hpp"
#include "python/number.hpp"
#include "python/ufunc_object.hpp"

namespace asnumpy::python {

template <class Table> constexpr int place_of(std::string_view name, const Table& table) {
    int found = -1, index = 0;
    std::apply([&](const auto&... definition) { ((definition.name == name ? found = index++ : index++), ...); }, table);
    return found;
}

// The row's scalar definition, of the tables that have one which is a step or two of the processor.
template <Operator which> constexpr auto definition_of() {
    constexpr std::string_view name = operator_names[static_cast<std::size_t>(which)];
    if constexpr (constexpr int at = place_of(name, ops::comparison); at >= 0) return std::get<at>(ops::comparison).apply;
    else if constexpr (constexpr int at = place_of(name, ops::bitwise); at >= 0) return std::get<at>(ops::bitwise).apply;
    else if constexpr (constexpr int at = place_of(name, ops::arithmetic); at >= 0) return std::get<at>(ops::arithmetic).apply;
    else return nullptr;
}

template <Operator which> inline constexpr bool is_quick = !std::is_null_pointer_v<decltype(definition_of<which>())>;
template <Operator which, class T> inline constexpr bool takes =
    !(std::is_floating_point_v<T> && place_of(operator_names[static_cast<std::size_t>(which)], ops::bitwise) >= 0);
// Nothing that NumPy's error state watches for can happen in these.
template <Operator which> inline constexpr bool cannot_fail = place_of(operator_names[static_cast<std::size_t>(which)], ops::arithmetic) < 0;

// The operand in T: a Number beside `first` whose value is known, or a number of Python's that T has exactly.
template <class T> bool read_as(PyObject* o, const PyNumber* first, T& value) {
    if (is_number_object(o)) {
        const PyNumber* n = as_number(o);
        if (n->value.dtype != dtype_of_v<T> || !n->known || n->pool != first->pool) return false;
        value = n->value.get<T>();
        return true;
    }
    if (std::is_same_v<T, double> && PyFloat_CheckExact(o)) {
        value = static_cast<T>(PyFloat_AS_DOUBLE(o));
        return true;
    }
    if (!PyLong_CheckExact(o)) return false;
    int overflow = 0;
    const long long given = PyLong_AsLongLongAndOverflow(o, &overflow);
    constexpr long long exact = 1LL << 53;
    if (overflow || (std::is_same_v<T, double> && (given > exact || given < -exact))) return false;
    value = static_cast<T>(given);
    return true;
}

template <class R> PyObject* quick_result(R value, Pool& pool) {
    if constexpr (std::is_same_v<R, bool>) {
        return boolean_number(value, pool);
    } else {
        if (gives_numpys()) [[unlikely]] return number_of(Scalar::of(value), pool);
        PyNumber* made = blank_number(dtype_of_v<R>, pool);
        std::memcpy(made->value.bytes.data(), &value, sizeof value);
        made->known = true;
        return reinterpret_cast<PyObject*>(made);
    }
}

template <Operator which, class T, class... Operand> PyObject* quick_in(const PyNumber* first, Operand*... operands) {
    if constexpr (!takes<which, T>) {
        return nullptr;
    } else {
        T values[sizeof...(Operand)];
        std::size_t i = 0;
        if (!(read_as<T>(operands, first, values[i++]) && ...)) return nullptr;
        if (!cannot_fail<which> && errors_are_watched()) return nullptr;
        if constexpr (sizeof...(Operand) == 1) return quick_result(definition_of<which>()(values[0]), *first->pool);
        else return quick_result(definition_of<which>()(values[0], values[1]), *first->pool);
    }
}

// The operator's result; null where it takes more than this, and nothing was done.
template <Operator which, class... Operand> PyObject* quick(Operand*... operands) {
    if constexpr (is_quick<which>) {
        const PyNumber* first = nullptr;
        static_cast<void>(((is_number_object(operands) && (first = as_number(operands))) || ...));
        if (!first) return nullptr;
        if (first->value.dtype == DType::float64) return quick_in<which, double>(first, operands...);
        if (first->value.dtype == DType::int64) return quick_in<which, std::int64_t>(first, operands...);
    }
    return nullptr;
}

}  // namespace asnumpy::python
