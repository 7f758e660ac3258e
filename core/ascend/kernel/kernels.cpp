// From a kernel's source to its launch.
#include "ascend/kernel/kernels.hpp"

#include <span>

#include "ascend/kernel/compiler.hpp"
#include "ascend/kernel/kept.hpp"
#include "ascend/kernel/program_kernels.hpp"
#include "ascend/launch/refused.hpp"
#include "base/error.hpp"

namespace asnumpy::ascend {

extern const std::string_view draw_source;  // the text of draw.asc, put there by the build

namespace {

// A code that says that this is not done, and will not be the next time: parameters that are refused, functions that are not supported, a failure
// within. Others say how the device is.
bool refuses(int code) {
    return (code >= 100000 && code < 200000) || code == cann::ACL_ERROR_RT_FEATURE_NOT_SUPPORT || (code >= cann::ACL_ERROR_INTERNAL_ERROR && code < 501000);
}

[[noreturn]] void refuse(DeviceState& device, const Kernel& kernel, const char* function, int code) {
    try {
        device.fail(std::string(function) + " of " + kernel.name() + " on " + device.name, code);
    } catch (const DeviceFailure& failure) {
        if (!refuses(code) || !device.usable()) throw;
        throw Refused(failure, kernel.call());
    }
}

const Kernel* all_of_draws() {
    static const Kernel* const all = new Kernel[]{
        {"draw_float32", "#define DRAW_ALONE DRAW(draw_float32, UniformFloats)\n", draw_source},
        {"draw_float64", "#define DRAW_ALONE DRAW(draw_float64, UniformDoubles)\n", draw_source},
        {"draw_integers_8", "#define DRAW_ALONE DRAW(draw_integers_8, Integers<uint8_t>)\n", draw_source},
        {"draw_integers_16", "#define DRAW_ALONE DRAW(draw_integers_16, Integers<int16_t>)\n", draw_source},
        {"draw_integers_32", "#define DRAW_ALONE DRAW(draw_integers_32, Integers<int32_t>)\n", draw_source},
        {"draw_integers_64", "#define DRAW_ALONE DRAW(draw_integers_64, Integers<int64_t>)\n", draw_source},
    };
    return all;  // for as long as the process
}
constexpr std::size_t draw_kernels = static_cast<std::size_t>(DrawKernel::integers_64) + 1;

}  // namespace

Origin Kernel::origin() const { return {compiler_target() + text(), compiler_identity()}; }

bool Kernel::at_hand() const {
    if (state_.load(std::memory_order_acquire) == State::unknown) {
        State none = State::unknown;
        state_.compare_exchange_strong(none, is_kept(origin()) ? State::at_hand : State::absent, std::memory_order_acq_rel);
    }
    return state_.load(std::memory_order_acquire) == State::at_hand;
}

// With the mutex held.
void Kernel::compile() const {
    try {
        binary_ = compile_kernel(text(), name_);
    } catch (const DeviceFailure& failure) {
        throw Refused(failure, call());
    }
    keep_binary(origin(), binary_);
    state_.store(State::at_hand, std::memory_order_release);
}

void Kernel::prepare() const {
    const std::lock_guard lock(mutex_);
    if (!binary_.empty()) return;
    if (auto kept = kept_binary(origin())) {
        binary_ = std::move(*kept);
        state_.store(State::at_hand, std::memory_order_release);
    } else {
        compile();
    }
}

int Kernel::load(DeviceState& device) const {
    Loaded& here = loaded_[static_cast<std::size_t>(device.index)];
    const Cann& c = cann();
    if (const int code = c.aclrtBinaryLoadFromData(binary_.data(), binary_.size(), nullptr, &here.binary)) return code;
    const int code = c.aclrtBinaryGetFunction(here.binary, name_, &here.function);
    if (code) {
        c.aclrtBinaryUnLoad(here.binary);
        here = {};
    }
    return code;
}

void* Kernel::function(DeviceState& device) const {
    Loaded& here = loaded_.at(static_cast<std::size_t>(device.index));
    if (here.function) return here.function;
    const std::lock_guard lock(mutex_);
    int code = load(device);
    if (code && refuses(code)) {  // what was kept may be of a compiler that has changed since
        drop_binary(origin());
        compile();
        code = load(device);
    }
    if (code) refuse(device, *this, "loading", code);
    return here.function;
}

void Kernel::launch(DeviceState& device, std::uint32_t blocks, const void* arguments, std::size_t bytes, void* stream) const {
    void* const known = function(device);
    if (const int code = cann().aclrtLaunchKernelWithHostArgs(known, blocks, stream, nullptr, const_cast<void*>(arguments), bytes, nullptr, 0))
        refuse(device, *this, "the launch", code);
}

void Kernel::unload(DeviceState& device) const noexcept {
    Loaded& here = loaded_[static_cast<std::size_t>(device.index)];
    if (here.binary) cann().aclrtBinaryUnLoad(here.binary);
    here = {};
}

const Kernel& kernel_of(DrawKernel which) { return all_of_draws()[static_cast<std::size_t>(which)]; }

std::uint32_t vector_cores(const DeviceState& device) {
    constexpr std::uint32_t usual = 40;  // of the smaller chips
    std::int64_t count = 0;
    if (!cann().aclrtGetDeviceInfo || cann().aclrtGetDeviceInfo(static_cast<std::uint32_t>(device.index), cann::ACL_DEV_ATTR_VECTOR_CORE_NUM, &count) || count < 1) return usual;
    return static_cast<std::uint32_t>(count);
}

void unload_kernels(DeviceState& device) noexcept {
    stop_building();
    if (cann().aclrtSetCurrentContext(device.context)) return;
    device.finish();
    for (const Kernel& kernel : std::span(all_of_draws(), draw_kernels)) kernel.unload(device);
    for (const ProgramKernel* const program : program_kernels()) program->kernel().unload(device);
}

}  // namespace asnumpy::ascend
