// Whether a loop that a compiler made gives what the steps of its strand give, before any program runs it: whoever names a compiler may
// give it options of his own, and a damaged one makes anything.
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "base/bits.hpp"
#include "cpu/checked_values.hpp"
#include "cpu/code.hpp"
#include "cpu/reduce.hpp"
#include "kernels/kernels.hpp"

namespace asnumpy::cpu {
namespace {

// Runs that are reduced: one element, fewer than a fold has lanes, some more, and all. Of short ones many have no NaN, which
// hides what else is in a sum.
constexpr std::array<std::size_t, 5> reduced_runs{1, 3, 29, 205, checked_elements};

// A strand's numbers, and what its steps make of them.
struct StrandValues {
    const Program& strand;
    std::vector<CheckedValues> values{static_cast<std::size_t>(strand.value_count())};
    std::vector<ValueId> given;  // in the order of Strand::out
    std::vector<CheckedValues> results;

    StrandValues(const StrandCode& code, std::mt19937& random, bool edges_too) : strand(code.program) {
        for (const Store& store : strand.stores) given.push_back(store.value);
        for (const Reduction& reduction : strand.reductions) given.push_back(reduction.value);
        results.resize(given.size());
        for (std::size_t k = 0; k < strand.inputs.size(); ++k) {
            fill(values[k], strand.inputs[k], random, edges_too);
            if (!has_bit(code.numbers, k)) continue;
            char* const first = values[k].bytes.data();
            const std::size_t size = itemsize(strand.inputs[k]);
            for (std::size_t i = 1; i < checked_elements; ++i) std::copy_n(first, size, first + i * size);
        }
        compute_steps(strand, values);
    }

    // Runs a form on n elements from the first one on; the last result goes to the first elements of its own.
    void run(Loop made, std::size_t first, std::size_t n) {
        std::vector<const void*> in;
        std::vector<void*> out;
        for (std::size_t k = 0; k < strand.inputs.size(); ++k) in.push_back(values[k].bytes.data() + first * itemsize(strand.inputs[k]));
        for (std::size_t k = 0; k < given.size(); ++k)
            out.push_back(results[k].bytes.data() + (k < strand.stores.size() ? first * itemsize(strand.dtype(given[k])) : 0));
        made(out.data(), in.data(), n);
    }

    // What is stored, and the value of the reduction where every element was written.
    bool right(std::size_t outputs) const {
        for (std::size_t k = 0; k < outputs; ++k)
            if (!same_values(strand.dtype(given[k]), values[given[k]].bytes.data(), results[k].bytes.data(), checked_elements)) return false;
        return true;
    }

    bool folds(Loop folded, const Reduction& reduction) {
        const DType dtype = strand.dtype(reduction.value);
        for (const std::size_t n : reduced_runs) {
            for (CheckedValues& result : results) result = {};
            for (std::size_t first = 0; first + n <= checked_elements; first += n) {
                run(folded, first, n);
                alignas(64) std::array<char, 16> wanted;
                fold(reduction.row, reduction.loop)(wanted.data(), values[reduction.value].bytes.data() + first * itemsize(dtype), n);
                if (!same_values(dtype, wanted.data(), results.back().bytes.data(), 1)) return false;
            }
        }
        return right(strand.stores.size());
    }

