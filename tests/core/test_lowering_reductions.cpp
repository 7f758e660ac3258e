// Reductions of the Ascend backend, on the simulator, beside the CPU backend.
#include "beside_cpu.hpp"

using namespace asnumpy;
using namespace asnumpy::testing;

namespace {

void check_reduction(TestDevice& device, RowId id, int loop) {
    const Row& r = row(id);
    const DType d = r.loops[static_cast<std::size_t>(loop)].in[0];
    const ascend::Folding* const folding = ascend::reduction(id, loop);
    if (!folding) return;
    Program program;
    program.inputs = {d};
    program.reductions.push_back({0, id, static_cast<std::uint16_t>(loop)});
    const auto reference = cpu::cpu_backend().compile(program);
    const bool sums = r.name == "add" || r.name == "multiply" || r.name == "hypot" || r.name.starts_with("logaddexp");
    const bool orderly = sums && inexact(d);
    const bool overflows = r.name == "lcm";  // then the order decides
    const Bytes values = orderly || overflows ? tame(d) : edges(d);
    const bool chooses = r.name.ends_with("max") || r.name.ends_with("maximum") || r.name.ends_with("min") || r.name.ends_with("minimum");  // among zeros of both signs
    for (const Dims& shape : {Dims{3, 5, 4}, Dims{1, 7, 2}, Dims{2, 1, 3}}) {
        for (std::uint64_t reduced = 1; reduced < 8; ++reduced) {
            for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::stepped}) {
                Both in = filled(device, d, shape, layout, values);
                Dims kept;
                for (int axis = 0; axis < 3; ++axis) kept.push_back(reduced >> axis & 1 ? 1 : shape[axis]);
                Both out = filled(device, d, kept, layout == Layout::stepped ? Layout::stepped : Layout::contiguous, values);
                attach(in);
                attach(out);
                const auto as_output = [&](Tensor t) {
                    t.shape = shape;
                    for (int axis = 0; axis < 3; ++axis)
                        if (reduced >> axis & 1) t.strides[axis] = 0;
                    return t;
                };
                Launch launch;
                launch.shape = shape;
                launch.reduced = reduced;
                launch.operands = {{in.host.data, in.host.strides}, {out.host.data, as_output(out.host).strides}};
                reference->run(launch);
                device.launch([&](ascend::Emitter& e) { folding->run(e, in.device, reduced, as_output(out.device)); });
                compare("reduce " + std::string(r.name) + " of " + std::string(name(d)), out, device, orderly ? 32 : chooses ? 1 : 0, chooses ? -1 : 0);
                device.clear();
            }
        }
    }
}

}  // namespace

int main() {
    setenv("ASNUMPY_CANN", CANNSIM_FOLDER, 0);
    setenv("CANNSIM_STRICT", "abort", 0);
    TestDevice device;
    for (std::size_t id = 0; id < rows().size(); ++id)
        for (std::size_t loop = 0; loop < rows()[id].loops.size(); ++loop)
            if (rows()[id].reducible)
                guarded("reduce " + std::string(rows()[id].name) + " of " + std::string(name(rows()[id].loops[loop].in[0])),
                        [&] { check_reduction(device, static_cast<RowId>(id), static_cast<int>(loop)); });
    return verdict();
}
