// From a launch's argument bytes to a call of a kernel, and what must hold when the kernel ends.
#pragma once

#include <tuple>

#include "ascendc/sync/flags.hpp"

namespace ascendc {

// A kernel's arguments as the launch copies them: one after the other, each at a multiple of its own alignment.
class Arguments {
public:
    Arguments(const void* bytes, std::size_t size) : bytes_(static_cast<const std::byte*>(bytes)), size_(size) {}
    template <class T>
    T next() {
        at_ = (at_ + alignof(T) - 1) / alignof(T) * alignof(T);
        if (at_ + sizeof(T) > size_)
            current().fail(Rule::launch, {}, join("the launch gives ", size_, " bytes of arguments, and the kernel takes more"));
        T value;
        std::memcpy(&value, bytes_ + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

private:
    const std::byte* bytes_;
    std::size_t size_;
    std::size_t at_ = 0;
};

inline void check_end(Core& core) {
    if (core.any_held()) core.fail_held("the kernel ends");
    for (unsigned source = 0; source < pipe_count; ++source)
        for (unsigned target = 0; target < pipe_count; ++target)
            for (unsigned id = 0; id < event_ids; ++id) {
                const Flag& flag = core.flag(static_cast<Pipe>(source), static_cast<Pipe>(target), id);
                if (flag.set)
                    core.fail(Rule::flag, flag.where, join("the kernel ends with a flag from ", pipe_names[source], " to ", pipe_names[target],
                                                           " (id ", id, ") set; WaitFlag is missing"));
            }
    for (const Slot& slot : core.slots)
        if (slot.state == SlotState::enqueued)
            core.fail(Rule::queue, slot.where, "the kernel ends with a tensor in a queue; DeQue and FreeTensor are missing");
    if (core.registers.atomic != Atomic::none)
        core.fail(Rule::atomic, core.registers.atomic_set, "the kernel ends with atomic copies switched on; SetAtomicNone is missing");
}

template <class... Parameters>
int run_kernel(Core& core, void (*kernel)(Parameters...), const void* bytes, std::size_t size) {
    current_core = &core;
    try {
        Arguments arguments(bytes, size);
        std::tuple<std::decay_t<Parameters>...> values{arguments.next<std::decay_t<Parameters>>()...};
        std::apply(kernel, std::move(values));
        check_end(core);
        return 0;
    } catch (const Stop&) {
        return 1;
    }
}

}  // namespace ascendc
