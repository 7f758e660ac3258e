// What instructions touch, where some of the arrays that they read are copies that are not made.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "runtime/fuse.hpp"

namespace asnumpy {

struct Touch {
    enum Kind : std::uint8_t { read, write, reduced };
    const Buffer* buffer;
    const Array* array;  // null: all of the buffer
    Kind kind;
    const Buffer* copy = nullptr;  // that is read through to this one
};

// Copies that are not made, by buffer.
class Unmade {
public:
    Unmade(std::span<const Instruction> list, std::span<const TurnedCopy> copies) : list_(list) {
        for (const TurnedCopy& copy : copies) copies_.emplace(list[copy.pieces[0]].out[0].buffer.get(), &copy);
    }
    const TurnedCopy* find(const Argument& argument) const {
        if (copies_.empty() || !argument.array()) return nullptr;
        const auto found = copies_.find(argument.array()->buffer.get());
        return found == copies_.end() ? nullptr : found->second;
    }
    const Buffer* source(const TurnedCopy& copy) const { return list_[copy.pieces[0]].in[0].array()->buffer.get(); }

private:
    std::span<const Instruction> list_;
    std::unordered_map<const Buffer*, const TurnedCopy*> copies_;
};

template <class F> void each_touch(const Instruction& i, const Unmade& unmade, F&& f) {
    for (const Argument& argument : i.in) {
        const Array* const a = argument.array();
        if (!a) continue;
        if (const TurnedCopy* const copy = unmade.find(argument)) f(Touch{unmade.source(*copy), nullptr, Touch::read, a->buffer.get()});
        else f(Touch{a->buffer.get(), a, Touch::read});
    }
    for (const Array& a : i.out) f(Touch{a.buffer.get(), &a, i.work == Work::reduction ? Touch::reduced : Touch::write});
}

}  // namespace asnumpy
