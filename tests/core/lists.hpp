// Lists of instructions made by hand, and what one pass makes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "runtime/passes.hpp"
#include "runtime/record.hpp"

namespace asnumpy::testing {

inline constexpr std::int64_t n = 6000;

inline Array empty(std::int64_t size = n) { return new_array(Dims{size}, DType::float64, default_pool()); }

inline Instruction elementwise(const char* name, std::vector<Argument> in, Array out) {
    Instruction made;
    made.row = find_row(name);
    Signature s;
    s.nin = static_cast<std::uint8_t>(in.size());
    s.nout = 1;
    for (std::size_t k = 0; k < in.size(); ++k) s.in[k] = in[k].dtype();
    s.out[0] = out.dtype;
    made.loop = static_cast<std::uint16_t>(find_loop(made.row, s));
    made.shape = out.view.shape;
    for (Argument& one : in) made.in.emplace_back(std::move(one));
    made.out.emplace_back(std::move(out));
    return made;
}

inline Instruction copied(const Array& from, Array to) { return elementwise("cast", {from}, std::move(to)); }

inline Instruction total(const Array& of, const Array& to) {
    Instruction made = elementwise("add", {of, of}, to);
    made.in = {};
    made.in.emplace_back(of);
    made.work = Work::reduction;
    made.reduced = 1;
    made.shape = of.view.shape;
    made.out[0].view = View{0, made.shape, Dims{0}};
    return made;
}

inline Instruction structured(const char* name, std::vector<Argument> in, Array out, std::int64_t axis = 0) {
    Instruction made;
    made.work = Work::structured;
    made.row = find_row(name);
    made.axis = axis;
    for (Argument& one : in) made.in.emplace_back(std::move(one));
    made.out.emplace_back(std::move(out));
    return made;
}

// A list, and what one pass made of it.
struct Passed {
    std::vector<Instruction> list;
    Census census;
    std::size_t found = 0;
    std::vector<bool> dead;
    Edits edits;

    Passed(std::vector<Instruction>&& made, std::size_t (*pass)(Draft&)) : list(std::move(made)) {
        census.take(list);
        Draft draft(list, census, false);
        found = pass(draft);
        dead = draft.dead;
        edits = draft.edits;
    }
    const Array& read(std::size_t k, std::size_t slot = 0) const { return *list[k].in[slot].array(); }
    const Array& written(std::size_t k) const { return list[k].out[0]; }
};

// One pass of the table.
inline Passes pass(std::string_view name) {
    for (std::size_t p = 0; p < passes().size(); ++p)
        if (passes()[p].name == name) return Passes{1} << p;
    expect(false, "there is such a pass");
    return 0;
}

// The temporaries of a list are the list's alone, as after the calls that recorded it.
template <class F> std::vector<Instruction> list_of(F&& add) {
    std::vector<Instruction> list;
    add(list);
    return list;
}

}  // namespace asnumpy::testing
