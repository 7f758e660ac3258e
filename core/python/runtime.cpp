// The queue, memory, threads and the trace, as Python sees them.
#include <string_view>

#include "cpu/blas.hpp"
#include "cpu/threads.hpp"
#include "device/contract.hpp"
#include "device/machine_code.hpp"
#include "device/trace.hpp"
#include "kernels/kernels.hpp"
#include "kernels/table.hpp"
#include "python/array_object.hpp"
#include "python/bindings.hpp"
#include "python/devices.hpp"
#include "python/living.hpp"
#include "python/origin.hpp"
#include "runtime/passes.hpp"
#include "runtime/recorded_at.hpp"

namespace asnumpy::python {

namespace {

nb::dict memory_info(nb::handle device) {
    Pool& pool = expect_pool(device.ptr());
    const PoolFigures figures = pool.figures();
    nb::dict info;
    info["in_use"] = figures.in_use;
    info["cached"] = figures.cached;
    info["peak"] = figures.peak;
    info["blocks"] = figures.blocks;
    info["requests"] = figures.requests;
    info["hits"] = figures.hits;
    info["limit"] = pool.limit();
    info["total"] = pool.total_memory();
    info["available"] = pool.backend().available_memory();
    return info;
}

nb::list trace_stop() {
    nb::list events;
    for (const trace::Event& event : trace::stop()) {
        nb::dict entry;
        entry["name"] = string(event.name.view());
        entry["category"] = string(event.category.view());
        entry["start_ns"] = event.start_ns;
        entry["duration_ns"] = event.duration_ns;
        entry["bytes"] = event.bytes;
        entry["thread"] = event.thread;
        entry["detail"] = string(event.detail.view());
        entry["lines"] = string(event.lines.view());
        events.append(entry);
    }
    return events;
}

// Called where times are taken, around work that takes no longer than itself.
PyObject* eval(PyObject*, PyObject* const* arrays, Py_ssize_t count) {
    return guarded([&]() -> PyObject* {
        if (count == 0) flush();
        for (Py_ssize_t k = 0; k < count; ++k) make_ready(expect_array(arrays[k], "eval")->array, Access::read);
        Py_RETURN_NONE;
    });
}

PyMethodDef runtime_functions[] = {
    {"eval", fast(eval), METH_FASTCALL, "eval(*arrays)\n--\n\nRuns what the given arrays need, or everything when none is given."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void bind_runtime(nb::module_& m) {
    using nb::arg;
    if (PyModule_AddFunctions(m.ptr(), runtime_functions) < 0) throw_python_error();
    m.def("flush", [] { flush(); });
    m.def("explain", [](nb::handle array) {
        const std::string text = explain(array.is_none() ? nullptr : &expect_array(array.ptr(), "explain")->array).text;
        return string(text);
    }, arg("array") = nb::none());
    m.def("pending_count", [] { return pending_count(); });
    m.def("set_eager", [](bool on) { set_eager(on); }, arg("on"));
    m.def("origin", [] { return string(line_of(origin())); });
    m.def("set_origins", [](bool on) { set_origins(on); }, arg("on"));
    m.def("eager", [] { return eager(); });
    m.def("set_contract", [](bool on) {
        if (on != may_contract) flush();  // what is recorded was meant with the old setting
        may_contract = on;
    }, arg("on"));
    m.def("set_machine_code", [](int when) { machine_code = static_cast<MachineCode>(when); }, arg("when"));
    m.def("contract", [] { return may_contract.load(); });
    m.def("set_eager_size", [](std::int64_t elements) { set_eager_size(elements); }, arg("elements"));
    m.def("eager_size", [] { return eager_size(); });
    m.def("passes", [] {
        nb::list table;
        for (const Pass& pass : passes()) table.append(nb::make_tuple(string(pass.name), string(pass.purpose)));
        return table;
    });
    m.def("set_passes", [](Passes chosen) { set_passes(chosen); }, arg("chosen"));

    m.def("memory_info", memory_info, arg("device") = nb::none());
    m.def("free_all_blocks", [](nb::handle device) {
        Pool& pool = expect_pool(device.ptr());
        pool.free_all_blocks();
        pool.backend().free_pinned_cache();
    }, arg("device") = nb::none());
    m.def("set_memory_limit", [](std::uint64_t bytes, nb::handle device) { expect_pool(device.ptr()).set_limit(bytes); }, arg("bytes"), arg("device") = nb::none());
    bind_living(m);
    m.def("reset_peak", [](nb::handle device) { expect_pool(device.ptr()).reset_peak(); }, arg("device") = nb::none());

    m.def("num_threads", [] { return cpu::thread_count(); });
    m.def("set_num_threads", [](int n) { cpu::set_thread_count(n); }, arg("n"));
    m.def("max_threads", [] { return cpu::max_threads(); });
    m.def("instruction_set", [] { return string(cpu::instruction_set()); });
    m.def("instruction_sets", [] {  // those that this build has and this machine runs, best first
        nb::list names;
        for (const cpu::InstructionSet& set : cpu::instruction_sets())
            if (set.supported()) names.append(string(set.name));
        return names;
    });
    m.def("vector_math", [] { return cpu::has_vector_math(); });

    m.def("blas", [] { return string(cpu::blas_name()); });

    m.def("trace_start", [](std::size_t capacity) { trace::start(capacity); }, arg("capacity") = 65536);
    m.def("trace_stop", trace_stop);
    m.def("trace_lost", [] { return trace::lost(); });
}

}  // namespace asnumpy::python
