// Functions whose plain calls NumPy itself answers, on views of our arrays: few elements, all of them at hand.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/few.hpp"
#include "python/bindings.hpp"
#include "python/creation.hpp"
#include "python/host_values.hpp"
#include "python/number.hpp"
#include "python/numpy_bridge.hpp"
#include "python/quick_calls.hpp"

namespace asnumpy::python {

namespace {

constexpr std::size_t most_arguments = 8;   // of a call, or items of a list among them
constexpr std::int64_t most_elements = 4096;  // of calls that NumPy answers in the end, too: the way there is longer than so many take
constexpr long largest_number = 1024;       // of integers, which may say how many elements to make
constexpr int deepest = 2;                  // lists in lists
enum class Takes { arrays, one_array, numbers };
// Who wants to see each call that is counted: config.host_calls, and a recording of the profiler's.
std::atomic<bool> watched_by_policy{false}, watched_by_recording{false};

bool is_small(PyObject* integer) {
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(integer, &overflow);
    return !overflow && value >= -largest_number && value <= largest_number;
}

// What NumPy gets for the arguments of one call, and what they were.
class Handed {
public:
    Handed(bool writes, std::int64_t most) : writes_(writes), most_(most) {}

    // An object without a value: the call wants a closer look.
    nb::object hand(PyObject* o, int depth = 0) {
        if (is_plain_array(o)) return array(o);
        if (is_number_object(o)) {
            PyNumber* const number = as_number(o);
            if (!is_common(number->value.dtype) || !stays_on(home_of(o)) || !is_known(number)) return {};
            return nb::steal(numpy_scalar_of(number->value));
        }
        if (PyLong_CheckExact(o)) return is_small(o) ? nb::borrow(o) : nb::object();
        if (PyUnicode_CheckExact(o) && PyUnicode_CompareWithASCIIString(o, "wrap") == 0) return {};  // NumPy goes around once for each length that a place is beyond
        if (is_plain_object(o)) return nb::borrow(o);
        if (depth == deepest || !(PyList_CheckExact(o) || PyTuple_CheckExact(o))) return {};
        return items(o, depth);
    }

    // The result as the program gets it; an object without a value where it is none that it may have as it is.
    nb::object back(PyObject* value) {
        for (std::size_t i = 0; i < shown_.size(); ++i)
            if (views_[i].is(value)) return nb::borrow(shown_[i]);
        if (PyArray_Check(value)) {
            auto* const made = reinterpret_cast<PyArrayObject*>(value);
            if (!PyArray_CheckExact(value) || !is_supported(PyArray_DESCR(made)) || !PyArray_ISALIGNED(made) || !is_fresh(made)) return {};
        } else if (Scalar scalar; !numpy_scalar(value, scalar)) {
            return {};
        }
        return nb::steal(adopt_numpy(value, "asarray", *pool_));
    }

    // Whether a call of this kind may be NumPy's. Numbers alone make arrays where new ones lie, of the floats that NumPy makes.
    bool fit(Takes takes) {
        if (takes != Takes::numbers) return !shown_.empty() && (takes == Takes::arrays || shown_.size() == 1);
        pool_ = &default_pool();
        return shown_.empty() && pool_->host_visible() && dtype_to_make(Py_None) == static_cast<int>(DType::float64);
    }

private:
    bool stays_on(Pool& pool) {
        if (!pool_) pool_ = &pool;
        return pool_ == &pool;
    }

    nb::object array(PyObject* o) {
        const Array& a = unwrap(o)->array;
        elements_ += a.size();
        if (a.ndim() == 0 || a.size() == 0 || !is_common(a.dtype) || !is_at_hand(a) || elements_ > most_ || !stays_on(a.pool()) || shown_.size() == most_arguments) return {};
        const bool written = writes_ && shown_.empty();
        if (written && (!unwrap(o)->writeable || a.buffer->pending_reads)) return {};
        views_.emplace_back(temporary(a, written));
        shown_.emplace_back(o);
        return views_[views_.size() - 1];
    }

    nb::object items(PyObject* o, int depth) {
        const Items given(o);
        if (given.size() > most_arguments) return {};
        nb::object made = owned(PyTuple_New(static_cast<Py_ssize_t>(given.size())));
        for (std::size_t i = 0; i < given.size(); ++i) {
            nb::object item = hand(given[i], depth + 1);
            if (!item.is_valid()) return item;
            PyTuple_SET_ITEM(made.ptr(), static_cast<Py_ssize_t>(i), item.release().ptr());
        }
        return PyTuple_CheckExact(o) ? made : owned(PySequence_List(made.ptr()));
    }

