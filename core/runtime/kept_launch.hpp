// A part of a list that runs again and again, alike in all but addresses: what was decided about it at its first run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "device/backend.hpp"
#include "runtime/schedule.hpp"

namespace asnumpy {

// Where the memory of a list's buffers is at each run: so many bytes from one of a few addresses, the bases. Those that are not here are asked.
struct Root {
    std::uint32_t base;
    std::int64_t offset;
};
using Roots = std::unordered_map<const Buffer*, Root>;

// The launch of a part that is a program; set_launch: its operands get memory, and their addresses.
void lay_out_launch(Launch&, std::span<const Instruction>, const Schedule::Part&);
void set_launch(Launch&, std::span<const Instruction>, const Schedule::Part&);

class KeptLaunch {
public:
    KeptLaunch() = default;
    // Of a part that has run by itself, of a list that stays; executable: where it is a program. What is not worth to be kept is empty.
    KeptLaunch(std::span<const Instruction>, const Schedule::Part&, const Executable* executable, const Roots&);

    explicit operator bool() const { return prepared_ || call_; }
    // As the part by itself; by one thread at a time.
    void run(std::span<char* const> bases);

private:
    static constexpr std::uint32_t no_base = ~std::uint32_t{0};
    struct Where {
        std::uint32_t base;
        Buffer* buffer;       // where there is no base
        std::int64_t offset;  // from either; without both, a number's address
    };

    void add(const Roots&, const Array*, const Scalar*);

    std::vector<Where> operands_;
    std::unique_ptr<PreparedLaunch> prepared_;
    std::unique_ptr<StructuredCall> call_;
    const Instruction* instruction_ = nullptr;  // that of the call
};

}  // namespace asnumpy
