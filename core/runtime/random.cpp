// Recording random draws.
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ops/random.hpp"
#include "runtime/copies.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

// `expectation` makes the text, which takes longer than a draw of few numbers.
template <class F> void expect(bool holds, const Row& r, F&& expectation) {
    if (!holds) throw TypeError(std::string(r.name) + ": expected " + expectation());
}

void expect_as_many(std::size_t parameters, const Row& r) {
    expect(parameters == r.nin, r, [&] { return std::to_string(r.nin) + " parameters, got " + std::to_string(parameters); });
}

void expect_parameter(const Array& given, DType wanted, const Row& r) {
    expect(given.dtype == wanted, r, [&] { return "a parameter of dtype " + std::string(name(wanted)) + ", got " + std::string(name(given.dtype)); });
}

const RandomRow* find_random(const Row& r) {
    for (const RandomRow& row : random_rows)
        if (row.name == r.name) return &row;
    return nullptr;
}

// A parameter that is a number, whoever traces meanwhile: what draws keep for numbers is never written again.
Scalar scalar_of(const Array& parameter) {
    if (!is_at_hand(parameter)) return value_of(parameter);
    Scalar number;
    number.dtype = parameter.dtype;
    std::memcpy(number.bytes.data(), parameter.data(), itemsize(parameter.dtype));
    return number;
}

}  // namespace

void draw(RowId id, const Stream& stream, std::span<const Array> parameters, const Array& out, std::int64_t option) {
    const Row& r = row(id);
    expect_as_many(parameters.size(), r);
    expect(is_c_contiguous(out.view, item_bytes(out)), r, [] { return "a C-contiguous output"; });
    if (const RandomRow* random = find_random(r)) {
        const bool fits = is_float(random->result) ? out.dtype == DType::float64 || out.dtype == DType::float32
                                                   : is_integer(out.dtype) || out.dtype == DType::boolean;
        expect(fits, r, [&] { return "an output that holds " + std::string(name(random->result)) + ", got " + std::string(name(out.dtype)); });
        for (std::size_t i = 0; i < parameters.size(); ++i)
            expect_parameter(parameters[i], random->parameters[i], r);
    } else {
        expect(out.dtype == DType::int64 && out.ndim() > 0, r, [] { return "an int64 output with an axis"; });
        for (std::size_t i = 0; i < parameters.size(); ++i) expect_parameter(parameters[i], i == 0 ? DType::int64 : DType::float64, r);
    }
    Instruction instruction;
    instruction.work = Work::structured;
    instruction.row = id;
    for (const Array& parameter : parameters) {
        if (!out.host_visible() && parameter.host_visible() && parameter.ndim() == 0) {
            instruction.in.emplace_back(scalar_of(parameter));
            continue;
        }
        Array in = may_overlap(parameter, out) ? cast(parameter, parameter.dtype) : parameter;
        in = moved(in, out.pool());
        in.view = broadcast_to(in.view, out.view.shape);
        instruction.in.emplace_back(std::move(in));
    }
    instruction.out.emplace_back(out);
    instruction.option = option;
    instruction.stream = stream;
    if (out.size() == 0) return;
    submit(std::move(instruction), out.size());
}

Scalar draw_one(RowId id, const Stream& stream, std::span<const Scalar> parameters) {
    const Row& r = row(id);
    const RandomRow* const random = find_random(r);
    expect(random, r, [] { return "a row of single numbers"; });
    expect_as_many(parameters.size(), r);
    Scalar result;
    result.dtype = random->result;
    const auto tensor = [](const Scalar& s) { return Tensor{const_cast<char*>(reinterpret_cast<const char*>(s.bytes.data())), s.dtype, {}, {}}; };
    StructuredCall call;
    call.row = id;
    call.stream = stream;
    for (const Scalar& parameter : parameters) call.in.push_back(tensor(parameter));
    call.out.push_back(tensor(result));
    cpu_pool().backend().run(call);  // the number is wanted on the host
    return result;
}

}  // namespace asnumpy
