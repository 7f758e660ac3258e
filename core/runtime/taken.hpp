// A list leaves what is recorded to run, and comes back where it fails. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/queue_state.hpp"

namespace asnumpy {

inline constexpr std::size_t longest_list = 128;  // instructions before the queue runs by itself

enum class Take : std::uint8_t {
    all,
    needed,  // what is wanted, and no more
    first,   // of a full list, what leaves little to memory
};

// What fails is put back before what was recorded meanwhile, which may need it; what else runs conflicts with none of it. There is room for
// that before anything runs: where memory has run out, nothing must be lost. By who has the lock of recording.
void put_back(Queue&, std::span<Instruction> kept);

// A list that was recorded, and runs as long as this lives.
class Taken {
public:
    // Waits until nothing that runs conflicts with it. It is empty when nothing is recorded, and nothing that runs concerns what is wanted.
    // Nothing is wanted: it waits until nothing runs.
    Taken(Queue&, Turn&, const Buffer* wanted, Take);
    // What was put back is recorded by now.
    ~Taken();
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;

    std::vector<Instruction> list;

private:
    Queue& q_;
    Run run_;
    std::size_t size_ = 0;
};

}  // namespace asnumpy
