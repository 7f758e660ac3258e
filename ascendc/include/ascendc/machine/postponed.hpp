// What the scalar unit has issued to a pipe that waits for a flag. The pipe alone is held: what was issued to it runs once the
// flag is set, in its order, with what the scalar unit knew and had set when it issued it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ascendc/machine/pipes.hpp"
#include "ascendc/machine/registers.hpp"
#include "ascendc/machine/slot.hpp"

namespace ascendc {

// The scalar unit's side of an instruction at its issue.
struct Issue {
    std::uint64_t number = 0;  // in the program's order
    Registers registers;
    Knowledge known;
    std::uint32_t tick = 0;
    double time = 0;
    std::vector<Slot> slots;
};

// A call that is made later. Every instruction has one and nearly none is used: what counts is that it compiles quickly.
struct Postponed {
    virtual ~Postponed() = default;
    virtual void run() = 0;
    virtual bool ready() { return true; }  // of a wait: whether what it waits for has come
    virtual bool waits() const { return false; }

    std::string what;  // of a wait
    Where where;
    Issue issue;
    std::unique_ptr<Postponed> next;
};
template <class F>
struct PostponedCall final : Postponed {
    explicit PostponedCall(const F& call) : call(call) {}
    [[gnu::cold]] void run() override { call(); }
    F call;
};
template <class Ready, class F>
struct PostponedWait final : Postponed {
    PostponedWait(const Ready& come, const F& call) : come(come), call(call) {}
    [[gnu::cold]] void run() override { call(); }
    [[gnu::cold]] bool ready() override { return come(); }
    bool waits() const override { return true; }
    Ready come;
    F call;
};

// In the order of issue.
struct PostponedQueue {
    std::unique_ptr<Postponed> first;
    Postponed* last = nullptr;
    std::size_t size = 0;

    void push(std::unique_ptr<Postponed> one) {
        Postponed* const added = one.get();
        (last ? last->next : first) = std::move(one);
        last = added;
        ++size;
    }
    std::unique_ptr<Postponed> pop() {
        std::unique_ptr<Postponed> one = std::move(first);
        first = std::move(one->next);
        if (!first) last = nullptr;
        --size;
        return one;
    }
};

// More than any pipe's queue holds: the scalar unit would have to wait for the pipe.
constexpr std::size_t most_postponed = 4096;

}  // namespace ascendc
