// Programs as tuples of names and numbers, and the loops that code may be written for.
#include "python/programs.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <variant>

#include "base/bits.hpp"
#include "cpu/code.hpp"
#include "cpu/strands.hpp"
#include "kernels/kernels.hpp"
#include "python/array_object.hpp"
#include "runtime/queue.hpp"

namespace asnumpy::python {

namespace {

nb::tuple dtype_names(std::span<const DType> dtypes) {
    nb::list result;
    for (const DType dtype : dtypes) result.append(string(name(dtype)));
    return nb::tuple(result);
}

nb::tuple ids(std::span<const ValueId> values) {
    nb::list result;
    for (const ValueId value : values) result.append(value);
    return nb::tuple(result);
}

nb::list pending_programs(nb::handle array) {
    nb::list result;
    for (const Program& program : explain(array.is_none() ? nullptr : &expect_array(array.ptr(), "programs.pending")->array).programs) {
        nb::list strands;
        for (const cpu::Strand& strand : cpu::divide_into_strands(program).strands) strands.append(program_data(strand.program));
        result.append(nb::make_tuple(program_data(program), nb::tuple(strands)));
    }
    return result;
}

// Functions for what was taken by this number.
cpu::Code code(cpu::CodeId id, nb::tuple functions) {
    const auto address = [&](std::size_t k) { return k < functions.size() ? nb::cast<std::uintptr_t>(functions[k]) : 0; };
    if (std::holds_alternative<cpu::Round>(cpu::taken_code(id))) return {.rounds = reinterpret_cast<cpu::RunRounds>(address(0))};
    const auto at = [&](std::size_t k) { return reinterpret_cast<cpu::Loop>(address(k)); };
    return {.forms = {at(0), at(1), at(2)}};
}

bool computes(cpu::CodeId id, nb::tuple functions) {
    const cpu::Coded coded = cpu::taken_code(id);
    const cpu::Code made = code(id, functions);
    if (const auto* const round = std::get_if<cpu::Round>(&coded)) return cpu::computes_round(*round, made.rounds);
    return cpu::computes_strand(std::get<cpu::StrandCode>(coded), made.forms);
}

// The number with which the reduction of a program begins; None: with the first element.
nb::object begins_with(const Program& program) {
    for (const Reduction& reduction : program.reductions)
        if (const DType dtype = program.dtype(reduction.value); begins_with_identity(reduction.row, dtype))
            return nb::int_(neutral(reduction.row, dtype).bytes == Scalar{}.bytes ? 0 : 1);
    return nb::none();
}

// By part: the program, the product's number among the products that are called, or None, so many axes, of each operand how it goes on along them, the number with which its reduction begins, and by step which
// of the loops it calls, -1: none; and the columns.
nb::tuple round_data(const cpu::Round& round) {
    nb::list parts, columns;
    const std::vector<cpu::Loop> called = cpu::called_loops(round);
    const std::vector<cpu::RunProduct> products = cpu::called_products(round);
    for (const cpu::Round::Part& part : round.parts) {
        nb::list strides;
        for (const cpu::Round::Strides& operand : part.strides) {
            nb::list axes;
            for (int axis = 0; axis < part.axes; ++axis) axes.append(static_cast<int>(operand[static_cast<std::size_t>(axis)]));
            strides.append(nb::tuple(axes));
        }
        const nb::object begins = part.program ? begins_with(*part.program) : nb::none();
        nb::list calls;
        if (part.program)
            for (const Step& step : part.program->steps)
                calls.append(cpu::is_called(step) ? static_cast<int>(std::ranges::find(called, cpu::loop(step.row, step.loop)) - called.begin()) : -1);
        nb::object computed = nb::none();
        if (part.program) computed = program_data(*part.program);
        if (part.product) computed = nb::int_(std::ranges::find(products, cpu::product_of(*part.product)) - products.begin());
        parts.append(nb::make_tuple(computed, part.axes, nb::tuple(strides), begins, nb::tuple(calls)));
    }
    for (const std::int32_t column : round.columns) columns.append(column);
    return nb::make_tuple(nb::tuple(parts), nb::tuple(columns));
}

// How many elements an item has, whether they are joined, of each input what it has of an item, and the number with which a reduction
// begins; empty without items.
nb::tuple items_data(const cpu::Items& items, const Program& program) {
    if (!items.any()) return nb::make_tuple();
    constexpr std::array parts{"whole", "one", "same", "number"};
    nb::list of_inputs;
    for (std::size_t i = 0; i < program.inputs.size(); ++i) of_inputs.append(parts[static_cast<std::size_t>(items.part(i))]);
    return nb::make_tuple(items.length(), items.joined(), nb::tuple(of_inputs), begins_with(program));
}

// A program, which of its inputs are one number each, and how it takes items; or a round.
nb::tuple coded_data(const cpu::Coded& coded) {
    if (const auto* const round = std::get_if<cpu::Round>(&coded)) return round_data(*round);
    const auto& [program, numbers, items] = std::get<cpu::StrandCode>(coded);
    nb::list which;
    for (std::size_t i = 0; i < program.inputs.size(); ++i)
        if (has_bit(numbers, i)) which.append(i);
    return nb::tuple(program_data(program) + nb::make_tuple(nb::tuple(which), items_data(items, program)));
}

// (row, loop, dtype, address of the fold)
nb::list folds() {
    nb::list all;
    for (std::size_t id = 0; id < rows().size(); ++id)
        for (std::size_t k = 0; k < rows()[id].loops.size(); ++k) {
            const int loop = static_cast<int>(k);
            const cpu::Fold fold = cpu::fold(static_cast<RowId>(id), loop);
            if (!fold || !cpu::is_plain(static_cast<RowId>(id), loop)) continue;
            all.append(nb::make_tuple(string(rows()[id].name), loop, string(name(rows()[id].loops[k].out[0])), reinterpret_cast<std::uintptr_t>(fold)));
        }
    return all;
}

// (row, loop, dtypes that it takes and gives, address of the loop)
nb::list plain_loops() {
    nb::list all;
    for (std::size_t id = 0; id < rows().size(); ++id) {
        const Row& r = rows()[id];
        for (std::size_t k = 0; k < r.loops.size(); ++k) {
            const int loop = static_cast<int>(k);
            if (!cpu::is_plain(static_cast<RowId>(id), loop)) continue;
            const Signature& s = r.loops[k];
            all.append(nb::make_tuple(string(r.name), loop, dtype_names(std::span(s.in).first(s.nin)), dtype_names(std::span(s.out).first(s.nout)),
                                      reinterpret_cast<std::uintptr_t>(cpu::loop(static_cast<RowId>(id), loop))));
        }
    }
    return all;
}

}  // namespace

nb::tuple program_data(const Program& program) {
    nb::list steps, stores, reductions;
    for (const Step& step : program.steps) {
        const Row& r = row(step.row);
        const Signature& s = r.loops[step.loop];
        nb::list made;
        for (std::size_t k = 0; k < r.nout; ++k) made.append(step.out + k);
        steps.append(nb::make_tuple(string(r.name), step.loop, ids(std::span(step.in).first(r.nin)), nb::tuple(made), dtype_names(std::span(s.out).first(s.nout))));
    }
    for (const Store& store : program.stores) stores.append(store.value);
    for (const Reduction& reduction : program.reductions) reductions.append(nb::make_tuple(string(row(reduction.row).name), reduction.loop, reduction.value));
    return nb::make_tuple(dtype_names(program.inputs), nb::tuple(steps), nb::tuple(stores), nb::tuple(reductions));
}

void bind_programs(nb::module_& module) {
    nb::module_ m = module.def_submodule("programs");
    m.def("pending", pending_programs, nb::arg("array") = nb::none());
    m.def("plain_loops", plain_loops);
    m.def("folds", folds);
    m.def("set_mode", [](int mode) { cpu::set_code_mode(static_cast<cpu::CodeMode>(mode)); }, nb::arg("mode"));
    m.def("anything_wanted", [] { return cpu::anything_wanted(); });
    m.def("take_wanted", [] {
        nb::list taken;
        for (const cpu::WantedCode& wanted : cpu::take_wanted()) taken.append(nb::make_tuple(wanted.id, coded_data(wanted.coded), wanted.effort == cpu::Effort::compile));
        return taken;
    });
    m.def("install", [](cpu::CodeId id, nb::tuple functions) { cpu::install_code(id, code(id, functions)); }, nb::arg("id"), nb::arg("functions"));
    m.def("computes", computes, nb::arg("id"), nb::arg("functions"));
    m.def("leave", [](cpu::CodeId id) { cpu::leave_code(id); }, nb::arg("id"));
    m.def("refuse", [](cpu::CodeId id) { cpu::refuse_code(id); }, nb::arg("id"));
    m.def("forget_taken", [] { cpu::forget_taken(); });
    m.def("use", [] { return nb::make_tuple(cpu::code_use().quicker.load(), cpu::code_use().slower.load()); });
    m.def("row_table", [](const char* row) { return string(cpu::table_of(find_row(row))); }, nb::arg("row"));
    m.def("kernel_options", [] { return string(cpu::kernel_options()); });
}

}  // namespace asnumpy::python
