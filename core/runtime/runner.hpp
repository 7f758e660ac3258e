// Runs the parts of a schedule. Compiled programs are kept by their content. Called by who holds the queue's lock of planning, and by all who run.
#pragma once

#include <memory>
#include <mutex>
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
    std::size_t looked_at = 0;  // so many parts, until this was known

    std::int64_t lines() const { return way ? way->lines : 0; }
};

// What was found for parts of a schedule, and what it depends on beside that.
struct FoundTogether {
    Together together;
    std::uint64_t known;              // Backend::ways_known()
    std::vector<std::int64_t> views;  // of the parts that were looked at
};

class Runner {
public:
    Together find_together(std::span<const Instruction>, const Schedule&, std::size_t first);
    // Whether a program of these, now asked, awaits code (Executable::awaits_code); by part, those that run without it.
    bool awaits_code(std::span<const Instruction>, const Schedule&, bool asked, const std::vector<bool>& without = {});
    // Runs the part at p, or several from there together; returns how many. apart: the parts before this one run one by one. stays: it
    // is the same list each time that this schedule runs.
    std::size_t run_from(std::span<const Instruction>, const Schedule&, std::size_t p, std::size_t& apart, bool stays = false);

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
    std::shared_ptr<FoundTogether> found_together(std::span<const Instruction>, const Schedule&, std::size_t first, bool stays);

    std::mutex making_;  // taken last of the queue's locks; guards the programs, and what parts hold
    std::vector<std::unordered_map<Program, std::shared_ptr<const Executable>, ContentHash>> programs_;  // by the pool's number
};

}  // namespace asnumpy
