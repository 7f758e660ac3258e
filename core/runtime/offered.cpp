// Whole arrays' operations that only some devices have, run at the call, or recorded where a function is traced.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "device/demotion.hpp"
#include "device/trace.hpp"
#include "runtime/fallback.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

void record_offered(const StructuredCall& call, std::span<const Array> in, std::span<const Array> made) {
    Instruction instruction;
    instruction.work = Work::structured;
    instruction.row = call.row;
    instruction.axis = call.axis;
    instruction.option = call.option;
    std::int64_t size = 0;
    for (const Array& a : in) {
        instruction.in.emplace_back(a);
        size = std::max(size, a.size());
    }
    for (const Array& a : made) instruction.out.emplace_back(a);
    submit(std::move(instruction), size);
}

}  // namespace

std::optional<std::vector<Array>> offered_at_once(RowId id, std::span<const Array> in, std::span<const Outline> outlines, std::int64_t axis, std::int64_t option) {
    Pool& pool = in[0].pool();
    if (current_trace() && !pool.host_visible()) return std::nullopt;  // a device may refuse it when it runs
    StructuredCall call;
    call.row = id;
    call.axis = axis;
    call.option = option;
    for (const Array& a : in) {
        if (&a.pool() != &pool || a.size() == 0) return std::nullopt;
        call.in.push_back(tensor_of(a));
    }
    for (const Outline& outline : outlines) call.out.push_back({nullptr, outline.dtype, outline.shape, {}});
    if (!pool.backend().offers(call)) return std::nullopt;
    std::vector<Array> made;
    for (const Outline& outline : outlines) made.push_back(new_array(outline.shape, outline.dtype, pool));
    if (current_trace()) {
        record_offered(call, in, made);
        return made;
    }
    for (std::size_t k = 0; k < in.size(); ++k) {
        make_ready(in[k], Access::read);
        call.in[k] = tensor_of(in[k]);
    }
    try {
        without_lock([&] {
            for (std::size_t k = 0; k < made.size(); ++k) {
                made[k].buffer->materialise();
                call.out[k] = tensor_of(made[k]);
            }
            const trace::Span span(row(id).name, "structured");
            pool.backend().run(call);
        });
    } catch (const Uncomputed&) {
        made.clear();
    }
    report_news();
    if (made.empty()) return std::nullopt;
    return made;
}

}  // namespace asnumpy
