// Scratch memory of a thread, kept from launch to launch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace asnumpy::cpu {

class Arena {
public:
    static Arena& of_this_thread();
    char* reserve(std::int64_t bytes);  // aligned to a page

    std::vector<char*> values;
    std::vector<void*> operands;  // of a call
    struct Key {
        std::int64_t origin, length;
    };
    std::vector<Key> fetched;
    struct Moving {
        char** value;
        std::int64_t step;  // bytes from row to row
    };
    std::vector<Moving> moving;
    std::vector<std::int64_t> places;  // of a tile, by the axes of each grid

private:
    struct Free {
        void operator()(char* p) const;
    };
    std::unique_ptr<char, Free> memory_;
    std::int64_t size_ = 0;
};

}  // namespace asnumpy::cpu
