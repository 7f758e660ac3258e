// Walks the units once and gives each value its memory.
#include "ascend/lower/assignment.hpp"

#include <algorithm>

#include "ascend/launch/movement.hpp"
#include "device/contract.hpp"

namespace asnumpy::ascend {

std::vector<DType> dtypes_of(const Program& program) {
    std::vector<DType> dtypes;
    for (int v = 0; v < program.value_count(); ++v) dtypes.push_back(program.dtype(static_cast<ValueId>(v)));
    return dtypes;
}

Layout::Layout(const Program& program, std::span<const DType> dtypes, const Space& space, std::pmr::memory_resource& memory)
    : round_once_(may_contract.load(std::memory_order_relaxed)), marks_(&memory), operands_(space.operands.size()) {
    const std::size_t inputs = program.inputs.size(), stores = program.stores.size();
    marks_.reserve(operands_ + 4);
    for (std::size_t k = 0; k < operands_; ++k) {
        const std::size_t output = k - inputs;
        const DType dtype = dtypes[k < inputs ? k : output < stores ? program.stores[output].value : program.reductions[output - stores].value];
        const Operand& operand = space.operands[k];
        marks_.push_back(operand.constant ? 1 : is_direct(operand.data, dtype, space.shape, operand.strides) ? 2 : 0);
    }
    for (std::size_t in = 0; in < inputs; ++in) {
        if (space.operands[in].constant) continue;
        for (std::size_t out = inputs; out < operands_; ++out) {
            if (space.operands[in].data != space.operands[out].data) continue;
            marks_.push_back(static_cast<std::uint16_t>(in));
            marks_.push_back(static_cast<std::uint16_t>(out));
        }
    }
}

bool Layout::same_memory(std::size_t input, std::size_t output) const {
    for (std::size_t i = operands_; i < marks_.size(); i += 2)
        if (marks_[i] == input && marks_[i + 1] == output) return true;
    return false;
}

namespace {

struct Lifetimes {
    Lifetimes(const Program& program, std::span<const Unit> units, std::span<const ValueId> reduced) : dtypes(dtypes_of(program)), end(static_cast<int>(units.size())) {
        last_read.assign(dtypes.size(), -1);
        defined.assign(dtypes.size(), -1);
        store_of.assign(dtypes.size(), -1);
        for (int u = 0; u < end; ++u) {
            const Unit& unit = units[static_cast<std::size_t>(u)];
            for (std::size_t k = 0; k < unit.nin; ++k) last_read[unit.in[k]] = u;
            for (std::size_t k = 0; k < unit.nout; ++k) defined[unit.out + k] = u;
        }
        for (const ValueId value : reduced) last_read[value] = end;
        for (std::size_t k = 0; k < program.stores.size(); ++k) {
            const ValueId value = program.stores[k].value;
            if (defined[value] >= 0 && store_of[value] < 0) store_of[value] = static_cast<int>(k);
            else last_read[value] = end + 1;
        }
    }

    std::vector<DType> dtypes;   // of the values
    std::vector<int> last_read;  // by value: the last unit that reads it; after the units: a reduction, then a store
    std::vector<int> defined;    // by value: its unit, -1 for inputs
    std::vector<int> store_of;   // by value: the store for which it is computed in place, or -1
    int end;                     // the number of units
};

std::vector<bool> constants(const Program& program, const Layout& layout) {
    std::vector<bool> result;
    for (std::size_t k = 0; k < program.inputs.size(); ++k) result.push_back(layout.constant(k));
    return result;
}

class Assigner {
public:
    Assigner(const Program& program, const Layout& layout)
        : program_(program), units_(contract(program, constants(program, layout), layout.round_once())), life_(program, units_.units, units_.reduced), layout_(layout), inputs_(program.inputs.size()), stores_(program.stores.size()),
          temporary_(life_.dtypes.size(), false), number_(life_.dtypes.size(), false), loans_(stores_) {}

    Assignment all() {
        for (std::size_t k = inputs_; k < inputs_ + stores_; ++k)
            if (overwrites(k)) result_.overwritten.push_back(static_cast<std::uint16_t>(k));
        for (std::size_t k = 0; k < inputs_; ++k) {
            number_[k] = layout_.constant(k);
            if (number_[k] || life_.last_read[k] < 0 || !must_copy(k)) continue;
            result_.copied.push_back(static_cast<ValueId>(k));
            temporary_[k] = true;
        }
        for (int u = 0; u < life_.end; ++u) result_.units.push_back(assign_unit(u));
        for (std::size_t k = 0; k < stores_; ++k)
            if (const ValueId value = program_.stores[k].value; life_.store_of[value] != static_cast<int>(k)) result_.late.push_back({static_cast<std::uint16_t>(k), value});
        std::ranges::stable_partition(result_.late, [this](const Assignment::Late& late) { return !overwrites(inputs_ + late.store); });
        result_.reduced = units_.reduced;
        return std::move(result_);
    }

private:
    // By store: since which unit another value lies in its memory, and which unit reads that last.
    struct Loan {
        int since = -1, last_read = -1;
    };

