// Whole arrays' operations that only some devices have, run at the call.
#include <optional>
#include <span>
#include <vector>

#include "device/demotion.hpp"
#include "device/trace.hpp"
#include "runtime/fallback.hpp"
#include "runtime/record.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

std::optional<std::vector<Array>> offered_at_once(RowId id, std::span<const Array> in, std::span<const Outline> outlines, std::int64_t axis, std::int64_t option) {
    if (current_trace()) return std::nullopt;  // nothing runs now
    Pool& pool = in[0].pool();
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
