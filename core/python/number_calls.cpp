// Functions of numbers whose values are known: the row's loop is called on the bytes within the objects.
#include <array>
#include <cstring>

#include "python/convert.hpp"
#include "python/number.hpp"
#include "python/ufunc_object.hpp"

namespace asnumpy::python {

namespace {

constexpr std::size_t most_operands = 2;

// One operand: the kind by which it takes part in type resolution, and its bytes where it has a dtype. Nothing is set
// before it is needed: clearing these would take longer than the rest of a call.
struct NumberOperand {
    int kind = 0;
    const void* bytes = nullptr;
    alignas(16) std::byte converted[32];
};

bool read(PyObject* o, NumberOperand& to, Pool*& pool) {
    if (is_number_object(o)) {
        PyNumber* n = as_number(o);
        if (!is_known(n)) return false;
        to.kind = static_cast<int>(n->value.dtype);
        to.bytes = n->value.bytes.data();
        if (!pool || !n->pool->host_visible()) pool = n->pool;
        return true;
    }
    if (const Weak weak = weak_kind(o); weak != Weak::none) {
        to.kind = static_cast<int>(weak);
        return true;
    }
    Scalar scalar;
    if (!numpy_scalar(o, scalar)) return false;
    to.kind = static_cast<int>(scalar.dtype);
    std::memcpy(to.converted, scalar.bytes.data(), sizeof to.converted);
    to.bytes = to.converted;
    return true;
}

template <class T> void store(NumberOperand& operand, T value) {
    std::memcpy(operand.converted, &value, sizeof value);
    operand.bytes = operand.converted;
}

// The operand's value in the loop's dtype; false where a Python number does not fit it.
bool convert(PyObject* o, NumberOperand& operand, DType to) {
    if (operand.kind == static_cast<int>(to)) return true;
    const Weak weak = static_cast<Weak>(operand.kind);
    if (weak == Weak::floating && to == DType::float64) {
        store(operand, PyFloat_AS_DOUBLE(o));
        return true;
    }
    if (weak == Weak::integer && (to == DType::int64 || to == DType::float64)) {
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (!overflow) {
            if (to == DType::int64) store(operand, value);
            else store(operand, static_cast<double>(value));
            return true;
        }
    }
    Scalar scalar;
    if (operand.kind >= dtype_count) {
        if (!weak_scalar(o, to, scalar)) return false;
    } else {
        scalar.dtype = static_cast<DType>(operand.kind);
        std::memcpy(scalar.bytes.data(), operand.bytes, itemsize(scalar.dtype));
        scalar = cast_scalar(scalar, to);
    }
    std::memcpy(operand.converted, scalar.bytes.data(), sizeof operand.converted);
    operand.bytes = operand.converted;
    return true;
}

const ScalarLoop& ask_for_loop(PyUfunc* u, const NumberOperand* operands, AskedLoop& place) {
    ScalarLoop found;
    const std::array kinds{operands[0].kind, u->nin == 2 ? operands[1].kind : 0};
    const int loop = loop_for(u, kinds.data());
    if (loop >= 0) {
        const auto id = static_cast<RowId>(u->row);
        const Signature& signature = row(id).loops[static_cast<std::size_t>(loop)];
        found.in = {signature.in[0], signature.in[1]};
        found.out = {signature.out[0], signature.out[1]};
        found.run = cpu_pool().backend().contiguous_loop(id, loop);
        found.integer_power = u == operator_ufunc(Operator::power) && kind(signature.in[1]) == 'i';
    }
    const nb::ft_object_guard only(reinterpret_cast<PyObject*>(u));
    if (!place.asked) {  // else another thread was quicker
        place.loop = found;
        place.asked = true;
    }
    return place.loop;
}

const ScalarLoop& scalar_loop(PyUfunc* u, const NumberOperand* operands) {
    std::size_t index = static_cast<std::size_t>(operands[0].kind);
    if (u->nin == 2) index = index * operand_kinds + static_cast<std::size_t>(operands[1].kind);
    AskedLoop& found = u->scalar_loops.at(index, u->nin == 2 ? operand_kinds * operand_kinds : operand_kinds);
    return found.asked ? found.loop : ask_for_loop(u, operands, found);
}

bool is_negative(const NumberOperand& exponent, DType d) {
    return dispatch(d, [&]<class T>() {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return std::cmp_less(*static_cast<const T*>(exponent.bytes), 0);
        else return true;  // narrow integers go the general way
    });
}

PyObject* as_result(PyNumber* n) {
    n->known = true;
    PyObject* const made = reinterpret_cast<PyObject*>(n);
    return gives_numpys() ? exchanged(made) : made;
}

}  // namespace

bool call_with_numbers(PyUfunc* u, PyObject* const* given, PyObject*& result) {
    const auto nin = static_cast<std::size_t>(u->nin);
    if (nin > most_operands) return false;
    NumberOperand operands[most_operands];
    const void* sources[most_operands];
    Pool* pool = nullptr;
    for (std::size_t i = 0; i < nin; ++i)
        if (!read(given[i], operands[i], pool)) return false;
    const ScalarLoop& loop = scalar_loop(u, operands);
    if (!loop.run) return false;
    for (std::size_t i = 0; i < nin; ++i) {
        if (!convert(given[i], operands[i], loop.in[i])) return false;
        sources[i] = operands[i].bytes;
    }
    if (loop.integer_power && is_negative(operands[1], loop.in[1])) return false;
    if (!pool) pool = &default_pool();
    if (u->nout == 1 && loop.out[0] == DType::boolean) {
        bool truth = false;
        void* const target = &truth;
        loop.run(&target, sources, 1);
        result = boolean_number(truth, *pool);
        return true;
    }
    PyNumber* made[2] = {blank_number(loop.out[0], *pool), nullptr};
    void* targets[2] = {made[0]->value.bytes.data(), nullptr};
    if (u->nout == 2) {
        made[1] = blank_number(loop.out[1], *pool);
        targets[1] = made[1]->value.bytes.data();
    }
    loop.run(targets, sources, 1);
    if (u->nout == 1) {
        result = as_result(made[0]);
        return true;
    }
    nb::object pair = owned(PyTuple_New(2));
    for (Py_ssize_t i = 0; i < 2; ++i) PyTuple_SET_ITEM(pair.ptr(), i, as_result(made[i]));
    result = pair.release().ptr();
    return true;
}

}  // namespace asnumpy::python
