// One operation by itself, without the queue: as the backend sees it, and running it at once.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/queue.hpp"

namespace asnumpy {

// Up to this many elements a fold is called on the operand itself, without a launch: they are one tile of any launch.
constexpr std::int64_t fewest_for_launch = 512;
// Up to this many, an elementwise loop: they are too few to be shared between threads.
constexpr std::int64_t most_without_launch = 4096;

// Contiguous and aligned.
inline bool is_plain(const Array& a) {
    return is_c_contiguous(a.view, item_bytes(a)) && reinterpret_cast<std::uintptr_t>(a.data()) % info(a.dtype).alignment == 0;
}
// The host may touch it, it has a value, and nothing recorded will write it.
inline bool is_at_hand(const Array& a) { return a.host_visible() && !a.buffer->pending_writes && a.buffer->materialised(); }

// What an operand that is a number of the host points to.
inline char* bytes_of(const Scalar& s) { return const_cast<char*>(reinterpret_cast<const char*>(s.bytes.data())); }

// Runs one instruction, unfused, in the calling thread; nothing that is recorded may be before it.
void run_now(const Instruction&);
// Applies an elementwise row to operands that are at hand and broadcast to the outputs' shape, or scalars.
void run_at_hand(RowId, int loop, std::span<const Input> in, std::span<const Array> out);
// As the backend sees them; the tensors of arrays without memory have no address.
Tensor tensor_of(const Array&);
StructuredCall structured_call(const Instruction&);

// The program of a device that applies one row once (reduces with it); made at first use, never freed.
const Executable& single_program(const Pool&, Work, RowId, int loop);

}  // namespace asnumpy
