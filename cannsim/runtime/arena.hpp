// The addresses of one device: a memory file seen twice, and which ranges of it are free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "runtime/memory.hpp"

namespace cannsim {

// The range is longer than the device's capacity, so that freed addresses rest before they are used again.
struct Arena {
    static constexpr std::size_t page = 4096;

    // Refusal when the host gives no memory file or addresses.
    Arena(int device, std::size_t length);
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // The first free addresses at or after the cursor, then from the start: what was freed last is used again last. 0: none.
    std::uintptr_t take(std::size_t length);
    // Gives the free range that the addresses are part of now.
    std::pair<std::uintptr_t, std::size_t> give(std::uintptr_t begin, std::size_t length);
    // The whole pages among these addresses lose what they hold.
    void drop_pages(std::uintptr_t begin, std::size_t length) const;

    int file = -1;
    std::uintptr_t begin = 0;
    std::size_t length = 0;
    std::ptrdiff_t distance = 0;  // from the client's address to ours
    std::map<std::uintptr_t, std::size_t> free;
    std::map<std::uintptr_t, std::pair<std::uintptr_t, std::size_t>> reserved;  // ranges without memory: what was taken for them
    std::uintptr_t cursor = 0;
    std::size_t kept = 0;  // bytes of small blocks that were freed since their pages last went back
    MemoryBooks books;
};

}  // namespace cannsim
