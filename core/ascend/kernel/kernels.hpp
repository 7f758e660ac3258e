// Kernels of the backend's own: compiled at their first use on this machine, kept on disk, loaded once for each device.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "ascend/kernel/kept.hpp"
#include "ascend/launch/device_state.hpp"

namespace asnumpy::ascend {

// One function of a source. What CANN refuses of it (the compiler, loading, the launch) is thrown as Refused, by the name that demoted() asks for.
class Kernel {
public:
    // `name` and `source` last; the head comes before the source.
    Kernel(const char* name, std::string_view head, std::string_view source) : name_(name), head_(head), source_(source) {}

    const char* name() const { return name_; }
    std::string call() const { return std::string("kernel ") + name_; }  // as demotions have it
    // Whether no compiler has to run first. Looks at the disk once.
    bool at_hand() const;
    // Compiles it where it is not at hand; without a device's mutex, for this takes seconds.
    void prepare() const;
    // Enqueues so many blocks of it; `arguments` are the bytes of its parameters. With the device's mutex held, on the device.
    void launch(DeviceState&, std::uint32_t blocks, const void* arguments, std::size_t bytes, void* stream) const;
    // CANN's handle of it on the device, which is loaded at its first use there. The same mutex.
    void* function(DeviceState&) const;
    void unload(DeviceState&) const noexcept;

private:
    enum class State : std::uint8_t { unknown, absent, at_hand };
    struct Loaded {
        void *binary = nullptr, *function = nullptr;
    };
    std::string text() const { return head_ + std::string(source_); }
    Origin origin() const;
    void compile() const;
    int load(DeviceState&) const;

    const char* const name_;
    const std::string head_;
    const std::string_view source_;
    mutable std::mutex mutex_;
    mutable std::atomic<State> state_{State::unknown};
    mutable std::string binary_;  // guarded by the mutex
    mutable std::array<Loaded, 64> loaded_{};  // by device; guarded by the device's mutex
};

// The kernels of random draws (draw.asc).
enum class DrawKernel : std::uint8_t { float32, float64, integers_8, integers_16, integers_32, integers_64 };
const Kernel& kernel_of(DrawKernel);

std::uint32_t vector_cores(const DeviceState&);
void unload_kernels(DeviceState&) noexcept;  // at the end, when nothing runs any more

}  // namespace asnumpy::ascend