    bool overwrites(std::size_t output) const {
        for (std::size_t k = 0; k < inputs_; ++k)
            if (layout_.same_memory(k, output)) return true;
        return false;
    }
    // Whether nothing comes after unit s but its own output.
    bool is_last(int s) const {
        if (s + 1 < life_.end || units_.units[static_cast<std::size_t>(s)].nout > 1 || !program_.reductions.empty() || !result_.late.empty()) return false;
        for (std::size_t k = 0; k < stores_; ++k)
            if (life_.store_of[program_.stores[k].value] != static_cast<int>(k)) return false;
        return true;
    }

    bool must_copy(std::size_t k) const {
        if (!layout_.direct(k)) return true;
        // What is stored at the end must not be overwritten by another output before.
        for (std::size_t out = 0; out < stores_ && life_.last_read[k] > life_.end; ++out)
            if (layout_.same_memory(k, inputs_ + out) && program_.stores[out].value != k) return true;
        for (std::size_t out = 0; out < program_.reductions.size() && life_.last_read[k] >= life_.end; ++out)
            if (layout_.same_memory(k, inputs_ + stores_ + out)) return true;
        return false;
    }

    // The memory of an output that is written later, for a value of its dtype that is dead by then; 0: there is none.
    std::size_t borrow(int s, ValueId value) {
        for (std::size_t k = 0; k < stores_; ++k) {
            const ValueId stored = program_.stores[k].value;
            if (life_.store_of[stored] != static_cast<int>(k) || life_.defined[stored] <= s || life_.dtypes[stored] != life_.dtypes[value]) continue;
            if (life_.last_read[value] > life_.defined[stored] || loans_[k].last_read > s || loans_[k].since == s) continue;
            if (overwrites(inputs_ + k) || !layout_.direct(inputs_ + k)) continue;
            loans_[k] = {s, life_.last_read[value]};
            return inputs_ + k;
        }
        return 0;
    }

    Assignment::Target target(int s, ValueId value, bool numbers) {
        const int store = life_.store_of[value];
        if (store >= 0) {
            const std::size_t place = inputs_ + static_cast<std::size_t>(store);
            if (!numbers && layout_.direct(place) && (!overwrites(place) || is_last(s))) return {Assignment::Place::output, static_cast<std::uint16_t>(place)};
            result_.late.push_back({static_cast<std::uint16_t>(store), value});
        } else if (const std::size_t place = numbers ? 0 : borrow(s, value)) {
            return {Assignment::Place::output, static_cast<std::uint16_t>(place)};
        }
        temporary_[value] = true;
        number_[value] = numbers;
        return {numbers ? Assignment::Place::number : Assignment::Place::temporary, 0};
    }

    Assignment::AssignedUnit assign_unit(int s) {
        Assignment::AssignedUnit result;
        const Unit& unit = result.unit = units_.units[static_cast<std::size_t>(s)];
        bool numbers = true;  // 0-d: the result is one, too
        for (std::size_t k = 0; k < unit.nin; ++k) numbers = numbers && number_[unit.in[k]];
        for (std::size_t k = 0; k < unit.nin && !numbers; ++k)
            if (number_[unit.in[k]] && temporary_[unit.in[k]]) result.spread |= static_cast<std::uint8_t>(1u << k);
        for (std::size_t k = 0; k < unit.nout; ++k) result.out[k] = target(s, static_cast<ValueId>(unit.out + k), numbers);
        const auto dies = [&](ValueId v) {
            if (!temporary_[v] || life_.last_read[v] > s) return;
            if (std::ranges::any_of(result_.late, [v](const Assignment::Late& late) { return late.value == v; })) return;
            result.dead.push_back(v);
            temporary_[v] = false;
        };
        for (std::size_t k = 0; k < unit.nin; ++k) dies(unit.in[k]);
        for (std::size_t k = 0; k < unit.nout; ++k) dies(static_cast<ValueId>(unit.out + k));
        return result;
    }

    const Program& program_;
    const Units units_;
    const Lifetimes life_;
    const Layout& layout_;
    const std::size_t inputs_, stores_;
    std::vector<bool> temporary_, number_;  // by value: in memory of its own that is still held; 0-d
    std::vector<Loan> loans_;
    Assignment result_;
};

}  // namespace

Assignment assign(const Program& program, const Layout& layout) { return Assigner(program, layout).all(); }

}  // namespace asnumpy::ascend
