// Runs the parts of a schedule. Compiled programs are kept by their content. Called by who holds the queue's lock of planning, and by all who run.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/kept_launch.hpp"
#include "runtime/schedule.hpp"
#include "runtime/stages.hpp"

namespace asnumpy {

// The programs from `first` on that may run together, and how; null: one after another is as good.
struct Together {
    Stages stages;
    std::size_t parts = 1;
    std::shared_ptr<const StagesWay> way;

    std::int64_t lines() const { return way ? way->lines : 0; }
};

// What was found for the same list, and what the backend knew then.
struct FoundTogether {
    Together together;
    std::uint64_t known;
};

class Runner {
public:
    Together find_together(std::span<const Instruction>, const Schedule&, std::size_t first);
    // Whether a program of these, now asked, awaits code (Executable::awaits_code); by part, those that run without it.
    bool awaits_code(std::span<const Instruction>, const Schedule&, bool asked, const std::vector<bool>& without = {});
    // Runs the part at p, or several from there together; returns how many. apart: the parts before this one run one by one. found: where
    // the list stays, what runs together from p on, as it was found in an earlier run.
    std::size_t run_from(std::span<const Instruction>, const Schedule&, std::size_t p, std::size_t& apart, std::optional<FoundTogether>* found = nullptr);

    // What a part that has run by itself is run by from then on, where its list stays.
    KeptLaunch keep(std::span<const Instruction>, const Schedule::Part&, const Roots&);

private:
    struct ContentHash {
        std::size_t operator()(const Program& p) const { return p.hash(); }
    };

    std::shared_ptr<const Executable> compiled(const Pool&, const Program&);
    const Executable& executable(std::span<const Instruction>, const Schedule::Part&);
    void run_fused(std::span<const Instruction>, const Schedule::Part&);
    void run_part(std::span<const Instruction>, const Schedule::Part&);

    std::mutex making_;  // taken last of the queue's locks; guards the programs, and what parts hold
    std::vector<std::unordered_map<Program, std::shared_ptr<const Executable>, ContentHash>> programs_;  // by the pool's number
};

}  // namespace asnumpy
