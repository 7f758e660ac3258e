// The kernels of fused programs: each is compiled once in the process, beside the work or while it waits, and then stays.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "ascend/kernel/kernels.hpp"
#include "ascend/kernel/program_source.hpp"

namespace asnumpy::ascend {

class ProgramKernel {
public:
    explicit ProgramKernel(ProgramSource source) : source_(std::move(source)), kernel_(source_.name.c_str(), "", source_.text) {}

    const Kernel& kernel() const { return kernel_; }
    const std::string& text() const { return source_.text; }
    std::uint32_t tile() const { return source_.tile; }
    bool built() const { return state_.load(std::memory_order_acquire) == State::built; }
    void count_launch() const { launches_.fetch_add(1, std::memory_order_relaxed); }
    std::uint64_t launches() const { return launches_.load(std::memory_order_relaxed); }
    // Compiles it now. What the compiler refuses stays refused.
    void build();
    std::string why_not() const;  // what the compiler said, where it refused
    // Has a thread of its own compile it.
    void ask();

private:
    enum class State : std::uint8_t { cold, asked, built, refused };
    const ProgramSource source_;
    const Kernel kernel_;
    std::atomic<State> state_{State::cold};
    mutable std::mutex mutex_;
    std::string why_not_;  // guarded by the mutex
    mutable std::atomic<std::uint64_t> launches_{0};
};

// The one of this text; lives as long as the process. Null: there are as many as may be.
ProgramKernel* program_kernel(ProgramSource);
std::vector<const ProgramKernel*> program_kernels();
// Waits for the compilation that is under way, and drops those that are asked for. At the end.
void stop_building() noexcept;

}  // namespace asnumpy::ascend
