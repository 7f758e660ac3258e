// What no result needs: instructions whose outputs only the list knows, and no instruction that runs reads.
#include <algorithm>

#include "runtime/passes.hpp"

namespace asnumpy {

std::size_t leave_out_dead(Draft& draft) {
    std::vector<bool> needed(draft.census.marks().size(), false);
    std::size_t found = 0;
    for (std::size_t k = draft.list.size(); k-- > 0;) {
        if (draft.dead[k]) continue;
        const Instruction& instruction = draft.list[k];
        draft.dead[k] = std::ranges::none_of(instruction.out, [&](const Array& out) { return needed[out.buffer->number] || draft.census[*out.buffer].outside; });
        if (draft.dead[k]) {
            ++found;
            continue;
        }
        for (const Argument& in : instruction.in)
            if (const Array* a = in.array()) needed[a->buffer->number] = true;
    }
    return found;
}

}  // namespace asnumpy