    bool adds(Loop added, const Reduction& reduction) {
        const DType dtype = strand.dtype(reduction.value);
        CheckedValues& sums = results.back();
        dispatch(dtype, [&]<class T> {
            if constexpr (in_strands<T>) {
                T* const elements = values[reduction.value].template of<T>();
                std::rotate_copy(elements, elements + 7, elements + checked_elements, sums.template of<T>());
            }
        });
        CheckedValues wanted = sums;
        void* const to[2] = {wanted.bytes.data(), nullptr};
        const void* const from[3] = {wanted.bytes.data(), values[reduction.value].bytes.data(), nullptr};
        loop(reduction.row, reduction.loop)(to, from, checked_elements);
        run(added, 0, checked_elements);
        return same_values(dtype, wanted.bytes.data(), sums.bytes.data(), checked_elements) && right(strand.stores.size());
    }
};

// What code reads of an input of which a tile has less than one element for each of its own, spread over all of them.
void spread(CheckedValues& values, DType dtype, Items::Part part, std::size_t length) {
    if (part == Items::Part::whole) return;
    const std::size_t size = itemsize(dtype);
    const CheckedValues read = values;
    for (std::size_t i = 0; i < checked_elements; ++i) {
        const std::size_t from = part == Items::Part::one ? i / length : part == Items::Part::same ? i % length : 0;
        std::copy_n(read.bytes.data() + from * size, size, values.bytes.data() + i * size);
    }
}

// The elements of each item, one after the other, to one, as the reduction gives it.
void join(CheckedValues& values, const Reduction& reduction, DType dtype, std::size_t length, std::size_t items) {
    const std::size_t size = itemsize(dtype);
    for (std::size_t i = 0; i < items; ++i) {
        char* const to = values.bytes.data() + i * size;
        const char* const from = values.bytes.data() + i * length * size;
        std::copy_n(from, size, to);
        const auto combine = [&](const void* first, const void* second) {
            void* const out[2] = {to, nullptr};
            const void* const in[3] = {first, second, nullptr};
            loop(reduction.row, reduction.loop)(out, in, 1);
        };
        for (std::size_t k = 1; k < length; ++k) combine(to, from + k * size);
        if (begins_with_identity(reduction.row, dtype)) combine(neutral(reduction.row, dtype).bytes.data(), to);
    }
}

bool computes_items(const StrandCode& code, const Forms& forms, std::mt19937& random, bool edges_too) {
    const Program& program = code.program;
    const auto length = static_cast<std::size_t>(code.items.length());
    const std::size_t items = checked_elements / length;
    std::vector<CheckedValues> values(static_cast<std::size_t>(program.value_count()));
    for (std::size_t k = 0; k < program.inputs.size(); ++k) fill(values[k], program.inputs[k], random, edges_too);
    std::vector<CheckedValues> read(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(program.inputs.size()));
    for (std::size_t k = 0; k < program.inputs.size(); ++k) spread(values[k], program.inputs[k], code.items.part(k), length);
    compute_steps(program, values);

    std::vector<ValueId> given;
    for (const Store& store : program.stores) given.push_back(store.value);
    for (const Reduction& reduction : program.reductions) given.push_back(reduction.value);
    std::vector<CheckedValues> results(given.size());
    std::vector<const void*> in;
    std::vector<void*> out;
    for (const CheckedValues& one : read) in.push_back(one.bytes.data());
    for (CheckedValues& one : results) out.push_back(one.bytes.data());
    const auto stored = [&](std::size_t n) {
        for (std::size_t k = 0; k < program.stores.size(); ++k)
            if (!same_values(program.dtype(given[k]), values[given[k]].bytes.data(), results[k].bytes.data(), n * length)) return false;
        return true;
    };
    for (std::size_t n : reduced_runs) {
        if (program.reductions.empty() || code.items.joined()) break;
        if (!forms.folded) return false;
        n = std::min(n, items);
        forms.folded(out.data(), in.data(), n);
        const DType dtype = program.dtype(given.back());
        const auto width = static_cast<std::int64_t>(length), size = static_cast<std::int64_t>(itemsize(dtype));
        CheckedValues wanted, room;
        halve(loop(program.reductions.front().row, program.reductions.front().loop), size, wanted.bytes.data(), values[given.back()].bytes.data(), static_cast<std::int64_t>(n), width, room.bytes.data());
        if (!stored(n) || !same_values(dtype, wanted.bytes.data(), results.back().bytes.data(), length)) return false;
    }
    forms.each(out.data(), in.data(), items);
    for (const Reduction& reduction : program.reductions) {
        const DType dtype = program.dtype(reduction.value);
        CheckedValues& wanted = values[reduction.value];
        const bool joined = code.items.joined();
        if (joined) join(wanted, reduction, dtype, length, items);
        if (!same_values(dtype, wanted.bytes.data(), results.back().bytes.data(), joined ? items : items * length)) return false;
    }
    return stored(items);
}

}  // namespace

bool computes_strand(const StrandCode& strand, const Forms& forms) {
    std::mt19937 random(7);
    for (const bool edges_too : {true, false}) {
        if (strand.items.any()) {
            if (!computes_items(strand, forms, random, edges_too)) return false;
            continue;
        }
        StrandValues checked(strand, random, edges_too);
        checked.run(forms.each, 0, checked_elements);
        if (!checked.right(checked.given.size())) return false;
        for (const Reduction& reduction : strand.program.reductions)
            if (!forms.folded || !forms.added || !checked.folds(forms.folded, reduction) || !checked.adds(forms.added, reduction)) return false;
    }
    return true;
}

}  // namespace asnumpy::cpu
