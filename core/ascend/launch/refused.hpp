// What CANN's operators refuse, as exceptions that lead to another way.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ascend/launch/argument.hpp"
#include "base/error.hpp"
#include "device/demotion.hpp"

namespace asnumpy::ascend {

// Phase one said that the operator does not do this (cann/codes.hpp), or CANN has no such operator; nothing was enqueued.
struct Refused : DeviceFailure {
    Refused(const DeviceFailure& failure, std::string which) : DeviceFailure(failure), call(std::move(which)) {}
    std::string call;  // as Demotion has it
};
// A row that a lowering is made of has no way on the device any more.
struct NoWay : RuntimeFailure { using RuntimeFailure::RuntimeFailure; };

// The call as Demotion has it.
inline std::string call_of(std::string_view op, std::span<const Argument> arguments) {
    DemotionKey key(op);
    for (const Argument& argument : arguments) {
        if (const auto* t = std::get_if<Tensor>(&argument)) key.add(t->dtype);
        else if (const auto* list = std::get_if<std::vector<Tensor>>(&argument))
            for (const Tensor& one : *list) key.add(one.dtype);
    }
    return key.text();
}
inline bool is_refused(std::string_view op, std::span<const Argument> arguments) { return any_demoted() && is_demoted(call_of(op, arguments)); }
inline bool is_refused(std::string_view op, std::initializer_list<Argument> arguments) {
    return is_refused(op, std::span(arguments.begin(), arguments.size()));
}

}  // namespace asnumpy::ascend
