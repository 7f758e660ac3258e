// Recording a function instead of running it. While a thread traces, what it records goes to its trace: nothing runs, no array has a value.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/queue.hpp"

namespace asnumpy {

// An index that was recorded unseen: `inside` (a bool) says whether all of it is within an axis of that length.
struct RangeCheck {
    Array inside, index;
    std::int64_t length = 0;
    int axis = 0;
};

class Replay;

// A function of the host's that writes its results into memory that is there.
struct HostCall {
    std::string name;
    std::vector<bool> written;        // by operand: whether it changes it
    std::function<void(std::span<const Array> in, std::span<const Array> out)> run;  // called without the interpreter's lock
};

// A loop or a choice by values, or a call, between two instructions of a list. Functions take arrays in C order and give such back.
struct Control {
    enum class Kind : std::uint8_t { loop, choice, call } kind = Kind::loop;
    std::size_t before = 0;           // the instruction that it comes before
    std::shared_ptr<Replay> test;     // loop: whether it goes on
    std::shared_ptr<Replay> first;    // loop: what it repeats; choice: where the number is true
    std::shared_ptr<Replay> second;   // choice: where it is not
    Array chosen;                     // choice: the number, a bool
    HostCall call;
    std::vector<Array> in, out;

    bool writes(std::size_t operand) const;
};

// What was recorded: the list, and what of it others see.
struct Traced {
    std::vector<Instruction> list;
    std::vector<Array> arguments;    // in the list they stand for those of a call; one without a buffer is not an array's
    std::vector<Array> results;
    std::vector<BufferPtr> captured; // arrays that were there before, and are no arguments
    std::vector<RangeCheck> checks;
    std::vector<Control> controls;
};

class Trace {
public:
    // The calling thread traces from here on, until `end` or the destruction. Arguments whose buffers are the same share one here.
    explicit Trace(std::span<const Array> arguments);
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    const Array& argument(std::size_t i) const { return traced_.arguments[i]; }
    void add(Instruction&&);
    void add_check(RangeCheck&& check) { traced_.checks.push_back(std::move(check)); }
    // Records a loop or a choice; its results are new arrays like `like`.
    std::vector<Array> add_control(Control&&, std::span<const Array> like);
    // Throws TracingError where the array has no value now, or the host's writing would not come again with each call.
    void expect_value(const Buffer&, Access) const;
    // Ends the tracing; the results are those that were made meanwhile, or views of arguments.
    void end(std::vector<Array> results);
    // What was recorded, once. TracingError where an array that was made meanwhile is held by anybody but the trace: the caller
    // has dropped its own references to arguments and results.
    Traced take();
    // Whether one of the arrays that were there before is an argument as well.
    bool meets_arguments() const;
    bool is_new(const Buffer& b) const { return b.trace == number_; }
    std::uint64_t number() const { return number_; }

private:
    void leave();
    void touch(Buffer&, bool written);

    Traced traced_;
    std::vector<BufferPtr> real_;  // of the arguments
    std::unordered_map<const Buffer*, bool> touched_;  // whether it is written
    std::uint64_t number_;
    bool under_way_ = true;
    Trace* outer_;
};

}  // namespace asnumpy
