// A table of objects by their address, from which each takes itself as it goes.
#include "python/living.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/immortal.hpp"
#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/origin.hpp"
#include "runtime/recorded_at.hpp"

namespace asnumpy::python {
namespace {

struct Birth {
    std::uint64_t number = 0;  // in the order in which they were made, from 1
    Origin origin;
};

struct LivingArrays {
    nb::ft_mutex mutex;  // guards the rest
    std::unordered_map<PyObject*, Birth> births;
    std::uint64_t latest = 0;
};
LivingArrays& living_arrays() {
    static Immortal<LivingArrays> living;
    return *living;
}

void set_living(bool on) {
    if (on == notes_living) return;
    LivingArrays& living = living_arrays();
    std::unordered_map<PyObject*, Birth> forgotten;
    const nb::ft_lock_guard lock(living.mutex);
    forgotten.swap(living.births);
    notes_living = on;
}

// What is told of an array: taken while nothing of Python's runs, which might end arrays.
struct LivingArray {
    Birth birth;
    const Buffer* buffer;
    std::size_t bytes;
    bool has_memory, foreign, is_view;
    std::string device;
    Dims shape;
    DType dtype;
};

std::vector<LivingArray> look_at_living() {
    std::vector<LivingArray> found;
    LivingArrays& living = living_arrays();
    const nb::ft_lock_guard lock(living.mutex);
    for (const auto& [object, birth] : living.births) {
        const auto* const o = reinterpret_cast<const PyArray*>(object);
        const Buffer* const buffer = o->array.buffer.get();
        if (!buffer) continue;
        found.push_back({birth, buffer, buffer->bytes(), buffer->materialised(), buffer->foreign(), o->base != nullptr,
                         buffer->pool().backend().name(), o->array.view.shape, o->array.dtype});
    }
    return found;
}

nb::list living_as_python() {
    nb::list all;
    for (const LivingArray& one : look_at_living()) {
        nb::list shape;
        for (const std::int64_t n : one.shape) shape.append(n);
        all.append(nb::make_tuple(one.birth.number, reinterpret_cast<std::uintptr_t>(one.buffer), one.bytes, one.has_memory, one.foreign, one.is_view,
                                  string(one.device), nb::tuple(shape), string(name(one.dtype)), string(line_of(one.birth.origin))));
    }
    return all;
}

}  // namespace

void note_birth(PyObject* array) noexcept {
    try {
        const Origin here = origin();
        LivingArrays& living = living_arrays();
        const nb::ft_lock_guard lock(living.mutex);
        living.births.insert_or_assign(array, Birth{++living.latest, here});
    } catch (const std::bad_alloc&) {  // then it is not told of
    }
}

void note_death(PyObject* array) noexcept {
    LivingArrays& living = living_arrays();
    const nb::ft_lock_guard lock(living.mutex);
    living.births.erase(array);
}

void bind_living(nb::module_& module) {
    nb::module_ m = module.def_submodule("living");
    m.def("set", set_living, nb::arg("on"));
    m.def("on", [] { return static_cast<bool>(notes_living); });
    m.def("latest", [] {
        LivingArrays& living = living_arrays();
        const nb::ft_lock_guard lock(living.mutex);
        return living.latest;
    });
    m.def("arrays", living_as_python);
}

}  // namespace asnumpy::python
