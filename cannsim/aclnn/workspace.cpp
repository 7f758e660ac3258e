// The device memory that an operator's phase one asks for, and what its kernels leave in it.
#include "aclnn/workspace.hpp"

#include <algorithm>
#include <cstring>

namespace cannsim {
namespace {

constexpr std::uint64_t block = 512;                             // to whose multiples CANN's planner rounds
constexpr std::uint64_t of_products = std::uint64_t{16} << 20;   // GetLibApiWorkSpaceSize() of the 910B
constexpr std::uint64_t most_of_inputs = std::uint64_t{1} << 20;
constexpr std::byte rubbish{0xA5};                               // negative numbers near zero, impossible places, true
constexpr std::uint64_t whole = std::uint64_t{256} << 10, stride = 256;  // larger than the former: a byte each so many, which is as wrong

std::uint64_t rounded(std::uint64_t bytes) { return (bytes + block - 1) / block * block; }

}  // namespace

std::uint64_t workspace_of(const Call& call, const Work& work) {
    std::uint64_t bytes = work.workspace, inputs = 0;
    for (const Call::Slot& slot : call.slots()) {
        if (!slot.tensor) continue;
        const auto size = static_cast<std::uint64_t>(asnumpy::count(slot.tensor->shape)) * acl_size(slot.tensor->dtype);
        if (!slot.tensor->in_c_order()) bytes += rounded(size);
        const bool read = call.params[static_cast<std::size_t>(slot.parameter)].direction == Direction::in;
        if (!work.elementwise && read) inputs += rounded(size);
    }
    bytes += std::min(inputs, most_of_inputs);
    if (work.engine == Engine::cube) bytes += of_products;
    return bytes;
}

void scribble(std::byte* workspace, std::uint64_t size) {
    const std::uint64_t filled = std::min(size, whole);
    std::memset(workspace, static_cast<int>(rubbish), filled);
    for (std::uint64_t i = filled; i < size; i += stride) workspace[i] = rubbish;
}

}  // namespace cannsim
