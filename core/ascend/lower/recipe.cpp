// Running a recipe: memory for its temporaries, then its calls one after the other.
#include "ascend/lower/recipe.hpp"

#include <algorithm>
#include <cstring>
#include <memory_resource>
#include <optional>

#include "ascend/launch/movement.hpp"
#include "ascend/library/operators.hpp"
#include "ascend/lower/term.hpp"
#include "base/error.hpp"
#include "cann/versions.hpp"
#include "device/demotion.hpp"
#include "ops/cast.hpp"

namespace asnumpy::ascend {

const OperatorFacts* facts_of(std::string_view op) {
    const int place = cann::find_operator(op);
    return place < 0 ? nullptr : &cann::operators()[static_cast<std::size_t>(place)];
}

Scalar cast_number(const Scalar& value, DType to) {
    return dispatch(value.dtype, [&]<class From>() {
        return dispatch(to, [&]<class To>() -> Scalar {
            if constexpr (is_narrow_v<From> || is_narrow_v<To>) {
                throw RuntimeFailure("a number of a narrow dtype has no cast");
            } else {
                using Number = std::conditional_t<is_half_v<From>, float, From>;
                using Result = std::conditional_t<is_half_v<To>, float, To>;
                return Scalar::of(static_cast<To>(ops::convert<Result>(static_cast<Number>(value.get<From>()))));
            }
        });
    });
}

Scalar reinterpret_number(const Scalar& value, DType to) {
    Scalar result = value;
    result.dtype = to;
    return result;
}

namespace {


// A dtype of that many bytes, for memory whose dtype changes with its use.
DType block_of(std::uint8_t item) {
    switch (item) {
        case 1: return DType::uint8;
        case 2: return DType::int16;
        case 4: return DType::int32;
        case 8: return DType::int64;
        default: return DType::complex128;
    }
}

bool same_memory(const Tensor& a, const Tensor& b) { return a.data == b.data && a.strides == b.strides; }

class Running {
public:
    Running(const Recipe& recipe, Emitter& emitter, std::span<const Tensor> in, std::span<const Tensor> out)
        : recipe_(recipe), emitter_(emitter), in_(in), out_(out.begin(), out.end(), &emitter.memory()),
          registers_(recipe.registers.size(), &emitter.memory()), arguments_(&emitter.memory()) {
        const auto redirect = [&](std::size_t k) {
            if (out_[k].data == out[k].data) out_[k] = emitter.temporary(out[k].shape, out[k].dtype);
        };
        for (const Recipe::Hazard& hazard : recipe.hazards)
            if (in[hazard.in].data == out[hazard.out].data) redirect(hazard.out);
        const auto is_read = [&](std::size_t k) {
            return emitter.is_written_last(out[k]) || std::ranges::any_of(in, [&](const Tensor& t) { return t.data == out[k].data; });
        };
        for (std::size_t k = 0; k < out_.size(); ++k)
            if (is_read(k) && !only_last_writes(k)) redirect(k);
        for (const Recipe::Step& step : recipe.steps) run(step);
        for (const bool last : {false, true})
            for (std::size_t k = 0; k < out_.size(); ++k)
                if (out_[k].data != out[k].data && is_read(k) == last) (last ? overwrite : move)(emitter, out_[k], out[k]);
    }

private:
    // Whether an output is written by the last step and by no other.
    bool only_last_writes(std::size_t k) const {
        for (const Recipe::Step& step : recipe_.steps) {
            const bool last = &step == &recipe_.steps.back();
            for (std::size_t i = 0; i < step.parts.size(); ++i) {
                const auto* const ref = std::get_if<Recipe::Ref>(&step.parts[i]);
                if (!ref || !(step.writes >> i & 1)) continue;
                const Recipe::Storage& storage = recipe_.storages[ref->storage];
                if (storage.place == Recipe::Place::output && storage.index == k && !last) return false;
            }
        }
        return true;
    }

    void run(const Recipe::Step& step) {
        arguments_.clear();
        arguments_.reserve(step.parts.size());
        for (const Recipe::Part& part : step.parts)
            std::visit([this](const auto& one) { add(one); }, part);
        if (step.op == "aclnnInplaceCopy" && same_memory(std::get<Tensor>(arguments_[0]), std::get<Tensor>(arguments_[1]))) return;
        if (!step.facts) throw RuntimeFailure(std::string(step.op) + ": CANN has no operator of that name");
        emitter_.call(*step.facts, arguments_);
    }

