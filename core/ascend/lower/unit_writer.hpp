// Writing the recipe of several steps that are one operator.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ascend/lower/calls.hpp"
#include "ascend/lower/contraction.hpp"
#include "ascend/lower/term.hpp"
#include "base/error.hpp"
#include "cann/operators.hpp"

namespace asnumpy::ascend {

// Argument by argument. An argument that its operator does not accept makes it void.
class UnitWriter {
public:
    UnitWriter(const Program& program, const Unit& last) : program_(program) {
        unit_.out = last.out;
        unit_.nout = 1;
        unit_.step = last.step;
        made_ = std::make_shared<Contraction>();
        recipe_ = &made_->recipe;
        target_ = add_storage(Recipe::Place::output, 0, last.out);
    }

    UnitWriter& operator()(std::string_view op) {
        recipe_->steps.push_back({op, {}, 0});
        return *this;
    }
    UnitWriter& tensor(ValueId v, DType as) { return add(Recipe::Ref{storage_of(v), 0, as}, as); }
    UnitWriter& again(DType as) { return add(Recipe::Ref{target_, 0, as}, as); }  // what the step before has written
    UnitWriter& number(ValueId v, DType as, Compute compute = nullptr, bool as_tensor = false) {
        Recipe::Number number{static_cast<int>(input_of(v)), {}, {}};
        number.value.dtype = program_.dtype(v);
        if (as != program_.dtype(v)) number.computations.emplace_back(reinterpret_number, as);
        if (compute) number.computations.emplace_back(compute, as);
        return add_number(std::move(number), as, as_tensor);
    }
    UnitWriter& fixed(std::int64_t value, DType as) { return add_number({-1, cast_number(Scalar::of(value), as), {}}, as, false); }
    UnitWriter& plain(Recipe::Part part) {
        recipe_->steps.back().parts.push_back(std::move(part));
        return *this;
    }
    UnitWriter& output(DType as) {
        Recipe::Step& step = recipe_->steps.back();
        step.writes = static_cast<std::uint16_t>(step.writes | 1u << step.parts.size());
        return again(as);
    }
    // What follows is the recipe for numbers that do not fit.
    UnitWriter& unless(bool (*fits)(const Scalar&, const Scalar&), ValueId first, ValueId second) {
        made_->fits = fits;
        made_->numbers = {input_of(first), input_of(second)};
        recipe_ = &made_->apart;
        return *this;
    }
    std::optional<Unit> done() {
        if (!accepted_) return std::nullopt;
        try {
            for (const Recipe* const recipe : {&made_->recipe, &made_->apart})
                for (const Recipe::Step& step : recipe->steps) expect_offered(step, recipe->numbers);
        } catch (const Unlowerable&) {
            return std::nullopt;
        }
        made_->apart.storages = made_->recipe.storages = std::move(storages_);
        unit_.contraction = std::move(made_);
        return unit_;
    }

private:
    std::uint8_t add_storage(Recipe::Place place, std::uint8_t index, ValueId v) {
        storages_.push_back({place, index, static_cast<std::uint8_t>(itemsize(program_.dtype(v)))});
        return static_cast<std::uint8_t>(storages_.size() - 1);
    }
    std::uint8_t input_of(ValueId v) {
        for (std::uint8_t k = 0; k < unit_.nin; ++k)
            if (unit_.in[k] == v) return k;
        unit_.in[unit_.nin] = v;
        add_storage(Recipe::Place::input, unit_.nin, v);
        return unit_.nin++;
    }
    std::uint8_t storage_of(ValueId v) { return static_cast<std::uint8_t>(1 + input_of(v)); }
    UnitWriter& add(Recipe::Part part, DType as) {
        Recipe::Step& step = recipe_->steps.back();
        const auto parameters = parameters_of(step.op);
        if (step.parts.size() >= parameters.size()) throw RuntimeFailure(std::string(step.op) + " has " + std::to_string(parameters.size()) + " parameters");
        accepted_ = accepted_ && cann::accepts(parameters[step.parts.size()], as);
        step.parts.push_back(std::move(part));
        return *this;
    }
    UnitWriter& add_number(Recipe::Number number, DType as, bool as_tensor) {
        const auto found = std::ranges::find(recipe_->numbers, number);
        const auto index = static_cast<std::uint8_t>(found - recipe_->numbers.begin());
        if (found == recipe_->numbers.end()) recipe_->numbers.push_back(std::move(number));
        return add(Recipe::NumberRef{index, as_tensor}, as);
    }

    const Program& program_;
    Unit unit_;
    std::shared_ptr<Contraction> made_;
    Recipe* recipe_ = nullptr;
    std::vector<Recipe::Storage> storages_;
    std::uint8_t target_ = 0;
    bool accepted_ = true;
};

}  // namespace asnumpy::ascend
