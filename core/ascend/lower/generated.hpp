// A program as one kernel of our own: for launches that its layout fits, once it is compiled.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory_resource>
#include <mutex>
#include <vector>

#include "ascend/kernel/program_kernels.hpp"
#include "ascend/launch/emitter.hpp"
#include "ascend/lower/space.hpp"

namespace asnumpy::ascend {

// Of one program. Used with the device's mutex held, but for prepare().
class Generated {
public:
    explicit Generated(const Program&);

    // Whether kernels of programs are wanted at all, and there may be one of this.
    bool possible() const;
    // All spaces are normalised. Where kernels are waited for: compiles the one of this space, without the device's mutex.
    void prepare(const Space&) const;
    // The kernel; null: none so far, or never.
    const ProgramKernel* find(const Space&) const;
    // A launch was done in another way: what recurs gets a kernel.
    void count(const Space&) const;
    // Enqueues the program, and folds what its reductions read: fold(reduction, its values, the space).
    using Fold = std::function<void(std::size_t reduction, const Tensor& values)>;
    void run(Emitter&, const Space&, const ProgramKernel&, const Fold&) const;

private:
    struct Way {
        std::pmr::vector<Reach> reaches;
        ProgramKernel* kernel = nullptr;  // null: there is none of this layout
        std::uint64_t launches = 0, elements = 0;
    };
    Way& way_of(const Space&) const;

    const Program& program_;
    const std::vector<ValueId> results_;
    bool writable_;
    mutable std::mutex mutex_;
    mutable std::list<Way> ways_;
};

}  // namespace asnumpy::ascend
