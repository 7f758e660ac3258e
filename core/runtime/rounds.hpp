// Parts of a list that stays, which come in rounds: short launches, alike but for where their operands lie, how long they are and how far apart their
// elements are. One call runs all of them: machine code where there is some
// (cpu/rounds.hpp), an interpreter of single elements where there is none (cpu/rounds_interpreted.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "cpu/code.hpp"
#include "cpu/round_lines.hpp"
#include "cpu/rounds_interpreted.hpp"
#include "runtime/kept_launch.hpp"
#include "runtime/schedule.hpp"

namespace asnumpy {

class Rounds {
public:
    // All that there are among the parts, in order; `list` stays where it is. gives_back: whether memory goes back after a part.
    static std::vector<Rounds> find(std::span<const Instruction> list, const Schedule&, const Roots&, FunctionRef<bool(std::size_t part)> gives_back);

    std::size_t first() const { return first_; }
    std::size_t parts() const { return round_.parts.size() * count_; }
    bool is_others(std::size_t part) const { return round_.parts[(part - first_) % round_.parts.size()].is_others(); }  // no machine code has it
    std::span<const std::size_t> giving_back() const { return giving_back_; }  // the parts after which memory does
    // Asks for code, by anybody; whether that is to come.
    bool awaits_code() const;
    std::string text() const;  // a line for people

    // What follows is for one thread at a time, which runs the list. How the next run goes, with operands at these bases: true if as the last one.
    bool decide(std::span<char* const> bases);
    bool ready() const { return now_ != Way::one_by_one; }  // for run()
    bool has_code() const { return now_ == Way::code; }
    bool computes_now(std::size_t part) const { return has_code() ? !is_others(part) : ready() && interpreted_->computes((part - first_) % round_.parts.size()); }
    // Runs all parts, those that it does not compute by `other`.
    void run(std::span<char* const> bases, FunctionRef<void(std::size_t part)> other);
    // The parts have run without code, which took so long.
    void note(std::int64_t ns);

private:
    // A root's base, or a buffer that has none; neither: constants.
    struct Where {
        std::uint32_t base;
        Buffer* buffer;
    };
    class Finding;
    enum class Way : std::uint8_t { one_by_one, interpreted, code };

    cpu::Round round_;
    std::optional<cpu::InterpretedRounds> interpreted_;
    std::optional<cpu::RoundLines> lines_;  // where code may run some lines at a time
    std::size_t first_ = 0, count_ = 0;
    std::vector<std::size_t> giving_back_;
    std::vector<Where> where_;
    std::vector<std::int64_t> numbers_, table_;
    std::vector<cpu::Loop> called_;
    std::vector<cpu::RunProduct> products_;
    std::vector<char*> addresses_;  // of this run, by number of a base
    std::int64_t spent_ns_ = 0;
    std::optional<cpu::Effort> wanted_;  // because of what was spent
    std::optional<std::uint32_t> generation_;  // of the code that was looked at
    bool refused_ = false;
    cpu::RunRounds code_ = nullptr;
    Way now_ = Way::one_by_one;
};

// Where rounds of instructions on single elements begin, in order. A program that holds elements of several rounds is alike to no other one.
std::vector<std::uint32_t> starts_of_rounds(std::span<const Instruction>, const std::vector<bool>& dead);

}  // namespace asnumpy
