// Arrays of a device that a program uses element by element: kept on the host meanwhile.
//
// Each element that is asked for alone would be a launch and a copy. After some of them the whole buffer comes to the host, and
// elements are read and written there. Work that uses the buffer takes it back: what was written goes to the device before such work is
// recorded, or the memory's address given away; work that writes the buffer ends its stay. Whoever holds the interpreter's lock may use
// these.
#pragma once

#include "runtime/array.hpp"

namespace asnumpy {

struct Mirror {
    std::unique_ptr<char[]> bytes;
    bool changed = false;  // the host wrote what the device has not
};

// The buffer's bytes on the host, null where it is better asked for one element more. `announce` is told before they are copied and
// may decline.
char* host_bytes(const Array& whole, const std::function<bool()>& announce);

// Before anything but the host's elements touches the buffer.
void take_back(Buffer&, bool written);

}  // namespace asnumpy
