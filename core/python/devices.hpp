// Devices, as Python names them, and copies to the host that nobody asked for by name.
#pragma once

#include <algorithm>
#include <span>

#include "python/number.hpp"

namespace asnumpy::python {

// The pool of what `device=` was given: a name or an asnumpy.Device; an array stands for its device; None is where new
// arrays are made.
Pool& expect_pool(PyObject* device);
PyObject* device_name(const Pool&);  // a new reference
// Before the host gets a copy that nobody asked for by name: TypeError with the remedy unless the setting allows it.
void allow_implicit_copy(const Array&, const char* function);
// And counted, the first large one of a kind reported.
void announce_implicit_copy(const Array&, const char* function);

// Before an array that a program uses element by element comes to the host: false where the settings keep it from that.
bool announce_mirror(const Array&);

// For the rest of the scope this thread makes its new arrays where the first array among these objects lies; tuples
// and lists are looked into.
class OnDeviceOf {
public:
    template <class... A> explicit OnDeviceOf(A*... objects) { static_cast<void>((look_at(reinterpret_cast<PyObject*>(objects)) || ...)); }
    explicit OnDeviceOf(std::span<PyObject* const> objects) { static_cast<void>(std::any_of(objects.begin(), objects.end(), [this](PyObject* o) { return look_at(o); })); }
    ~OnDeviceOf() { if (entered_) exchange_thread_pool(before_); }
    OnDeviceOf(const OnDeviceOf&) = delete;
    OnDeviceOf& operator=(const OnDeviceOf&) = delete;

private:
    bool look_at(PyObject* o) {
        if (is_array(o)) {
            Pool& pool = home_of(o);
            if (&pool != &default_pool()) {
                before_ = exchange_thread_pool(&pool);
                entered_ = true;
            }
            return true;
        }
        if (!PyTuple_Check(o) && !PyList_Check(o)) return false;
        const Items items(o, most_looked_at);
        for (std::size_t i = 0; i < items.size() && left_-- > 0; ++i)
            if (look_at(items[i])) return true;
        return false;
    }

    static constexpr Py_ssize_t most_looked_at = 64;  // a long list is one of numbers

    Pool* before_ = nullptr;
    int left_ = 4096;  // items of all lists: one may contain itself
    bool entered_ = false;
};

}  // namespace asnumpy::python
