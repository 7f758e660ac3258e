// CANN as Python sees it: what was looked for and found, the stream of a device's arrays, what the engine called.
#include <optional>
#include <string>
#include <vector>

#include "ascend/backend.hpp"
#include "ascend/kernel/compiler.hpp"
#include "ascend/kernel/kept.hpp"
#include "ascend/kernel/program_kernels.hpp"
#include "ascend/library/cann.hpp"
#include "ascend/library/options.hpp"
#include "ascend/library/places.hpp"
#include "ascend/launch/device_state.hpp"
#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/cann_arguments.hpp"
#include "python/ending.hpp"

namespace asnumpy::python {

namespace {

nb::list strings(const std::vector<std::string>& texts) {
    nb::list list;
    for (const std::string& text : texts) list.append(string(text));
    return list;
}

nb::dict cann_search() {
    const ascend::Search* found = nullptr;
    {
        const nb::gil_scoped_release released;  // CANN takes its time to start
        found = &ascend::search();
    }
    if (ascend::in_use() && end_at_exit()) throw nb::python_error();
    nb::list tried;
    for (const auto& [place, outcome] : found->tried) tried.append(nb::make_tuple(string(place), string(outcome)));
    nb::dict search;
    search["asked"] = string(found->asked);
    search["tried"] = tried;
    search["folder"] = string(found->folder);
    search["loaded"] = found->loaded;
    search["simulated"] = found->simulated;
    search["version"] = string(found->version);
    search["facts"] = string(found->facts);
    search["chip"] = string(found->chip);
    search["devices"] = ascend::device_count();
    search["missing"] = strings(found->missing);
    search["absent"] = strings(found->absent);
    nb::list libraries;
    for (const auto& [path, outcome] : found->libraries) libraries.append(nb::make_tuple(string(path), string(outcome)));
    search["libraries"] = libraries;
    search["operator_files"] = string(found->operators);
    search["doubts"] = strings(found->doubts);
    search["failure"] = string(ascend::why_not());
    return search;
}

nb::dict cann_call_counts(int device) {
    nb::dict counts;
    for (const auto& [name, count] : ascend::call_counts(device))
        counts[nb::str(name.data(), name.size())] = nb::make_tuple(count.calls, count.cached, count.nanoseconds, count.bytes, count.inside, count.replayed);
    return counts;
}

nb::dict cann_graphs() {
    nb::dict all;
    for (const auto& [name, figures] : ascend::graph_figures()) {
        nb::dict one;
        one["captures"] = figures.captures;
        one["replays"] = figures.replays;
        one["refused"] = figures.refused;
        one["kept"] = figures.kept;
        one["bytes"] = figures.bytes;
        all[string(name)] = one;
    }
    return all;
}

void note_foreign_use(const Array& a, bool written) {
    if (a.host_visible() || a.size() == 0) return;
    const Extent reach = extent(a.view, static_cast<std::int64_t>(itemsize(a.dtype)));
    without_lock([&] { a.pool().backend().prepare_use(a.buffer->data() + reach.low, static_cast<std::size_t>(reach.high - reach.low), written); });
}

ascend::Origin binary_origin(const nb::bytes& source, const nb::bytes& compiler) {
    return {std::string(source.c_str(), source.size()), std::string(compiler.c_str(), compiler.size())};
}

// What a check of this machine allows (`python -m asnumpy check`); by the main thread, soon after CANN has started.
int take_what_was_checked(void*) {
    try {
        nb::module_::import_("asnumpy.runtime.machine").attr("take_what_was_checked")();
    } catch (nb::python_error& e) {
        e.restore();
        return -1;
    }
    return 0;
}

}  // namespace

void bind_cann(nb::module_& m) {
    using nb::arg;
    ascend::on_start([] {
        Py_AddPendingCall(end_at_exit, nullptr);
        Py_AddPendingCall(take_what_was_checked, nullptr);
    });
    m.def("cann_search", cann_search);
    m.def("simulator_folder", [](const char* version) { return string(ascend::simulator_folder(version)); }, arg("version"),
          "Of the simulator's libraries, for a version of CANN; loads nothing.");
    m.def("cann_stream", [](int device) {
        const Pool& pool = ascend::pool(device);
        return pool.backend().stream_handle(current_stream(pool.number()));
    }, arg("device"), "The aclrtStream on which this thread's work with a device's arrays runs.");
    m.def("cann_wait_milliseconds", ascend::wait_milliseconds, "asnumpy.config.timeout as CANN's functions take it; 0: no limit.");
    m.def("cann_address", [](nb::handle array, bool written) {
        const Array& a = expect_array(array.ptr(), "cann.op")->array;
        make_ready(a, written ? Access::write : Access::read);
        note_foreign_use(a, written);
        return reinterpret_cast<std::uintptr_t>(a.data());
    }, arg("array"), arg("written"),
          "Of the first element, after what is recorded and concerns it was enqueued, and after what other streams do with it; to be used before anything else is.");
    m.def("cann_graphs", cann_graphs, "By device that was used: launches captured, replayed and refused, graphs kept, and the bytes that are theirs.");
    m.def("program_kernels", [] {
        nb::list all;
        for (const ascend::ProgramKernel* kernel : ascend::program_kernels()) all.append(nb::make_tuple(string(kernel->kernel().name()), string(kernel->text()), kernel->built(), kernel->launches(), string(kernel->why_not())));
        return all;
    }, "The kernels of fused programs on NPUs: name, text, whether it is compiled, how often it was launched, why the compiler refused it.");
    m.def("set_graph_replay", [](bool on) { ascend::enable_graphs(on); }, arg("on"), nb::call_guard<nb::gil_scoped_release>());
    m.def("set_timeout", [](double seconds) { ascend::limit_waits(seconds); }, arg("seconds"), nb::call_guard<nb::gil_scoped_release>());
    m.def("set_matmul_precision", [](int cube_math_type) {
        flush();  // what is recorded was meant with the old setting
        ascend::set_matmul_precision(static_cast<ascend::MatmulPrecision>(cube_math_type));
    }, arg("cube_math_type"), nb::call_guard<nb::gil_scoped_release>());
    m.def("set_deterministic", [](bool on) {
        flush();
        ascend::make_deterministic(on);
    }, arg("on"), nb::call_guard<nb::gil_scoped_release>());
    m.def("cann_uses", [](int device, nb::list spans) {
        const std::vector<Use> uses = uses_of(spans);
        without_lock([&] {
            for (const Use& use : uses) ascend::pool(device).backend().prepare_use(use.data, use.bytes, use.written);
        });
    }, arg("device"), arg("spans"), "Work of CANN's on the stream that cann_stream() names uses these bytes (low, high, written): to be called before it is enqueued and after.");
    m.def("set_memory_policy", [](int policy) { ascend::choose_memory_policy(policy); }, arg("policy"), nb::call_guard<nb::gil_scoped_release>());
    m.def("cann_allocate", [](int device, int policy, std::size_t bytes) {
        void* data = nullptr;
        StreamId stream = 0;
        without_lock([&] {
            Pool& pool = ascend::pool(device, policy);
            stream = current_stream(pool.number());
            data = pool.allocate(bytes, stream);
        });
        return nb::make_tuple(reinterpret_cast<std::uintptr_t>(data), stream);
    }, arg("device"), arg("policy"), arg("bytes"), "Memory by one of CANN's policies, and the stream for which it was taken. MemoryError.");
    m.def("cann_deallocate", [](int device, int policy, std::uintptr_t address, std::size_t bytes, StreamId stream) {
        if (!ascend::ended()) ascend::pool(device, policy).deallocate(reinterpret_cast<void*>(address), bytes, stream);
    }, arg("device"), arg("policy"), arg("address"), arg("bytes"), arg("stream"), nb::call_guard<nb::gil_scoped_release>(),
          "Gives it back without a wait: whoever gets it next uses it later, in order with the device's work.");
    m.def("cann_free_blocks", ascend::free_blocks_by_policy, nb::call_guard<nb::gil_scoped_release>(), "What is left of such memory goes back to CANN.");
    m.def("cann_expect_whole", [](int device, nb::handle span) {
        const Use use = use_of(span);
        ascend::device(device).damage.expect_whole(use.data, use.bytes);
    }, arg("device"), arg("span"), "CannError where work that failed should have written one of these bytes.");
    m.def("cann_heal", [](int device, nb::handle span) {
        const Use use = use_of(span);
        ascend::device(device).damage.heal(use.data, use.bytes);
    }, arg("device"), arg("span"), "The bytes have other values from now on, or another owner.");
    m.def("cann_failed", [](int device, const char* text, const char* function, int code, const char* message) {
        ascend::device(device).learn(DeviceFailure(text, function, code, message));
    }, arg("device"), arg("text"), arg("function"), arg("code"), arg("message"),
          "To be called when a wait for all of a device was given a code: arrays may be among what has failed, and then this raises CannError, too.");
    m.def("cann_awaited", [](int device) { ascend::device(device).tell_put_off(); }, arg("device"),
          "To be called when a wait for all of a device was good: raises what has failed there that nobody was told of.");
    m.def("kernel_compiler", [] { return nb::make_tuple(string(ascend::compiler_target()), string(ascend::compiler_identity())); },
          "For what CANN's compiler of kernels compiles, and which one it is; empty: there is none.");
    m.def("kept_kernel", [](nb::bytes source, nb::bytes compiler) -> nb::object {
        const std::optional<std::string> found = ascend::kept_binary(binary_origin(source, compiler));
        return found ? nb::object(nb::bytes(found->data(), found->size())) : nb::none();
    }, arg("source"), arg("compiler"), "A binary that was kept on disk of what was compiled from this, or None.");
    m.def("keep_kernel", [](nb::bytes source, nb::bytes compiler, nb::bytes binary) {
        return ascend::keep_binary(binary_origin(source, compiler), std::string(binary.c_str(), binary.size()));
    }, arg("source"), arg("compiler"), arg("binary"), "Keeps it for other processes; false where it cannot.");
    m.def("kept_place", [] { return nb::make_tuple(string(ascend::kept_place()), ascend::most_files, ascend::most_kept_bytes); },
          "The folder of what keep_kernel keeps, the most files there and their most bytes.");
    m.def("kept_file", [](const char* path) {
        const ascend::KeptFile kept = ascend::kept_file(path);
        const auto bytes = [](const std::string& text) { return nb::bytes(text.data(), text.size()); };
        return nb::make_tuple(bytes(kept.origin.source), bytes(kept.origin.compiler), bytes(kept.binary));
    }, arg("path"), "Source, compiler and binary of a file there; ValueError says what is wrong with it.");
    m.def("drop_kernel", [](nb::bytes source) { ascend::drop_binary(binary_origin(source, nb::bytes("", 0))); }, arg("source"));
    m.def("cann_pause_graphs", [](int device) { ascend::device(device).graphs.pause(); }, arg("device"), nb::call_guard<nb::gil_scoped_release>(),
          "No capture begins on the device until cann_resume_graphs().");
    m.def("cann_resume_graphs", [](int device) { ascend::device(device).graphs.resume(); }, arg("device"));
    m.def("cann_call_counts", cann_call_counts, arg("device"),
          "By operator: calls that programs made, those of them that reused an executor, nanoseconds of the host, bytes, the nanoseconds within the two phases, and calls that came with a replayed graph.");
}

}  // namespace asnumpy::python
