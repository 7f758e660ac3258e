// Streams, events and pinned memory, as Python sees them.
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/devices.hpp"
#include "python/numpy_bridge.hpp"
#include "runtime/queue.hpp"

namespace asnumpy::python {

namespace {

// A stream of one's own, until the object dies.
struct Lease {
    Backend& backend;
    StreamId stream;

    Lease(Backend& b, int priority) : backend(b), stream(b.take_stream(priority)) {}
    ~Lease() { backend.give_stream(stream); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
};

constexpr const char* lease_name = "asnumpy.stream";
constexpr const char* event_name = "asnumpy.event";

template <class T> nb::object capsule(std::unique_ptr<T> value, const char* name) {
    nb::capsule made(value.get(), name, [](void* p) noexcept { delete static_cast<T*>(p); });
    value.release();
    return made;
}

Event& event_of(nb::handle capsule) {
    auto* const event = static_cast<Event*>(PyCapsule_GetPointer(capsule.ptr(), event_name));
    if (!event) throw_python_error();
    return *event;
}

// What is recorded is enqueued first, so that it counts as what the stream has to do.
template <class F> auto after_flush(F&& f) {
    flush();
    decltype(f()) result{};
    without_lock([&] { result = f(); });
    return result;
}

template <class F> void run_after_flush(F&& f) {
    flush();
    without_lock(f);
}

Backend& backend_of(nb::handle device) { return expect_pool(device.ptr()).backend(); }

// An ndarray of so many bytes over pinned memory; None where the device's driver pins nothing.
nb::object pinned_memory(std::size_t bytes, nb::handle device) {
    Backend& backend = backend_of(device);
    void* data = nullptr;
    without_lock([&] { data = backend.allocate_pinned(bytes); });
    if (!data) return nb::none();
    struct Held {
        Backend& backend;
        void* data;
        ~Held() { backend.release_pinned(data); }
    };
    nb::object owner = capsule(std::unique_ptr<Held>(new Held{backend, data}), nullptr);
    npy_intp length = static_cast<npy_intp>(bytes);
    nb::object made = owned(PyArray_SimpleNewFromData(1, &length, NPY_UINT8, data));
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(made.ptr()), owner.release().ptr()) < 0) throw_python_error();
    return made;
}

}  // namespace

void bind_streams(nb::module_& m) {
    using nb::arg;
    m.def("new_stream", [](nb::handle device, int priority) {
        Backend& backend = backend_of(device);
        std::unique_ptr<Lease> lease;
        without_lock([&] { lease = std::make_unique<Lease>(backend, priority); });
        const StreamId stream = lease->stream;
        return nb::make_tuple(capsule(std::move(lease), lease_name), stream);
    }, arg("device"), arg("priority"), "A stream's owner and its number.");
    m.def("current_stream", [](nb::handle device) { return current_stream(expect_pool(device.ptr()).number()); }, arg("device"),
          "The number of the stream on which this thread works.");
    m.def("exchange_stream", [](nb::handle device, StreamId stream) { return exchange_stream(expect_pool(device.ptr()).number(), stream); },
          arg("device"), arg("stream"), "Lets this thread work on the stream, and returns the one it had.");
    m.def("streams_in_use", [] { return detail::streams_in_use.load(std::memory_order_relaxed); },
          "Whether a thread ever worked on another stream than a device's first one.");
    m.def("synchronize_stream", [](nb::handle device, StreamId stream) {
        Backend& backend = backend_of(device);
        run_after_flush([&] { backend.synchronize(stream); });
    }, arg("device"), arg("stream"));
    m.def("stream_done", [](nb::handle device, StreamId stream) {
        Backend& backend = backend_of(device);
        return after_flush([&] { return backend.done(stream); });
    }, arg("device"), arg("stream"));
    m.def("stream_handle", [](nb::handle device, StreamId stream) {
        Backend& backend = backend_of(device);
        return after_flush([&] { return backend.stream_handle(stream); });
    }, arg("device"), arg("stream"));
    m.def("order_streams", [](nb::handle device, StreamId before, StreamId after) {
        Backend& backend = backend_of(device);
        run_after_flush([&] { backend.order(before, after); });
    }, arg("device"), arg("before"), arg("after"));

    m.def("new_event", [](nb::handle device, bool timed) {
        Backend& backend = backend_of(device);
        return capsule(backend.make_event(timed), event_name);
    }, arg("device"), arg("timed"));
    m.def("record_event", [](nb::handle event, StreamId stream) {
        Event& e = event_of(event);
        run_after_flush([&] { e.record(stream); });
    }, arg("event"), arg("stream"));
    m.def("wait_event", [](nb::handle event, StreamId stream) {
        Event& e = event_of(event);
        run_after_flush([&] { e.wait(stream); });
    }, arg("event"), arg("stream"));
    m.def("synchronize_event", [](nb::handle event) {
        Event& e = event_of(event);
        without_lock([&] { e.synchronize(); });
    }, arg("event"));
    m.def("event_done", [](nb::handle event) {
        Event& e = event_of(event);
        bool done = false;
        without_lock([&] { done = e.done(); });
        return done;
    }, arg("event"));
    m.def("elapsed_milliseconds", [](nb::handle start, nb::handle end) {
        Event &first = event_of(start), &last = event_of(end);
        double milliseconds = 0;
        without_lock([&] { milliseconds = last.milliseconds_since(first); });
        return milliseconds;
    }, arg("start"), arg("end"));

    m.def("pinned_memory", pinned_memory, arg("bytes"), arg("device"));
    m.def("download_into", [](nb::handle array, nb::handle out, bool blocking) {
        return download_into(expect_array(array.ptr(), "to_numpy"), out.ptr(), blocking);
    }, arg("array"), arg("out"), arg("blocking"));
}

}  // namespace asnumpy::python
