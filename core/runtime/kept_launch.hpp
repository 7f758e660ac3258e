// A part of a list that runs again and again, alike in all but addresses: what was decided about it at its first run.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/backend.hpp"
#include "runtime/schedule.hpp"

namespace asnumpy {

// The launch of a part that is a program; its operands get memory.
void set_launch(Launch&, std::span<const Instruction>, const Schedule::Part&);

class KeptLaunch {
public:
    KeptLaunch() = default;
    // Of a part that has run by itself, of a list that stays; executable: where it is a program. What is not worth to be kept is empty.
    KeptLaunch(std::span<const Instruction>, const Schedule::Part&, const Executable* executable);

    explicit operator bool() const { return prepared_ || call_; }
    // As the part by itself; by one thread at a time.
    void run();

private:
    struct Where {
        Buffer* buffer;  // null: a number of the host
        std::int64_t offset;
    };

    void add(const Array*, char* number = nullptr);

    std::vector<Where> operands_;
    std::vector<char*> data_;
    std::unique_ptr<Prepared> prepared_;
    std::unique_ptr<StructuredCall> call_;
    const Instruction* instruction_ = nullptr;  // that of the call
};

}  // namespace asnumpy
