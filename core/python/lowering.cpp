// How a 910B runs each loop, for the coverage table and its test.
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "ascend/lower/lowering.hpp"
#include "ops/structured.hpp"
#include "python/bindings.hpp"

namespace asnumpy::python {

namespace {

nb::tuple names(std::span<const DType> dtypes) {
    nb::list result;
    for (const DType d : dtypes) result.append(string(name(d)));
    return nb::tuple(result);
}

// (kind, row, input dtypes, output dtypes, path, operators or reason, whether one of these runs on the AICPU); the row of a scan is the operation that it repeats.
void add_entry(nb::list& all, const char* kind, std::string_view row, nb::tuple in, nb::tuple out, const ascend::Explanation& how) {
    all.append(nb::make_tuple(kind, string(row), in, out, string(ascend::name(how.path)), string(how.text), how.aicpu));
}

void add_loops(nb::list& all, RowId id) {
    const Row& r = row(id);
    for (std::size_t loop = 0; loop < r.loops.size(); ++loop) {
        const Signature& s = r.loops[loop];
        const std::span in(s.in.data(), s.nin), out(s.out.data(), s.nout);
        add_entry(all, "elementwise", r.name, names(in), names(out), ascend::explain(id, static_cast<int>(loop)));
        const bool folds = r.reducible && s.nin == 2 && s.nout == 1 && s.in[0] == s.in[1] && s.in[0] == s.out[0];
        if (!folds) continue;
        add_entry(all, "reduction", r.name, names(in.first(1)), names(out), ascend::explain_reduction(id, static_cast<int>(loop)));
        StructuredCall scan;
        scan.row = find_row("scan");
        scan.op = id;
        scan.in = {Tensor{nullptr, s.in[0], {}, {}}};
        scan.out = {Tensor{nullptr, s.out[0], {}, {}}};
        add_entry(all, "scan", r.name, names(in.first(1)), names(out), ascend::explain(scan));
    }
}

// The dtypes of a structured row's operands where its first one has this dtype; ops/structured.hpp says what it takes.
bool has_operands(std::string_view name, DType d, std::vector<DType>& in, std::vector<DType>& out) {
    const bool moves = name == "take" || name == "scatter";
    if (is_narrow(d) && !moves && name != "compress") return false;
    if (name == "matmul") in = {d, d}, out = {d};
    else if ((is_activation(name) || is_normalisation(name)) && is_float(d)) in = {d}, out = {d};
    else if (name == "sort") in = {d}, out = {d, DType::int64};
    else if (moves) in = {d, DType::int64}, out = {d};
    else if (name == "compress") in = {d, DType::boolean}, out = {d};
    else if (name == "argmax" || name == "argmin") in = {d}, out = {DType::int64};
    else if (name == "flatnonzero" && d == DType::boolean) in = {d}, out = {DType::int64};
    else if (name == "bincount" && d == DType::int64) in = {d}, out = {d};
    else if (name == "weighted_counts" && d == DType::int64) in = {d, DType::float64}, out = {DType::float64};
    else if (name == "in_range" && d == DType::int64) in = {d}, out = {DType::boolean};
    else return false;
    return true;
}

// The draws that the device has kernels for; of integers, some below 100.
void add_draws(nb::list& all) {
    static std::array<std::uint64_t, 2> bounds{0, 100};
    const auto add = [&](const char* name, DType d, bool bounded) {
        StructuredCall call;
        call.row = find_row(name);
        for (std::uint64_t& bound : std::span(bounds).first(bounded ? bounds.size() : 0))
            call.in.push_back({reinterpret_cast<char*>(&bound), DType::uint64, {}, {}, true});
        call.out.push_back(Tensor{nullptr, d, {}, {}});
        const std::array of{d};
        add_entry(all, "draw", name, names(of), names(of), ascend::explain(call));
    };
    add("random_random_single", DType::float32, false);
    add("random_random", DType::float64, false);
    for (int i = 0; i < dtype_count; ++i)
        if (const DType d = static_cast<DType>(i); !is_narrow(d) && (is_integer(d) || d == DType::boolean)) add("random_integers", d, true);
}

nb::list lowering() {
    nb::list all;
    for (std::size_t id = 0; id < rows().size(); ++id) {
        const Row& r = rows()[id];
        add_loops(all, static_cast<RowId>(id));
        for (int i = 0; r.kind == RowKind::structured && i < dtype_count; ++i) {
            std::vector<DType> in, out;
            const DType d = static_cast<DType>(i);
            if (is_algebra_row(r.name)) in.assign(r.nin, d), out.assign(r.nout, d);
            else if (!has_operands(r.name, d, in, out)) continue;
            StructuredCall call;
            call.row = static_cast<RowId>(id);
            for (const DType one : in) call.in.push_back(Tensor{nullptr, one, {}, {}});
            for (const DType one : out) call.out.push_back(Tensor{nullptr, one, {}, {}});
            const ascend::Explanation how = ascend::explain(call);
            // made of other rows, or NumPy's
            if ((is_activation(r.name) || is_normalisation(r.name) || is_whole_row(r.name) || is_algebra_row(r.name)) && how.path == ascend::Path::host) continue;
            add_entry(all, "structured", r.name, names(in), names(out), how);
        }
    }
    add_draws(all);
    return all;
}

}  // namespace

void bind_lowering(nb::module_& m) { m.def("lowering", &lowering, "How an Ascend 910B runs each loop of each row."); }

}  // namespace asnumpy::python
