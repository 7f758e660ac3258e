// What the backend keeps of one device besides its context: its cached executors, staging memory, graphs and constants.
#pragma once

#include <optional>
#include <unordered_map>

#include "ascend/launch/caller.hpp"
#include "ascend/launch/emitter.hpp"
#include "ascend/launch/graphs.hpp"
#include "ascend/library/context.hpp"
#include "ascend/memory/staging.hpp"

namespace asnumpy::ascend {

class DeviceState : public Context {
public:
    explicit DeviceState(int index) : Context(index), caller(*this), staging(*this), graphs(*this) {}

    // Before constant(), for all that one call reads: only here old ones are forgotten, for their memory is written again, and the
    // call must not have the address of one of them yet. With the mutex held, like the next two.
    void make_room_for_constants(std::size_t count);
    // A 0-d tensor of the value; kept for later launches. The second: if it is there already.
    Tensor constant(const Scalar&);
    std::optional<Tensor> known_constant(const Scalar&) const;
    bool constants_damaged() const;  // one of them was not brought to the device as it should
    // Gives back everything that CANN gave, the pool's memory left out. At the end; reset() comes afterwards.
    void release() noexcept;

    std::unique_ptr<Launching, DropLaunching> launching;  // of the launch before, for the next; with the mutex held
    Caller caller;
    Staging staging;
    Graphs graphs;

private:
    struct Key {
        explicit Key(const Scalar&);
        Scalar value{};  // its own bytes only
        bool operator==(const Key& o) const { return value.dtype == o.value.dtype && value.bytes == o.value.bytes; }
    };
    struct Hash {
        std::size_t operator()(const Key&) const;
    };
    std::unordered_map<Key, char*, Hash> constants_;
    char* constant_memory_ = nullptr;
};

}  // namespace asnumpy::ascend
