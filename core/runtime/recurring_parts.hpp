// Parts of a list that stays, one after another on one stream of one device, which the device may run by one call (Backend::recurring_work).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/function_ref.hpp"
#include "runtime/schedule.hpp"

namespace asnumpy {

class RecurringParts {
public:
    RecurringParts() = default;
    // passing: by part, the buffers that have no value before the list, and that nothing needs after the part. asked: those that somebody
    // besides these parts uses. read_by_host: whether the host looks at its results before the next part.
    RecurringParts(std::span<const Instruction>, const Schedule&, std::span<const std::vector<BufferPtr>> passing,
                   const std::unordered_set<const Buffer*>& asked, FunctionRef<bool(const Instruction&)> read_by_host);

    bool empty() const { return stretches_.empty(); }
    // Runs the parts from this one on that are one call, and returns how many; 0: none, this one is to be launched. `launch` launches one,
    // `traffic` tells the bytes that one reads and writes, where the trace is watched.
    std::size_t run(std::size_t first, FunctionRef<void(std::size_t part)> launch, FunctionRef<std::uint64_t(std::size_t part)> traffic);
    // The part is launched by itself from now on.
    void leave_out(std::size_t part);

private:
    struct Part {
        const Pool* pool = nullptr;  // null: launched by itself
        StreamId stream = 0;
        std::vector<Buffer*> uses;   // each once
    };
    struct Life {
        std::size_t first, last;  // the parts that touch it first and last
    };
    struct Stretch {
        std::size_t count = 0;
        std::vector<Buffer*> outer;               // whose addresses may differ from run to run
        std::vector<std::vector<Buffer*>> begins; // by part: what only these parts use
        std::vector<std::vector<Buffer*>> ends;
        std::unique_ptr<RecurringWork> work;
    };

    void divide(std::size_t first, std::size_t last);

    std::vector<Part> parts_;
    std::unordered_map<const Buffer*, Life> passing_;
    std::map<std::size_t, Stretch> stretches_;  // by the first part; of two parts and more
    std::vector<char*> addresses_;
};

}  // namespace asnumpy