    bool writes_;
    std::int64_t most_, elements_ = 0;  // of all arrays together
    Pool* pool_ = nullptr;
    Few<nb::object, most_arguments> views_;
    Few<PyObject*, most_arguments> shown_;  // the array of each view
};

// NumPy's function on the arguments; null where they want a closer look, or it has failed: whoever looks closer then says why.
PyObject* ask_numpy(QuickCall& quick, PyObject* const* arguments, Py_ssize_t count, PyObject* names, bool writes, Takes takes, std::int64_t most) {
    const auto all = static_cast<std::size_t>(count + (names ? PyTuple_GET_SIZE(names) : 0));
    if (!quick.numpys || all > most_arguments || current_trace()) return nullptr;
    if (quick.counted && (watched_by_policy.load(std::memory_order_relaxed) || watched_by_recording.load(std::memory_order_relaxed))) return nullptr;
    Handed handed(writes, most);
    std::array<nb::object, most_arguments> held;
    std::array<PyObject*, most_arguments + 1> given{};  // the first place is the callee's
    for (std::size_t i = 0; i < all; ++i) {
        held[i] = handed.hand(arguments[i]);
        if (!held[i].is_valid()) return nullptr;
        given[i + 1] = held[i].ptr();
    }
    if (!handed.fit(takes)) return nullptr;
    const nb::object result = nb::steal(PyObject_Vectorcall(quick.numpys, given.data() + 1, static_cast<std::size_t>(count) | PY_VECTORCALL_ARGUMENTS_OFFSET, names));
    if (!result.is_valid()) {
        if (PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
        return nullptr;
    }
    nb::object made = with_returned(result.ptr(), [&](PyObject* value) { return handed.back(value); });
    if (made.is_valid() && quick.counted) quick.count.fetch_add(1, std::memory_order_relaxed);
    return made.release().ptr();
}

template <bool writes, Takes takes = Takes::arrays, std::int64_t most = fewest_for_launch>
PyObject* by_numpy(QuickCall& quick, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
    return guarded([&] { return ask_numpy(quick, arguments, count, names, writes, takes, most); });
}

constexpr QuickCall kernel(std::string_view name) { return {name, by_numpy<false>}; }
constexpr QuickCall kernel_in_place(std::string_view name) { return {name, by_numpy<true>}; }
// Of one array alone: NumPy adds up what an array says of how many elements to make without looking whether they are too many.
constexpr QuickCall kernel_of_one(std::string_view name) { return {name, by_numpy<false, Takes::one_array>}; }
constexpr QuickCall kernel_of_numbers(std::string_view name) { return {name, by_numpy<false, Takes::numbers>}; }
// What goes through the host door otherwise, which counts it.
constexpr QuickCall host(std::string_view name) { return {name, by_numpy<false, Takes::arrays, most_elements>, true}; }
constexpr QuickCall host_in_place(std::string_view name) { return {name, by_numpy<true, Takes::arrays, most_elements>, true}; }
// What goes there with few elements alone.
constexpr QuickCall host_of_few(std::string_view name) { return {name, by_numpy<false>, true}; }

QuickCall calls[] = {
    kernel("ascontiguousarray"), kernel("asfortranarray"), kernel("block"), kernel("column_stack"), kernel("digitize"), kernel("dstack"), kernel("hstack"), kernel_of_one("repeat"),
    kernel("tile"), kernel("vstack"), kernel("fft.fftshift"), kernel("fft.ifftshift"),
    kernel("ndarray.nonzero"), kernel_of_one("ndarray.repeat"), kernel("ndarray.tobytes"),
    kernel_of_numbers("geomspace"), kernel_of_numbers("indices"), kernel_of_numbers("linspace"), kernel_of_numbers("logspace"),
    kernel_of_numbers("tril_indices"), kernel_of_numbers("triu_indices"), kernel_of_numbers("fft.fftfreq"), kernel_of_numbers("fft.rfftfreq"),
    kernel_in_place("copyto"), kernel_in_place("fill_diagonal"), kernel_in_place("put"), kernel_in_place("putmask"), kernel_in_place("ndarray.put"),
    host("argpartition"), host("choose"), host("convolve"), host("correlate"), host("histogram2d"), host("insert"), host("interp"),
    host("intersect1d"), host("isin"), host("lexsort"), host("median"), host("nanmedian"), host("nanpercentile"), host("nanquantile"),
    host("packbits"), host("partition"), host("percentile"), host("polyfit"), host("quantile"), host("ravel_multi_index"),
    host("setxor1d"), host("sort_complex"), host("take_along_axis"), host_of_few("union1d"), host_of_few("unique"), host("unpackbits"), host("unravel_index"),
    host("einsum"), host("fft.fft"), host("fft.fft2"), host("fft.fftn"), host("fft.hfft"), host("fft.ifft"), host("fft.ifft2"), host("fft.ifftn"), host("fft.ihfft"),
    host("fft.irfft"), host("fft.irfft2"), host("fft.irfftn"), host("fft.rfft"), host("fft.rfft2"), host("fft.rfftn"), host("linalg.cholesky"),
    host("linalg.cond"), host("linalg.det"), host("linalg.eig"), host("linalg.eigh"), host("linalg.eigvals"), host("linalg.eigvalsh"),
    host("linalg.lstsq"), host("linalg.pinv"), host("linalg.qr"), host("linalg.slogdet"),
    host("linalg.svd"), host("linalg.svdvals"), host("ndarray.argpartition"), host("ndarray.byteswap"), host("ndarray.choose"),
    host_in_place("place"), host_in_place("put_along_axis"), host_in_place("ndarray.partition"), host_in_place("ndarray.sort"),
};

}  // namespace

std::span<QuickCall> calls_of_numpy() { return calls; }

void bind_calls_of_numpy(nb::module_& m) {
    m.def("watch_host_calls", [](const char* why, bool on) { (std::string_view(why) == "policy" ? watched_by_policy : watched_by_recording) = on; }, nb::arg("why"), nb::arg("on"),
          "While somebody watches, calls that count as NumPy's are not answered before Python's code runs; why: \"policy\" or \"recording\".");
    m.def("counted_quickly", [] {
        nb::dict counts;
        for (const QuickCall& each : calls)
            if (const std::uint64_t count = each.count; count > 0) counts[nb::str(each.name.data(), each.name.size())] = count;
        return counts;
    }, "How often NumPy answered before Python's code ran, by name, since the count was emptied.");
    m.def("forget_counted_quickly", [] {
        for (QuickCall& each : calls) each.count = 0;
    });
}

}  // namespace asnumpy::python
