// Whether a loop that a compiler made gives what the steps of its strand give, before any program runs it: whoever names a compiler may
// give it options of his own, and a damaged one makes anything.
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "base/bits.hpp"
#include "cpu/checked_values.hpp"
#include "cpu/code.hpp"
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

}  // namespace

bool computes_strand(const StrandCode& strand, const Forms& forms) {
    std::mt19937 random(7);
    for (const bool edges_too : {true, false}) {
        StrandValues checked(strand, random, edges_too);
        checked.run(forms.each, 0, checked_elements);
        if (!checked.right(checked.given.size())) return false;
        for (const Reduction& reduction : strand.program.reductions)
            if (!forms.folded || !forms.added || !checked.folds(forms.folded, reduction) || !checked.adds(forms.added, reduction)) return false;
    }
    return true;
}

}  // namespace asnumpy::cpu
