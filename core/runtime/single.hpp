// One operation by itself, without the queue: as the backend sees it, and running it at once.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/queue.hpp"

namespace asnumpy {

// Up to this many elements the loop is called on the operands themselves, without a launch.
constexpr std::int64_t fewest_for_launch = 512;

// Where the host may touch it, contiguous, aligned, and nothing recorded will write it.
inline bool is_plain(const Array& a) {
    return a.host_visible() && !a.buffer->pending_writes && is_c_contiguous(a.view, static_cast<std::int64_t>(itemsize(a.dtype))) &&
           reinterpret_cast<std::uintptr_t>(a.data()) % info(a.dtype).alignment == 0;
}
// A plain array with a value.
inline bool is_at_hand(const Array& a) { return a.buffer->materialised() && is_plain(a); }

// Runs one instruction, unfused, in the calling thread; nothing that is recorded may be before it.
void run_now(const Instruction&);
// Applies an elementwise row to operands of one shape and so many elements that are at hand, or scalars.
void run_at_hand(RowId, int loop, std::span<const Input> in, std::span<const Array> out, std::int64_t size);
// As the backend sees them; the tensors of arrays without memory have no address.
Tensor tensor_of(const Array&);
StructuredCall structured_call(const Instruction&);

// The program of a device that applies one row once (reduces with it); made at first use, never freed.
const Executable& single_program(const Pool&, Work, RowId, int loop);

}  // namespace asnumpy
