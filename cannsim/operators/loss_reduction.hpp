// What is made of the losses of single elements.
#pragma once

#include <cstdint>

#include "aclnn/call.hpp"

namespace cannsim {

struct Reduction {
    enum : std::int64_t { none = 0, mean = 1, sum = 2, batch_mean = 3 };
};

inline std::int64_t reduction_of(const Call& call, bool with_batch = false) {
    const std::int64_t value = call.integer("reduction");
    call.expect(value >= 0 && value <= (with_batch ? Reduction::batch_mean : Reduction::sum), "reduction", text("0 none, 1 mean or 2 sum, got ", value));
    return value;
}

}  // namespace cannsim
