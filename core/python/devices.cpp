// Devices, moves between them, and the count of what left them.
#include "python/devices.hpp"

#include <atomic>
#include <string>
#include <vector>

#include "base/documentation.hpp"
#include "device/demotion.hpp"
#include "python/bindings.hpp"
#include "python/numpy_bridge.hpp"
#include "runtime/copies.hpp"
#include "runtime/fallback.hpp"

namespace asnumpy::python {

namespace {

std::atomic<FallbackPolicy> implicit_copies{FallbackPolicy::warn};
constexpr std::int64_t large_copy = 1 << 20;  // bytes from which a copy that nobody asked for is worth a word

std::string text(PyObject* o) {
    const nb::object string = owned(PyObject_Str(o));
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
    if (!data) throw_python_error();
    return {data, static_cast<std::size_t>(size)};
}

const char* word(FallbackKind kind) {
    switch (kind) {
        case FallbackKind::operation: return "operation";
        case FallbackKind::call: return "call";
        default: return "copy";
    }
}

// The caller has checked the word.
FallbackPolicy policy(nb::handle word) {
    const std::string given = text(word.ptr());
    if (given == "error") return FallbackPolicy::error;
    return given == "warn" ? FallbackPolicy::warn : FallbackPolicy::count;
}

nb::list list_fallbacks() {
    nb::list all;
    for (const Fallback& f : fallbacks()) {
        nb::dict entry;
        entry["kind"] = word(f.kind);
        entry["function"] = string(f.function);
        entry["dtypes"] = string(f.dtypes);
        entry["device"] = string(f.device);
        entry["reason"] = string(f.reason);
        entry["count"] = f.count;
        entry["bytes"] = f.bytes;
        all.append(entry);
    }
    return all;
}

nb::list list_demotions() {
    nb::list all;
    for (const Demotion& one : demotions()) {
        nb::dict entry;
        entry["what"] = string(one.what);
        entry["kind"] = one.operation ? "operation" : "operator";
        entry["device"] = string(one.device);
        entry["code"] = one.code;
        entry["reason"] = string(one.reason);
        entry["count"] = one.count;
        all.append(entry);
    }
    return all;
}

void take_demotions(const nb::list& known) {
    std::vector<Demotion> all;
    for (const nb::handle entry : known) {
        const auto field = [&entry](const char* name) { return text(nb::object(entry[name]).ptr()); };
        all.push_back({.what = field("what"), .device = field("device"), .operation = field("kind") == "operation", .code = nb::cast<int>(entry["code"]), .reason = field("reason")});
    }
    apply_demotions(all);
}

// Whether a list or tuple, or one in it, holds arrays whose memory the host cannot read. Lists deeper than an array has
// axes (they may contain themselves) are objects.
bool holds_device_values(PyObject* o, int depth = max_ndim) {
    if (is_array(o)) return !home_of(o).host_visible();
    if (depth == 0 || (!PyTuple_CheckExact(o) && !PyList_CheckExact(o))) return false;
    const Items items(o);
    return std::ranges::any_of(items, [depth](PyObject* item) { return holds_device_values(item, depth - 1); });
}

nb::object move_to(nb::handle array, nb::handle device) {
    Pool& pool = expect_pool(device.ptr());
    if (is_number_object(array.ptr()) && is_known(as_number(array.ptr()))) return nb::steal(number_of(as_number(array.ptr())->value, pool));
    PyArray* a = expect_array(array.ptr(), "to_device");
    if (&pool == &a->array.pool()) return nb::borrow(array);
    Array there = moved(a->array, pool);
    return nb::steal(is_number_object(array.ptr()) ? wrap_result(std::move(there)) : wrap(std::move(there)));
}

}  // namespace

Pool& expect_pool(PyObject* device) {
    if (device == Py_None) return default_pool();
    if (is_array(device)) return home_of(device);
    return pool_of(parse_device(text(device)));
}

PyObject* device_name(const Pool& pool) {
    if (&pool == &cpu_pool()) return Py_NewRef(interned.cpu);
    return checked(PyUnicode_FromString(pool.backend().name().c_str()));
}

void allow_implicit_copy(const Array& a, const char* function) {
    if (implicit_copies == FallbackPolicy::error)
        throw TypeError(std::string(function) + ": the array lies on " + a.pool().backend().name() + ", whose memory the host cannot read; "
                        "asnumpy.to_numpy(a) copies it to the host, asnumpy.config.implicit_copies = 'warn' or 'count' lets this happen by itself" +
                        see(Explained::implicit_copy));
}

void announce_implicit_copy(const Array& a, const char* function) {
    allow_implicit_copy(a, function);
    const std::string device = a.pool().backend().name();
    const bool tell = note_fallback(FallbackKind::copy, function, name(a.dtype), device, "copied to the host without being asked by name",
                                    static_cast<std::uint64_t>(a.nbytes()), a.nbytes() >= large_copy);
    if (tell && implicit_copies == FallbackPolicy::warn)
        report(std::string(function) + " copies an array of " + std::to_string(a.nbytes()) + " bytes from " + device +
               " to the host; large copies are reported once, asnumpy.fallbacks() counts all, asnumpy.to_numpy(a) says so by name" + see(Explained::implicit_copy));
}

bool announce_mirror(const Array& a) {
    if (implicit_copies == FallbackPolicy::error) return false;
    const std::string device = a.pool().backend().name();
    const std::size_t bytes = a.buffer->bytes();
    const bool tell = note_fallback(FallbackKind::copy, "ndarray.__getitem__", name(a.dtype), device,
                                    "used element by element: kept on the host until work on the device writes it", bytes);
    if (tell && implicit_copies == FallbackPolicy::warn)
        report("the elements of an array of " + std::to_string(bytes) + " bytes on " + device + " are used one by one: it is kept on the host until work on "
               "the device writes it; loops over elements are faster with an array of device=\"cpu\", operations on whole arrays on the device");
    return true;
}

void bind_devices(nb::module_& m) {
    using nb::arg;
    m.def("devices", [] {
        nb::list all;
        for (const Device& device : devices()) all.append(string(to_string(device)));
        return all;
    });
    m.def("device_name", [](nb::handle device) { return string(to_string(parse_device(text(device.ptr())))); }, arg("device"));
    m.def("default_device", [] { return nb::steal(device_name(default_pool())); });
    m.def("set_default_device", [](nb::handle device) { set_default_device(parse_device(text(device.ptr()))); }, arg("device"));
    m.def("set_default_device_later", [](const char* name, const char* origin) { set_default_device_later(name, origin); }, arg("name"), arg("origin"));
    m.def("set_memory_limit_later", [](std::uint64_t bytes) { limit_default_device_later(bytes); }, arg("bytes"));
    m.def("exchange_thread_device", [](nb::handle device) -> nb::object {
        Pool* const before = exchange_thread_pool(device.is_none() ? nullptr : &expect_pool(device.ptr()));
        return before ? nb::steal(device_name(*before)) : nb::none();
    }, arg("device").none(), "Gives this thread a device for new arrays, None for the process's, and returns what it had.");
    m.def("holds_device_values", [](nb::handle values) {
        return pools_in_use().size() > 1 && holds_device_values(values.ptr());
    }, arg("values").none());
    m.def("to_device", move_to, arg("array"), arg("device"));
    m.def("lies_together", [](nb::handle array) { return lies_together(expect_array(array.ptr(), "to_numpy")->array); }, arg("array"));
    m.def("numpy_copy", [](nb::handle array, bool as_it_lies) { return nb::steal(numpy_copy(expect_array(array.ptr(), "to_numpy"), as_it_lies)); },
          arg("array"), arg("as_it_lies") = false);
    m.def("numpy_copies", [](nb::list given) {
        std::vector<Array> arrays;
        for (nb::handle one : given) arrays.push_back(expect_array(one.ptr(), "to_numpy")->array);
        for (const Array& a : arrays) make_ready(a, Access::read);
        without_lock([&] { arrays = downloaded_together(arrays); });
        nb::list copies;
        for (Array& a : arrays) copies.append(nb::steal(to_numpy(unwrap(owned(wrap(std::move(a))).ptr()), true)));
        return copies;
    }, nb::arg("arrays"), "Copies of a device's arrays, which are not empty, as they lie: those that share memory do so in their copies.");
    m.def("announce_implicit_copy", [](nb::handle array, const char* function) {
        const Array& a = expect_array(array.ptr(), "asarray")->array;
        if (!a.host_visible()) announce_implicit_copy(a, function);
    }, arg("array"), arg("function"));
    m.def("synchronize", [] {
        flush();
        without_lock([] {
            for (Pool* pool : pools_in_use()) pool->backend().synchronize();
        });
    });

    m.def("fallbacks", list_fallbacks);
    m.def("forget_fallbacks", [] { forget_fallbacks(); });
    m.def("demotions", list_demotions);
    m.def("apply_demotions", take_demotions);
    m.def("forget_demotions", [] { forget_demotions(); });
    m.def("count_fallback", [](const char* function, const char* dtypes, nb::handle device, const char* reason, std::uint64_t bytes) {
        count_fallback(FallbackKind::call, function, dtypes, text(device.ptr()), reason, bytes);
    }, arg("function"), arg("dtypes"), arg("device"), arg("reason"), arg("bytes"));
    m.def("set_fallback_policy", [](nb::handle word) { set_fallback_policy(policy(word)); }, arg("policy"));
    m.def("set_implicit_copies", [](nb::handle word) { implicit_copies = policy(word); }, arg("policy"));
}

}  // namespace asnumpy::python
