// Frames are left from the inside until one is not the package's.
#include "python/origin.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/immortal.hpp"
#include "python/hooks.hpp"

namespace asnumpy::python {
namespace {

// The folder of the package, with a separator at its end; empty: not known.
const std::string& package() {
    static const std::string folder = [] {
        const nb::object name = owned(PyUnicode_FromString("asnumpy"));
        const nb::object module = name.is_valid() ? owned(PyImport_GetModule(name.ptr())) : nb::object();
        const nb::object file = module.is_valid() ? owned(PyObject_GetAttrString(module.ptr(), "__file__")) : nb::object();
        const char* const text = file.is_valid() && PyUnicode_Check(file.ptr()) ? PyUnicode_AsUTF8(file.ptr()) : nullptr;
        PyErr_Clear();
        const std::string path = text ? text : "";
        return path.substr(0, path.rfind('/') + 1);
    }();
    return folder;
}

// Names of files that were asked for; a few, which live as long as the process.
const char* kept(std::string_view name) {
    static Immortal<std::set<std::string, std::less<>>> names;
    const auto found = names->find(name);
    return (found != names->end() ? found : names->emplace(name).first)->c_str();
}

// Where a frame is, by its instruction; no file: within the package.
struct Position {
    PyCodeObject* code = nullptr;  // held, so that no other has its address
    int instruction = 0;
    Origin origin;
};

// Work comes from few lines, again and again, and finding the number of a line takes longer than launching it.
Origin origin_of(PyFrameObject* frame) {
    static std::array<Position, 256> positions;
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const int instruction = PyFrame_GetLasti(frame);
    Position& known = positions[(reinterpret_cast<std::uintptr_t>(code) / 16 + static_cast<std::uintptr_t>(instruction)) % positions.size()];
    if (known.code == code && known.instruction == instruction) {
        Py_DECREF(code);
        return known.origin;
    }
    Py_ssize_t length = 0;
    const char* const name = PyUnicode_AsUTF8AndSize(code->co_filename, &length);
    if (!name) PyErr_Clear();
    const std::string_view file(name ? name : "", static_cast<std::size_t>(length));
    PyCodeObject* const before = std::exchange(known.code, code);
    known.instruction = instruction;
    known.origin = {};
    if (name && (package().empty() || !file.starts_with(package()))) known.origin = {kept(file), PyFrame_GetLineNumber(frame)};
    const Origin result = known.origin;
    Py_XDECREF(before);
    return result;
}

}  // namespace

Origin origin() {
    Origin result;
    if (!PyGILState_Check()) return result;
    PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame) {
        result = origin_of(frame);
        PyFrameObject* const outer = result.file ? nullptr : PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = outer;
    }
    return result;
}

}  // namespace asnumpy::python
