// Views as axes of bytes, in a form in which equal ones are equal whatever the spaces of the programs.
#include "runtime/traffic.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/single.hpp"

namespace asnumpy {

namespace {

struct Touched {
    const Buffer* buffer;
    View bytes;
    const Turned* turned;

    bool operator==(const Touched& o) const {
        return buffer == o.buffer && bytes == o.bytes && (turned == o.turned || (turned && o.turned && *turned == *o.turned));
    }
};

// The view's axes that reach something, then one of the bytes of an element; those joined that follow one another without a gap.
View as_bytes(const Array& a) {
    View made;
    made.offset = a.view.offset;
    const auto add = [&made](std::int64_t length, std::int64_t stride) {
        if (!made.shape.empty() && made.strides.back() == stride * length) {
            made.shape.back() *= length;
            made.strides.back() = stride;
        } else {
            made.shape.push_back(length);
            made.strides.push_back(stride);
        }
    };
    for (int axis = 0; axis < a.ndim(); ++axis)
        if (a.view.strides[axis] != 0 && a.view.shape[axis] != 1) add(a.view.shape[axis], a.view.strides[axis]);
    add(item_bytes(a), 1);
    return made;
}

class Traffic {
public:
    template <class IsHidden> void add(std::span<const Instruction> list, const Fused& fused, IsHidden&& is_hidden) {
        for (std::size_t k = 0; k < fused.inputs.size(); ++k) {
            const auto through = std::ranges::find(fused.through, k, &Fused::Through::input);
            const bool turns = through != fused.through.end();
            const Array* const source = operand_array(list, fused.inputs[k]);
            if (!source || is_hidden(k)) continue;
            const Array& seen = turns ? *operand_array(list, through->reader) : *source;
            if (seen.size() == 0) continue;
            Touched read{source->buffer.get(), as_bytes(seen), turns ? &through->turned : nullptr};
            read.bytes.offset = source->view.offset;
            if (std::ranges::find(written_, read) == written_.end()) note(read_, std::move(read));
        }
        for (std::size_t k = 0; k < fused.outputs.size(); ++k) {
            const Array& made = *operand_array(list, fused.outputs[k]);
            if (made.size() != 0 && !is_hidden(fused.inputs.size() + k)) note(written_, {made.buffer.get(), as_bytes(made), nullptr});
        }
    }
    std::uint64_t bytes() const { return bytes_; }

private:
    void note(std::vector<Touched>& known, Touched touched) {
        if (std::ranges::find(known, touched) != known.end()) return;
        bytes_ += static_cast<std::uint64_t>(touched.bytes.size());
        known.push_back(std::move(touched));
    }

    std::vector<Touched> read_, written_;
    std::uint64_t bytes_ = 0;
};

}  // namespace

std::uint64_t traffic_of(std::span<const Instruction> list, const Schedule::Part& part) {
    if (part.group.alone) return traffic_of(structured_call(list[part.group.members.front()]));
    Traffic traffic;
    traffic.add(list, part.fused, [](std::size_t) { return false; });
    return traffic.bytes();
}

std::uint64_t traffic_of(std::span<const Instruction> list, const Schedule& schedule, std::size_t first, const Stages& stages) {
    Traffic traffic;
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
        const std::vector<Stages::Reach>& reach = stages.stages[s].reach;
        traffic.add(list, schedule.parts[first + s].fused, [&](std::size_t k) { return stages.buffers[static_cast<std::size_t>(reach[k].buffer)].hidden; });
    }
    return traffic.bytes();
}

}  // namespace asnumpy
