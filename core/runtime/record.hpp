// How the recording functions hand work to the queue. Internal to this folder.
#pragma once

#include <atomic>
#include <initializer_list>

#include "runtime/queue.hpp"

namespace asnumpy {

inline RowId cast_row() {
    static const RowId id = find_row("cast");
    return id;
}

// f(buffer, written) for every operand that is an array; a buffer may come several times.
template <class F> void each_buffer(const Instruction& i, F&& f) {
    for (const Argument& in : i.in)
        if (const Array* a = in.array()) f(*a->buffer, false);
    for (const Array& out : i.out) f(*out.buffer, true);
}

inline bool is_draw(const Instruction& i) { return i.work == Work::structured && row(i.row).name.starts_with("random_"); }

// Of a buffer's counts. Written under the lock of recording, so no read-modify-write is needed. Who reads 0 without it sees what has run.
inline void add_pending(std::atomic<int>& count, int n) { count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_release); }

// An instruction of that structured row, all else as it is by default.
Instruction structured(const char* name, std::initializer_list<const Array*> in, const Array& out);
// Of all elements of an array to another one of its shape and dtype.
Instruction copying(const Array& from, const Array& to);
// Hands in an instruction over so many elements: checks that its arrays lie on one device, and runs it now (small arrays
// on the host) or records it.
void submit(Instruction&&, std::int64_t size);
// Appends to the queue, and flushes when the queue is full, everything runs at once, or the host sees a buffer of it.
// put_off: it could have run when it was called.
void record(Instruction&&, bool put_off = false);
// What an array waits for, if anything, was put off.
inline bool is_put_off(const Array& a) { return a.buffer->put_off.load(std::memory_order_relaxed) && a.buffer->pending_writes > 0; }
// The array, after what it waits for has run. What adds floats takes what was put off so: how it divides them, and with that the last
// bit, follows from what is recorded, and must not follow from what a loop has done before.
Array brought_up(const Array&);
// Counts an instruction that is kept elsewhere among those that its buffers wait for (1), or no more (-1); a write alone likewise.
void count_pending(const Instruction&, int);
void add_pending_write(Buffer&, int);
// True when the instruction's buffers are untouched by anything recorded, so that running it now keeps the order.
bool may_run_now(const Instruction&);

}  // namespace asnumpy
