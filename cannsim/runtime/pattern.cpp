// Filling what nobody has written.
#include "runtime/pattern.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace cannsim {
namespace {

constexpr std::array unwritten{std::byte{0xf5}, std::byte{0x7f}};
constexpr std::size_t filled_whole = std::size_t{32} << 20;

void fill_all(std::byte* memory, std::size_t size) {
    for (std::size_t i = 0; i < std::min(size, unwritten.size()); ++i) memory[i] = unwritten[i];
    for (std::size_t done = unwritten.size(); done < size; done *= 2)  // what is there, once more behind it
        std::memcpy(memory + done, memory, std::min(done, size - done));
}

}  // namespace

void fill_unwritten(std::byte* memory, std::size_t size) {
    if (size <= filled_whole) return fill_all(memory, size);
    fill_all(memory, filled_whole / 2);
    fill_all(memory + size - filled_whole / 2, filled_whole / 2);
}

}  // namespace cannsim
