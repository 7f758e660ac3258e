// Taking and giving ranges of addresses; the pages behind them.
#include "runtime/arena.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/report.hpp"

namespace cannsim {

Arena::Arena(int device, std::size_t bytes) : length(bytes) {
    file = memfd_create("cannsim", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(length)) != 0)
        throw Refusal{ACL_ERROR_RT_MEMORY_ALLOCATION, text("the host gave no memory file for device ", device, ": ", std::strerror(errno))};
    void* const seen = mmap(nullptr, length, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    void* const ours = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (seen == MAP_FAILED || ours == MAP_FAILED)
        throw Refusal{ACL_ERROR_RT_MEMORY_ALLOCATION, text("the host gave no address range for device ", device, ": ", std::strerror(errno))};
    madvise(ours, length, MADV_HUGEPAGE);  // where the system grants it
    madvise(ours, length, MADV_DONTDUMP);
    begin = reinterpret_cast<std::uintptr_t>(seen);
    distance = static_cast<std::byte*>(ours) - static_cast<std::byte*>(seen);
    free[begin] = length;
    cursor = begin;
}

std::uintptr_t Arena::take(std::size_t wanted) {
    const auto fits = [&](const auto& range) { return range.second >= wanted; };
    auto found = free.upper_bound(cursor);
    std::uintptr_t at = cursor;
    // The range around the cursor: what lies before the cursor was freed not long ago.
    if (found != free.begin() && std::prev(found)->first + std::prev(found)->second >= cursor + wanted) --found;
    else if (found = std::find_if(found, free.end(), fits); found != free.end()) at = found->first;
    else if (found = std::ranges::find_if(free, fits); found != free.end()) at = found->first;
    else return 0;
    const auto [from, bytes] = *found;
    free.erase(found);
    if (at > from) free[from] = at - from;
    if (from + bytes > at + wanted) free[at + wanted] = from + bytes - at - wanted;
    cursor = at + wanted;
    return at;
}

std::pair<std::uintptr_t, std::size_t> Arena::give(std::uintptr_t from, std::size_t bytes) {
    auto next = free.lower_bound(from);
    if (next != free.end() && from + bytes == next->first) {
        bytes += next->second;
        next = free.erase(next);
    }
    if (next != free.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == from) {
            before->second += bytes;
            return *before;
        }
    }
    free[from] = bytes;
    return {from, bytes};
}

void Arena::drop_pages(std::uintptr_t from, std::size_t bytes) const {
    const std::uintptr_t first = (from + page - 1) / page * page, last = (from + bytes) / page * page;
    if (first < last)
        fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first - begin), static_cast<off_t>(last - first));
}

}  // namespace cannsim
