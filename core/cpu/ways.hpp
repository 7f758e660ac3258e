// In which of the ways that there are stages run together: it is chosen once, and holds for as long as plans and threads are the same.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "cpu/overlapped_stages.hpp"
#include "cpu/relayed_stages.hpp"
#include "device/backend.hpp"

namespace asnumpy::cpu {

struct Resolved;
using Plans = std::vector<const Resolved*>;

// Some lines at a time, every stage in turn.
struct InTurn {};

struct ChosenWay final : StagesWay {
    Plans plans;                              // for which it was chosen
    std::variant<InTurn, Overlap, Relay> by;
};

// Null: one stage after the other is as good.
std::shared_ptr<const ChosenWay> way_of(const Stages&, Plans);
// Other plans of the same programs may run as well.
void run(const Stages&, const Plans&, const ChosenWay&);

}  // namespace asnumpy::cpu
