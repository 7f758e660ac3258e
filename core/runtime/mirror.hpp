// Arrays of a device that a program uses element by element: kept on the host meanwhile.
//
// Each element that is asked for alone would be a launch and a copy. After some of them the whole buffer comes to the host, and
// elements are read and written there. Work that uses the buffer takes it back: what was written goes to the device before such work is
// recorded, or the memory's address given away; work that writes the buffer ends its stay. Work on so few elements that they cost less than a
// launch stays on the host with them, and so do its results. Whoever holds the interpreter's lock may use these.
#pragma once

#include <optional>

#include "runtime/queue.hpp"

namespace asnumpy {

struct Mirror {
    BufferPtr host;        // as large, its memory taken
    bool changed = false;  // the host wrote what the device has not
    int writers = 0;       // who was given the address of `host`, and may write there at any time
    bool behind = false;   // the device wrote what they must see
};

// The buffer's bytes on the host, null where it is better asked for one element more. `announce` is told before they are copied and
// may decline.
char* host_bytes(const Array& whole, const std::function<bool()>& announce);

// The array on the host, of a buffer that has a mirror: for reading, and the same memory.
Array as_mirrored(const Array&);

// Runs the instruction now where everything that it reads is on the host, it writes nothing that is not, and it is over so few elements;
// false: it is the device's.
bool run_on_mirrors(const Instruction&, std::int64_t size);

// Before anything but the host touches the buffer.
void take_back(Buffer&, bool written);

// The array on the host for somebody who writes there, whatever the device does meanwhile: its work gets what was written, and what it
// writes itself comes back at once. Nothing where others have the device's address. `end_writing` takes what it gave.
std::optional<Array> begin_writing(const Array&);
void end_writing(const Array& given_for, const Array& given) noexcept;
// After work that wrote the buffer.
void bring_up(Buffer&);

}  // namespace asnumpy
