// Arrays of a device that a program uses element by element: kept on the host meanwhile.
//
// Each element that is asked for alone would be a launch and a copy. After some of them the whole buffer comes to the host, and
// elements are read and written there. Work that uses the buffer takes it back: what was written goes to the device before such work is
// recorded, or the memory's address given away; work that writes the buffer ends its stay. Work on so few elements that they cost less than a
// launch stays on the host with them, and so do its results.
//
// Which buffer has a mirror, and what that says, is under the queue's lock of mirrors: an element is read or written, a mirror taken back and
// the work recorded that it was taken back for, each in one hold of it. Whoever waits for that lock or holds it keeps the interpreter's: nobody
// runs Python code, or waits for the queue, while holding it. The arrays given out here keep the bytes alive, whatever becomes of the mirror.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "runtime/queue.hpp"

namespace asnumpy {

struct Mirror {
    BufferPtr host;        // as large, its memory taken
    bool changed = false;  // the host wrote what the device has not
    int writers = 0;       // who was given the address of `host`, and may write there at any time
    bool behind = false;   // the device wrote what they must see
};

// Whether the buffer is on the host, maybe since now; else it is better asked for one element more. `announce` is told before its bytes are
// copied and may decline.
bool keep_on_host(const Array& whole, const std::function<bool()>& announce);

// One element of the buffer, at that offset; false where it is not on the host, or no more.
bool read_element(const Array& whole, std::int64_t offset, void* to);
bool write_element(const Array& whole, std::int64_t offset, const void* from);

// The array on the host, for reading, and the same memory; nothing where its buffer has no mirror.
std::optional<Array> as_mirrored(const Array&);

// Runs the instruction now where everything that it reads is on the host, it writes nothing that is not, and it is over so few elements;
// false: it is the device's.
bool run_on_mirrors(const Instruction&, std::int64_t size);

// Before anything but the host touches the buffers. Until the lock that it returns is given back nothing comes to the host again: by then
// the work is recorded, or the address noted as given away.
[[nodiscard]] std::unique_lock<std::mutex> take_back(Buffer&, bool written);
[[nodiscard]] std::unique_lock<std::mutex> take_back(const Instruction&);

// What a run of a recorded function uses, which is not recorded itself: taken back, and none that it writes comes to the host before its end.
class TakenForRun {
public:
    TakenForRun() = default;
    ~TakenForRun();
    TakenForRun(const TakenForRun&) = delete;
    TakenForRun& operator=(const TakenForRun&) = delete;
    void add(Buffer&, bool written);
    void bring_up() const;  // when it has run

private:
    std::vector<BufferPtr> written_;
};

// The array on the host for somebody who writes there, whatever the device does meanwhile: its work gets what was written, and what it
// writes itself comes back at once. Nothing where others have the device's address. `end_writing` takes what it gave.
std::optional<Array> begin_writing(const Array&);
void end_writing(const Array& given_for, const Array& given) noexcept;
// After work that wrote the buffer.
void bring_up(Buffer&);
// What it shows is not the array any more.
void drop_mirror(Buffer&);

}  // namespace asnumpy
