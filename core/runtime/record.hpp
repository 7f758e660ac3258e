// How the recording functions hand work to the queue. Internal to this folder.
#pragma once

#include <memory>

#include "runtime/queue.hpp"

namespace asnumpy {

// f(buffer, written) for every operand that is an array; a buffer may come several times.
template <class F> void each_buffer(const Instruction& i, F&& f) {
    for (const Argument& in : i.in)
        if (const Array* a = in.array()) f(*a->buffer, false);
    for (const Array& out : i.out) f(*out.buffer, true);
}

// Hands in an instruction over so many elements: checks that its arrays lie on one device, and runs it now (small arrays
// on the host) or records it.
void submit(Instruction&&, std::int64_t size);
// Appends to the queue, and flushes when the queue is full, everything runs at once, or the host sees a buffer of it.
void record(Instruction&&);

// Arrays of at most this many elements run at once when nothing recorded touches them.

// True when the instruction's buffers are untouched by anything recorded, so that running it now keeps the order.
bool may_run_now(const Instruction&);
// Runs one instruction, unfused, in the calling thread; nothing that is recorded may be before it.
void run_now(const Instruction&);
// As the backend sees it; the tensors of arrays without memory have no address.
StructuredCall structured_call(const Instruction&);

// The program of a device that applies one row once (reduces with it); made at first use, never freed.
const Executable& single_program(const Pool&, Work, RowId, int loop);

}  // namespace asnumpy
