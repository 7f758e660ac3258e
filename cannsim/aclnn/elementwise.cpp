// The builder and the tile loop of elementwise pipelines.
#include "aclnn/elementwise.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "aclnn/parallel.hpp"
#include "base/immortal.hpp"

namespace cannsim {

std::uint8_t Pipeline::slot(DType dtype) {
    plan_.dtypes.push_back(dtype);
    return static_cast<std::uint8_t>(plan_.dtypes.size() - 1);
}

Pipeline::Value Pipeline::in(const Tensor& tensor) {
    const Value value{slot(tensor.dtype), tensor.dtype};
    plan_.inputs.push_back({tensor, value.slot});
    return value;
}

Pipeline::Value Pipeline::constant(double value, DType dtype) { return constant(asnumpy::Scalar::of(value), dtype); }

Pipeline::Value Pipeline::constant(const asnumpy::Scalar& value, DType dtype) {
    Constant made;
    made.value.dtype = dtype;
    void* const out = made.value.bytes.data();
    const void* const in = value.bytes.data();
    converter(value.dtype, dtype)(&out, &in, 1);
    made.slot = slot(dtype);
    plan_.constants.push_back(made);
    return {made.slot, dtype};
}

Pipeline::Value Pipeline::cast(Value value, DType dtype) {
    if (value.dtype == dtype) return value;
    const Value result{slot(dtype), dtype};
    plan_.steps.push_back(Step{converter(value.dtype, dtype), 1, {value.slot, 0, 0}, result.slot});
    return result;
}

Pipeline::Value Pipeline::applied(std::string_view row, std::span<const Value> values) {
    std::array<DType, 3> dtypes{};
    Step step{nullptr, static_cast<std::uint8_t>(values.size()), {}, 0};
    for (std::size_t i = 0; i < values.size(); ++i) {
        dtypes[i] = values[i].dtype;
        step.in[i] = values[i].slot;
    }
    const RowLoops& found = find_row(row);
    const int loop = find_loop(found, {dtypes.data(), values.size()});
    if (loop < 0) throw Refusal{ACLNN_ERR_INNER, text("the simulator's row '", row, "' has no loop for ", asnumpy::name(dtypes[0]))};
    const DType dtype = found.signatures[static_cast<std::size_t>(loop)].out[0];
    step.loop = found.loops[static_cast<std::size_t>(loop)];
    step.out = slot(dtype);
    plan_.steps.push_back(step);
    return {step.out, dtype};
}

void Pipeline::out(Value value, const Tensor& tensor) {
    call_.expect_castable(value.dtype, tensor);
    Dims shape;
    for (const Input& input : plan_.inputs) {
        Tensor joined = input.tensor;
        joined.view.shape = shape;
        shape = call_.broadcast({&joined, &input.tensor});
    }
    call_.expect_shape(tensor, shape);
    plan_.outputs.push_back({tensor, cast(value, tensor.dtype).slot});
}

// A value that a step makes takes a tile that no later step reads any more; what is given keeps its own.
void Pipeline::Plan::share_tiles() {
    constexpr int always = 1 << 20;
    std::vector<int> last(dtypes.size(), -1);
    for (int i = 0; const Step& step : steps) {
        for (std::uint8_t k = 0; k < step.count; ++k) last[step.in[k]] = i;
        ++i;
    }
    for (const Input& input : inputs) last[input.slot] = always;
    for (const Constant& constant : constants) last[constant.slot] = always;
    for (const Output& output : outputs) last[output.slot] = always;
    tiles.assign(dtypes.size(), 0);
    std::vector<std::uint8_t> unused;
    const auto take = [&](std::uint8_t slot) {
        if (unused.empty()) unused.push_back(static_cast<std::uint8_t>(tile_count++));
        tiles[slot] = unused.back();
        unused.pop_back();
    };
    for (const Input& input : inputs) take(input.slot);
    for (const Constant& constant : constants) take(constant.slot);
    for (int i = 0; const Step& step : steps) {
        take(step.out);
        for (std::uint8_t k = 0; k < step.count; ++k)
            if (const std::uint8_t slot = step.in[k]; std::exchange(last[slot], last[slot] == i ? -1 : last[slot]) == i) unused.push_back(tiles[slot]);
        if (last[step.out] < i) unused.push_back(tiles[step.out]);
        ++i;
    }
}

Work Pipeline::work() {
    plan_.share_tiles();
    Work result;
    result.elementwise = true;
    if (!plan_.outputs.empty()) result.operations = static_cast<double>(plan_.outputs[0].tensor.size()) * static_cast<double>(plan_.steps.size());
    result.compute = [plan = std::move(plan_)](const Run& run) { plan.run(run); };
    return result;
}

namespace {

constexpr std::int64_t pipeline_tile = 1024;  // elements: what a few steps need stays in the first cache

// One tile per slot, kept by the thread.
std::byte* scratch(std::size_t bytes) {
    thread_local std::vector<std::byte> memory;
    if (memory.size() < bytes + 64) memory.resize(bytes + 64);
    return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
}

}  // namespace

void Pipeline::Plan::run(const Run& run) const {
    if (outputs.empty()) return;
    const Dims& shape = outputs[0].tensor.shape();
    const std::int64_t size = outputs[0].tensor.size();
    if (size == 0) return;
    std::vector<Cursor> reading, writing;
    for (const Input& input : inputs) reading.emplace_back(broadcast_to(run[input.tensor], shape));
    for (const Output& output : outputs) writing.emplace_back(run[output.tensor]);

    const std::int64_t smallest = (std::int64_t{1} << 17) / static_cast<std::int64_t>(std::max<std::size_t>(steps.size(), 1));
    parallel(size, pipeline_tile, smallest, [&](std::int64_t first, std::int64_t last) { run_part(reading, writing, first, last); });
}

void Pipeline::Plan::run_part(std::vector<Cursor> reading, std::vector<Cursor> writing, std::int64_t first, std::int64_t size) const {
    for (std::vector<Cursor>* const cursors : {&reading, &writing})
        for (Cursor& cursor : *cursors)
            if (!cursor.is_contiguous() && !cursor.is_splat()) cursor.seek(first);
    // Slots in memory: an input or output that lies in one piece is used in place, all others have a tile.
    std::vector<std::byte*> slots(dtypes.size());
    std::size_t widest = 1;
    for (const DType dtype : dtypes) widest = std::max(widest, asnumpy::itemsize(dtype));
    std::byte* const memory = scratch(tile_count * pipeline_tile * widest);
    for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = memory + tiles[i] * pipeline_tile * widest;
    for (const Constant& constant : constants) splat(slots[constant.slot], constant.value.bytes.data(), asnumpy::itemsize(dtypes[constant.slot]), std::min(size, pipeline_tile));
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (reading[i].is_splat()) reading[i].gather(slots[inputs[i].slot], std::min(size, pipeline_tile));

    for (std::int64_t start = first; start < size; start += pipeline_tile) {
        const std::int64_t n = std::min(pipeline_tile, size - start);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            std::byte*& slot = slots[inputs[i].slot];
            if (reading[i].is_contiguous()) slot = reading[i].at(start);
            else if (!reading[i].is_splat()) reading[i].gather(slot, n);
        }
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (writing[i].is_contiguous() && !is_input(outputs[i].slot)) slots[outputs[i].slot] = writing[i].at(start);
        for (const Step& step : steps) {
            void* const out = slots[step.out];
            const void* const in[] = {slots[step.in[0]], slots[step.in[1]], slots[step.in[2]]};
            step.loop(&out, in, static_cast<std::size_t>(n));
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const std::byte* const slot = slots[outputs[i].slot];
            if (!writing[i].is_contiguous()) writing[i].scatter(slot, n);
            else if (slot != writing[i].at(start)) std::memmove(writing[i].at(start), slot, static_cast<std::size_t>(n) * asnumpy::itemsize(dtypes[outputs[i].slot]));
        }
    }
}

