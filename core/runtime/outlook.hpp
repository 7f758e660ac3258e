// Whether work on few elements, which could run when it is called, is put off with what follows it.
//
// Recorded work is fused and shared between threads, which pays where much of it comes before somebody wants a value. A thread takes it
// that what comes next is like what came before: after so many operations in a row it puts off the next ones, and where a value is wanted
// soon after that, or little of it is fused, it waits for twice as many before it tries again; where a full list is fused, for few.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace asnumpy {

class Outlook {
public:
    // By the bytes of an operand. Below, calling, recording and dividing an operation costs more than its loop.
    static bool matters(std::int64_t bytes) { return bytes >= least_bytes; }

    bool lasts() const { return in_a_row_ >= enough_; }
    void ran_at_once() { in_a_row_ = std::min(in_a_row_ + 1, most); }
    void put_off() { ++waiting_; }
    // Work that does not matter, or cannot be fused, needs what was put off. False: there is more of it than of the other.
    bool takes_along() { return ++taken_along_ <= waiting_; }

    // Somebody wants a value, and what was put off runs.
    void wanted() {
        if (waiting_ > 0 && waiting_ < worthwhile) give_up();
        begin_to_run(Cause::wanted);
    }
    // It runs because so much has come together.
    void filled() { begin_to_run(Cause::filled); }
    // It runs as so many programs.
    void divided(std::size_t instructions, std::size_t programs) {
        if (runs_ != Cause::none && instructions < least_fused * programs) give_up();
        else if (runs_ == Cause::filled) enough_ = least;
        runs_ = Cause::none;
    }

private:
    enum class Cause : std::uint8_t { none, wanted, filled };

    void give_up() {
        enough_ = std::min(2 * enough_, most);
        in_a_row_ = 0;
    }
    void begin_to_run(Cause cause) {
        runs_ = waiting_ > 0 ? cause : Cause::none;
        waiting_ = taken_along_ = 0;
    }

    static constexpr std::int64_t least_bytes = 16 * 1024;
    static constexpr std::size_t least_fused = 3;  // operations to a program, which costs as much as some of them by themselves
    static constexpr int worthwhile = 8, least = 16, most = 16384;

    int in_a_row_ = 0;          // operations that matter and ran at once since the last attempt
    int enough_ = least;        // so many of them before the next
    int waiting_ = 0;           // put off since something ran
    int taken_along_ = 0;       // of other work
    Cause runs_ = Cause::none;  // what was put off, and has not been divided yet
};

// Of the calling thread.
Outlook& outlook();

}  // namespace asnumpy
