// Calls by call string with tensors, outside of recipes.
#include "ascend/lower/call.hpp"

#include <string>

#include "ascend/launch/refused.hpp"
#include "ascend/library/operators.hpp"
#include "ascend/lower/term.hpp"
#include "base/error.hpp"
#include "cann/operators.hpp"

namespace asnumpy::ascend {

void call(Emitter& emitter, std::string_view text, const Named& named) {
    const CallString parsed = parse_call(text);
    const auto parameters = parameters_of(parsed.op);
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < parsed.arguments.size(); ++i) {
        const std::string_view word = parsed.arguments[i];
        if (word == "x") arguments.emplace_back(*named.x);
        else if (word == "y") arguments.emplace_back(*named.y);
        else if (word == "out") arguments.emplace_back(*named.out);
        else if (word == "index" || word == "place") arguments.emplace_back(*named.index);
        else if (word == "axes") arguments.emplace_back(named.axes);
        else if (word == "dtype") arguments.emplace_back(named.out->dtype);
        else if (word == "true" || word == "false") arguments.emplace_back(word == "true");
        else if (word == "null") arguments.emplace_back(nullptr);
        else if (word == "axis" && parameters[i].kind == cann::Kind::scalar) arguments.emplace_back(Scalar::of(static_cast<std::int32_t>(named.axis)));
        else if (word == "axis") arguments.emplace_back(named.axis);
        else if (word == "option") arguments.emplace_back(named.option);
        else if (word == "n" || word == "m") arguments.emplace_back(Scalar::of(static_cast<float>(named.numbers[word == "m"])));
        else if (parameters[i].kind == cann::Kind::scalar) arguments.emplace_back(Scalar::of(std::stof(std::string(word))));
        else arguments.emplace_back(static_cast<std::int64_t>(std::stoll(std::string(word))));
    }
    emitter.call(parsed.op, arguments);
}

bool is_on_aicpu(std::string_view text, DType x) {
    const int op = cann::find_operator(parse_call(text).op);
    return op >= 0 && cann::is_on_aicpu(cann::operators()[static_cast<std::size_t>(op)], x);
}

int loop_for(RowId op, DType d) {
    Signature s;
    s.nin = 2;
    s.nout = 1;
    s.in = {d, d};
    s.out = {d};
    return find_loop(op, s);
}

bool accepts_dtypes(std::string_view text, DType x, DType y, DType out) {
    if (text.empty()) return false;
    const CallString parsed = parse_call(text);
    if (!has_operator(parsed.op)) return false;
    const auto parameters = parameters_of(parsed.op);
    DemotionKey call(parsed.op);
    for (std::size_t i = 0; i < parsed.arguments.size(); ++i) {
        const std::string_view word = parsed.arguments[i];
        if (word == "x" && !cann::accepts(parameters[i], x)) return false;
        if ((word == "out" || word == "dtype") && !cann::accepts(parameters[i], out)) return false;
        if (word == "x" || word == "y" || word == "out") call.add(word == "x" ? x : word == "y" ? y : out);
        else if (word == "index" || word == "place") call.add(word == "index" ? DType::int32 : DType::int64);
    }
    return !any_demoted() || !is_demoted(call.text());
}

void apply_to(Emitter& emitter, std::string_view name, std::initializer_list<Tensor> in, const Tensor& out) {
    const RowId id = find_row(name);
    const Row& r = row(id);
    for (std::size_t loop = 0; loop < r.loops.size(); ++loop) {
        const Signature& s = r.loops[loop];
        bool fits = s.nin == in.size() && s.out[0] == out.dtype;
        for (std::size_t i = 0; fits && i < in.size(); ++i) fits = s.in[i] == in.begin()[i].dtype;
        if (!fits) continue;
        const Lowering* const lowering = elementwise(id, static_cast<int>(loop));
        if (!lowering) break;
        return lowering->run(emitter, {in.begin(), in.size()}, {&out, 1});
    }
    throw NoWay(std::string(name) + " does not run on the device for " + std::string(asnumpy::name(out.dtype)));
}

Tensor cast_to(Emitter& emitter, const Tensor& tensor, DType dtype) {
    if (tensor.dtype == dtype) return tensor;
    const Tensor result = emitter.temporary(tensor.shape, dtype);
    copy_to(emitter, tensor, result);
    return result;
}

void copy_to(Emitter& emitter, const Tensor& from, const Tensor& to) { apply_to(emitter, "cast", {from}, to); }

Tensor viewed(Tensor tensor, DType dtype) {
    tensor.dtype = dtype;
    return tensor;
}

Tensor sliced(Tensor tensor, int axis, std::int64_t first, std::int64_t count) {
    tensor.data += first * tensor.strides[axis];
    tensor.shape[axis] = count;
    return tensor;
}

Tensor word_of(Tensor tensor, std::size_t word) {
    tensor.data += 8 * word;
    tensor.dtype = DType::int64;
    return tensor;
}

}  // namespace asnumpy::ascend
