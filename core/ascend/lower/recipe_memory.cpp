// The last passes over a recipe: unused steps go, temporaries share registers, hazards between outputs and inputs are noted.
#include <algorithm>
#include <utility>

#include "ascend/lower/recipe.hpp"

namespace asnumpy::ascend {
namespace {

// Steps whose results nobody reads.
void drop_unused(Recipe& recipe) {
    std::vector<bool> read(recipe.storages.size(), false);
    std::vector<Recipe::Step> kept;
    for (auto step = recipe.steps.rbegin(); step != recipe.steps.rend(); ++step) {
        bool needed = false;
        for (std::size_t p = 0; p < step->parts.size(); ++p)
            if (const auto* const ref = std::get_if<Recipe::Ref>(&step->parts[p]); ref && step->writes >> p & 1)
                needed |= read[ref->storage] || recipe.storages[ref->storage].place == Recipe::Place::output;
        if (!needed) continue;
        for (std::size_t p = 0; p < step->parts.size(); ++p)
            if (const auto* const ref = std::get_if<Recipe::Ref>(&step->parts[p]); ref && !(step->writes >> p & 1)) read[ref->storage] = true;
        kept.push_back(std::move(*step));
    }
    std::ranges::reverse(kept);
    recipe.steps = std::move(kept);
}

// A temporary's memory serves another one after its last use.
void assign_registers(Recipe& recipe) {
    std::vector<std::size_t> last(recipe.storages.size(), 0);
    const auto each = [&](const Recipe::Step& step, auto f) {
        for (const Recipe::Part& part : step.parts)
            if (const auto* const ref = std::get_if<Recipe::Ref>(&part); ref && recipe.storages[ref->storage].place == Recipe::Place::temporary) f(ref->storage);
    };
    for (std::size_t i = 0; i < recipe.steps.size(); ++i) each(recipe.steps[i], [&](std::uint8_t storage) { last[storage] = i; });
    std::vector<bool> placed(recipe.storages.size(), false), busy;
    for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
        each(recipe.steps[i], [&](std::uint8_t storage) {
            if (placed[storage]) return;
            placed[storage] = true;
            const Recipe::Register wanted{recipe.storages[storage].item, recipe.storages[storage].single};
            std::size_t k = 0;
            while (k < busy.size() && (busy[k] || recipe.registers[k] != wanted)) ++k;
            if (k == busy.size()) {
                busy.push_back(false);
                recipe.registers.push_back(wanted);
            }
            busy[k] = true;
            recipe.storages[storage].index = static_cast<std::uint8_t>(k);
        });
        each(recipe.steps[i], [&](std::uint8_t storage) {
            if (last[storage] == i) busy[recipe.storages[storage].index] = false;
        });
    }
}

// Which outputs must not be the memory of which inputs.
void find_hazards(Recipe& recipe) {
    const auto place = [&](const Recipe::Ref& ref) { return recipe.storages[ref.storage].place; };
    for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
        for (std::size_t p = 0; p < recipe.steps[i].parts.size(); ++p) {
            const auto* const written = std::get_if<Recipe::Ref>(&recipe.steps[i].parts[p]);
            if (!written || !(recipe.steps[i].writes >> p & 1) || place(*written) != Recipe::Place::output) continue;
            for (std::size_t j = i + 1; j < recipe.steps.size(); ++j) {
                for (const Recipe::Part& part : recipe.steps[j].parts) {
                    const auto* const read = std::get_if<Recipe::Ref>(&part);
                    if (!read || place(*read) != Recipe::Place::input) continue;
                    if (read->offset >= written->offset + itemsize(written->dtype) || written->offset >= read->offset + itemsize(read->dtype)) continue;
                    const Recipe::Hazard hazard{recipe.storages[read->storage].index, recipe.storages[written->storage].index};
                    const bool known = std::ranges::any_of(recipe.hazards, [&](const Recipe::Hazard& h) { return h.in == hazard.in && h.out == hazard.out; });
                    if (!known) recipe.hazards.push_back(hazard);
                }
            }
        }
    }
}

}  // namespace

void assign_memory(Recipe& recipe) {
    drop_unused(recipe);
    assign_registers(recipe);
    find_hazards(recipe);
}

}  // namespace asnumpy::ascend
