// Frames are left from the inside until one is not the package's.
#include "python/origin.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/immortal.hpp"
#include "python/hooks.hpp"

namespace asnumpy::python {
namespace {

// Where a frame is, by its instruction; no file: within the package.
struct Position {
    PyCodeObject* code = nullptr;  // held, so that no other has its address
    int instruction = 0;
    Origin origin;
};

// Work comes from few lines, again and again, and finding the number of a line takes longer than launching it.
struct OriginsSeen {
    nb::ft_mutex mutex;  // guards the rest
    std::optional<std::string> package;  // its folder, with a separator at its end; empty: not known
    std::array<Position, 256> positions;
    std::set<std::string, std::less<>> files;  // that were asked for; a few, whose names live as long as the process
};
OriginsSeen& origins_seen() {
    static Immortal<OriginsSeen> seen;
    return *seen;
}

std::string find_package() {
    const nb::object name = owned(PyUnicode_FromString("asnumpy"));
    const nb::object module = name.is_valid() ? owned(PyImport_GetModule(name.ptr())) : nb::object();
    const nb::object file = module.is_valid() ? owned(PyObject_GetAttrString(module.ptr(), "__file__")) : nb::object();
    const char* const text = file.is_valid() && PyUnicode_Check(file.ptr()) ? PyUnicode_AsUTF8(file.ptr()) : nullptr;
    PyErr_Clear();
    const std::string path = text ? text : "";
    return path.substr(0, path.rfind('/') + 1);
}

std::string package_folder(OriginsSeen& seen) {
    const auto known = [&] {
        const nb::ft_lock_guard lock(seen.mutex);
        return seen.package;
    };
    if (const auto folder = known()) return *folder;
    std::string folder = find_package();
    const nb::ft_lock_guard lock(seen.mutex);
    return seen.package.emplace(std::move(folder));
}

Origin origin_of(PyFrameObject* frame) {
    OriginsSeen& seen = origins_seen();
    PyCodeObject* code = PyFrame_GetCode(frame);
    const int instruction = PyFrame_GetLasti(frame);
    Position& known = seen.positions[(reinterpret_cast<std::uintptr_t>(code) / 16 + static_cast<std::uintptr_t>(instruction)) % seen.positions.size()];
    const auto look = [&]() -> std::optional<Origin> {
        const nb::ft_lock_guard lock(seen.mutex);
        return known.code == code && known.instruction == instruction ? std::optional(known.origin) : std::nullopt;
    };
    std::optional<Origin> result = look();
    if (!result) {
        Py_ssize_t length = 0;
        const char* const name = PyUnicode_AsUTF8AndSize(code->co_filename, &length);
        if (!name) PyErr_Clear();
        const std::string_view file(name ? name : "", static_cast<std::size_t>(length));
        const std::string package = package_folder(seen);
        const bool own = !name || (!package.empty() && file.starts_with(package));
        const int line = own ? 0 : PyFrame_GetLineNumber(frame);
        const nb::ft_lock_guard lock(seen.mutex);
        result = own ? Origin{} : Origin{seen.files.emplace(file).first->c_str(), line};
        std::swap(known.code, code);
        known.instruction = instruction;
        known.origin = *result;
    }
    Py_XDECREF(code);
    return *result;
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