// A slot that no step writes: an output that is an input unchanged is copied.
bool Pipeline::Plan::is_input(std::uint8_t slot) const {
    return std::ranges::none_of(steps, [&](const Step& step) { return step.out == slot; });
}

Work plan_elementwise(Call& call, std::string_view row) {
    std::array<int, 3> inputs{};
    std::size_t count = 0;
    int output = -1;
    for (int i = 0; i < static_cast<int>(call.params.size()); ++i) {
        const Parameter& param = call.params[static_cast<std::size_t>(i)];
        if (param.direction != Direction::in) output = i;
        if (param.direction != Direction::out && count < 3) inputs[count++] = i;
    }
    const RowLoops& loops = find_row(row);
    const bool choice = count == 3 && loops.signatures[0].in[0] != loops.signatures[0].in[1];  // where: the condition stays bool
    // The dtype in which it computes: tensors promote among themselves, a scalar gives way to them.
    std::optional<DType> common;
    for (std::size_t i = choice; i < count; ++i) {
        if (call.params[static_cast<std::size_t>(inputs[i])].kind != Kind::tensor) continue;
        const Tensor t = call.tensor_at(inputs[i]);
        common = common ? call.promote(*common, t.dtype, t.name) : t.dtype;
    }
    for (std::size_t i = choice; i < count; ++i) {
        const Parameter& param = call.params[static_cast<std::size_t>(inputs[i])];
        if (param.kind != Kind::scalar) continue;
        const DType scalar = static_cast<const aclScalar*>(call.argument(inputs[i]).pointer)->value.dtype;
        common = common ? call.promote_scalar(scalar, *common, param.name) : scalar;
    }
    std::array<DType, 3> dtypes{*common, *common, *common};
    if (choice) dtypes[0] = DType::boolean;
    if (find_loop(loops, {dtypes.data(), count}) < 0) {
        const bool whole = *common == DType::boolean || asnumpy::is_integer(*common);
        std::fill(dtypes.begin() + choice, dtypes.end(), whole ? DType::float32 : *common);
        if (find_loop(loops, {dtypes.data(), count}) < 0)
            call.refuse(call.params[static_cast<std::size_t>(inputs[0])].name, text("a dtype that ", call.facts.name, " computes with, got ", asnumpy::name(*common)));
    }
    Pipeline p(call);
    std::array<Pipeline::Value, 3> values{};
    for (std::size_t i = 0; i < count; ++i) {
        const Parameter& param = call.params[static_cast<std::size_t>(inputs[i])];
        if (param.kind == Kind::tensor) values[i] = p.in(call.tensor_at(inputs[i]), dtypes[i]);
        else values[i] = p.constant(static_cast<const aclScalar*>(call.argument(inputs[i]).pointer)->value, dtypes[i]);
    }
    const Pipeline::Value result = count == 1 ? p.apply(row, values[0]) : count == 2 ? p.apply(row, values[0], values[1]) : p.apply(row, values[0], values[1], values[2]);
    p.out(result, call.tensor_at(output));
    return p.work();
}

void add_elementwise(std::string_view aclnn, std::string_view row) {
    const int op = find_operator(aclnn);
    if (op < 0 || defined(op)) return;
    const RowLoops& loops = find_row(row);
    int inputs = 0, outputs = 0;
    for (const Parameter& param : parameters(operators()[static_cast<std::size_t>(op)])) {
        if (param.kind != Kind::tensor && (param.kind != Kind::scalar || param.direction != Direction::in)) return;
        inputs += param.direction != Direction::out;
        outputs += param.direction != Direction::in;
    }
    if (inputs != loops.signatures[0].nin || outputs != 1) return;
    const Operators add{{operators()[static_cast<std::size_t>(op)].name, [row = loops.name](Call& call) { return plan_elementwise(call, row); }}};
}

}  // namespace cannsim
