// Who wrote and read which bytes of device memory last, and whether an order between two uses is certain. The books are kept
// when work is issued, in the client's order: a fault is found whether or not the timing of this run would have shown it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cannsim {

struct Block;

// For each stream (by number) the last task that is known to lie before: a vector clock.
class Clock {
public:
    std::uint64_t at(std::uint32_t stream) const;
    void raise(std::uint32_t stream, std::uint64_t task);
    void join(const Clock&);

private:
    std::vector<std::pair<std::uint32_t, std::uint64_t>> entries_;  // few streams: a list
};

struct Use {
    const void* address;
    std::size_t size;
    bool write;
    bool dense;  // every byte of the range is used; two uses with gaps may lie side by side and are not compared
    const char* what;  // the parameter
};

// A stream's place in the order; only hazard.cpp looks inside, under its lock.
struct Order {
    std::uint32_t stream = 0;
    std::uint64_t issued = 0;
    Clock known;
};

// One task is issued on the stream: gives its number; reports what it does without an order to others.
std::uint64_t issue(Order&, const std::vector<Use>& uses, const char* function);
Clock recorded(const Order&);               // what an event captures
void wait_for(Order&, const Clock&);        // the stream waits for an event
void host_knows(const Clock&);              // the host waited for an event, ...
void host_knows_all(const Order&);          // ... or for all of a stream
// The host reads or writes memory at once: reports queued work that still may touch it.
void check_host_use(const void* address, std::size_t size, bool write);
void check_free(const Block&);              // reports queued work that uses the block; forgets it
std::uint32_t new_stream_number();

}  // namespace cannsim
