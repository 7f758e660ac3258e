// What a flush runs, kept by content: a list that recurs finds its programs ready.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "device/backend.hpp"
#include "runtime/passes.hpp"

namespace asnumpy {

struct FoundTogether;  // runner.hpp

// The programs that a recorded list becomes, in their order.
struct Schedule {
    static constexpr std::uint32_t outside = ~std::uint32_t{0};

    struct Part {
        Group group;
        Fused fused;                                     // unless the group stands alone
        std::vector<std::uint32_t> last_touch;           // by output: the last part that touches its buffer; `outside` where others do
        bool follows = false;                            // it touches what the part before it touches
        // Made when the part first runs, while another run may look: `ready` is only read and written as an atomic.
        mutable const Executable* ready = nullptr;
        mutable std::shared_ptr<const Executable> held;
        mutable std::shared_ptr<FoundTogether> together;  // what runs with it, as an earlier run has found it; the Runner's
    };
    std::vector<std::uint32_t> dead;  // instructions that do not run
    Edits edits;                      // what passes did to the list before it was divided
    std::vector<Done> done;           // and to how much of it
    std::vector<Part> parts;
};

// f(array) for what a part finds in memory or puts there; a buffer may come several times.
template <class F> void each_operand(std::span<const Instruction> list, const Schedule::Part& part, F&& f) {
    if (part.group.alone) {
        const Instruction& only = list[part.group.members.front()];
        for (const Argument& in : only.in)
            if (const Array* a = in.array()) f(*a);
        for (const Array& out : only.out) f(out);
        return;
    }
    for (const auto* places : {&part.fused.inputs, &part.fused.outputs})
        for (const Place& place : *places)
            if (const Array* a = operand_array(list, place)) f(*a);
}

// Divides a list that the passes have been over.
Schedule divide(const Draft&);

// Guarded by the lock of planning. Who runs by a schedule holds it: it may have been forgotten here by then.
class ScheduleCache {
public:
    // The schedule of this list, of which the census was taken, by these passes; null when no such list was seen before. by_views: with
    // all views as they are here.
    std::shared_ptr<const Schedule> find(std::span<const Instruction>, const Census&, Passes, bool by_views);
    // Keeps a schedule for the list that find() was last asked for.
    void keep(std::shared_ptr<const Schedule>);

private:
    using Key = std::vector<std::uint64_t>;
    struct Hash { std::size_t operator()(const Key&) const; };

    void describe(std::span<const Instruction>, const Census&, Passes);

    // By content, and by views: where these are others in each list, they do not drive out the former.
    std::array<std::unordered_map<Key, std::shared_ptr<const Schedule>, Hash>, 2> schedules_;
    bool by_views_ = false;  // the list that is described
    Key key_;
    // Of the list that is being described: its different shapes and constants, and each buffer's first view.
    std::vector<const Dims*> shapes_;
    std::vector<const Scalar*> scalars_;
    struct Seen { const Array* first = nullptr; bool differs = false; };
    std::vector<Seen> seen_;
};

}  // namespace asnumpy