    void add(std::nullptr_t) { arguments_.emplace_back(nullptr); }
    void add(std::int64_t value) { arguments_.emplace_back(value); }
    void add(double value) { arguments_.emplace_back(value); }
    void add(bool value) { arguments_.emplace_back(value); }
    void add(DType value) { arguments_.emplace_back(value); }
    void add(const Recipe::Ref& ref) {
        Tensor tensor = memory(recipe_.storages[ref.storage]);
        tensor.data += ref.offset;
        tensor.dtype = ref.dtype;
        arguments_.emplace_back(std::move(tensor));
    }
    void add(const Recipe::NumberRef& ref) {
        const Recipe::Number& number = recipe_.numbers[ref.index];
        Scalar value = number.value;
        if (number.input >= 0) {
            const Scalar* const known = emitter_.known(in_[static_cast<std::size_t>(number.input)]);
            if (!known) throw RuntimeFailure("a recipe expects a number that the host knows");
            value = *known;
        }
        for (const auto& [compute, dtype] : number.computations) value = compute(value, dtype);
        if (ref.tensor) arguments_.emplace_back(emitter_.constant(value));
        else arguments_.emplace_back(value);
    }

    Tensor memory(const Recipe::Storage& storage) {
        if (storage.place == Recipe::Place::input) return in_[storage.index];
        if (storage.place == Recipe::Place::output) return out_[storage.index];
        std::optional<Tensor>& one = registers_[storage.index];
        const Recipe::Register& what = recipe_.registers[storage.index];
        if (!one) one = emitter_.temporary(what.single ? Dims() : out_[0].shape, block_of(what.item));
        return *one;
    }

    const Recipe& recipe_;
    Emitter& emitter_;
    std::span<const Tensor> in_;
    std::pmr::vector<Tensor> out_;
    std::pmr::vector<std::optional<Tensor>> registers_;
    std::pmr::vector<Argument> arguments_;
};

}  // namespace

void Recipe::run(Emitter& emitter, std::span<const Tensor> in, std::span<const Tensor> out) const { Running(*this, emitter, in, out); }

std::string call_of(const Recipe::Step& step, std::span<const Recipe::Number> numbers) {
    DemotionKey key(step.op);
    for (const Recipe::Part& part : step.parts) {
        if (const auto* const ref = std::get_if<Recipe::Ref>(&part)) key.add(ref->dtype);
        else if (const auto* const number = std::get_if<Recipe::NumberRef>(&part); number && number->tensor) key.add(numbers[number->index].dtype());
    }
    return key.text();
}

void expect_offered(const Recipe::Step& step, std::span<const Recipe::Number> numbers) {
    if (!has_operator(step.op)) throw Unlowerable("CANN " + std::string(cann::version_in_use().name) + " has no " + std::string(step.op));
    if (!any_demoted()) return;
    const std::string call = call_of(step, numbers);
    if (is_demoted(call)) throw Unlowerable(why_demoted(call));
}

bool is_on_aicpu(const Recipe::Step& step, std::span<const Recipe::Number> numbers) {
    std::vector<DType> operands;
    for (std::size_t i = 0; i < step.parts.size(); ++i) {
        if (step.writes >> i & 1) continue;
        if (const auto* const ref = std::get_if<Recipe::Ref>(&step.parts[i])) operands.push_back(ref->dtype);
        else if (const auto* const number = std::get_if<Recipe::NumberRef>(&step.parts[i]); number && number->tensor) operands.push_back(numbers[number->index].dtype());
    }
    return step.facts && cann::is_on_aicpu(*step.facts, operands);
}

bool Recipe::uses_aicpu() const {
    return std::ranges::any_of(steps, [this](const Step& step) { return is_on_aicpu(step, numbers); });
}

std::string Recipe::operators() const {
    std::string text;
    for (std::size_t i = 0; i < steps.size();) {
        std::size_t same = i;
        while (same < steps.size() && steps[same].op == steps[i].op) ++same;
        text += (i ? ", " : "") + std::string(steps[i].op);
        if (same - i > 1) text += " x" + std::to_string(same - i);
        i = same;
    }
    return text;
}

}  // namespace asnumpy::ascend
