// Chooses the instruction set when the library is loaded, and lists the loops by row.
#include "kernels/kernels.hpp"

#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/immortal.hpp"
#include "kernels/table.hpp"
#include "kernels/vector_math.hpp"

namespace asnumpy::cpu {

const InstructionSet& choose(std::span<const InstructionSet> sets, std::string_view wanted) {
    std::string built, runs;
    const InstructionSet *best = nullptr, *forced = nullptr;
    for (const InstructionSet& set : sets) {
        built += (built.empty() ? "" : ", ") + std::string(set.name);
        if (!set.supported()) continue;
        runs += (runs.empty() ? "" : ", ") + std::string(set.name);
        if (!best) best = &set;
        if (set.name == wanted) forced = &set;
    }
    if (!best)
        throw RuntimeFailure("cpu: this build has kernels for " + built + ", which this processor does not run; build asnumpy on it, or with "
                             "-C cmake.define.ASNUMPY_KERNEL_SETS=all for every processor");
    if (wanted.empty()) return *best;
    if (!forced)
        throw ValueError("ASNUMPY_ISA: expected one that this machine runs and this build has (" + runs + "), got '" + std::string(wanted) + "'");
    return *forced;
}

namespace {

const InstructionSet& choose() {
    const char* const wanted = std::getenv("ASNUMPY_ISA");
    return choose(instruction_sets(), wanted ? wanted : "");
}

std::uint64_t pair_key(RowId inner, RowId outer, bool right, DType dtype) {
    return std::uint64_t{inner} << 32 | std::uint64_t{outer} << 16 | static_cast<std::uint64_t>(dtype) << 1 | (right ? 1u : 0u);
}

struct Kernels {
    const InstructionSet& set = choose();
    std::vector<std::span<const Loop>> loops{rows().size()};
    std::vector<std::span<const StridedLoop>> strided{rows().size()};
    std::vector<std::span<const Fold>> folds{rows().size()};
    std::vector<std::span<const bool>> plain{rows().size()};
    std::vector<std::string_view> tables{rows().size()};
    std::unordered_map<std::uint64_t, const PairKernel*> pairs;

    Kernels() {
        load_error_function(set.name);
        for (const KernelTable* table : set.tables) {
            for (const RowKernels& kernels : table->rows) {
                const RowId id = find_row(kernels.row);
                loops[id] = kernels.loops;
                strided[id] = kernels.strided;
                folds[id] = kernels.folds;
                plain[id] = kernels.plain;
                tables[id] = table->name;
            }
            for (const PairKernel& pair : table->pairs)
                if (pair.loop) pairs.emplace(pair_key(find_row(pair.inner), find_row(pair.outer), pair.right, pair.dtype), &pair);
        }
    }
};

const Kernels& kernels() {
    static Immortal<const Kernels> instance;  // threads may still compute while the process ends
    return *instance;
}

}  // namespace

Loop loop(RowId id, int loop_index) {
    const std::span<const Loop> loops = kernels().loops[id];
    return static_cast<std::size_t>(loop_index) < loops.size() ? loops[static_cast<std::size_t>(loop_index)] : nullptr;
}

StridedLoop strided_loop(RowId id, int loop_index) {
    const std::span<const StridedLoop> loops = kernels().strided[id];
    return static_cast<std::size_t>(loop_index) < loops.size() ? loops[static_cast<std::size_t>(loop_index)] : nullptr;
}

Fold fold(RowId id, int loop_index) {
    const std::span<const Fold> folds = kernels().folds[id];
    return static_cast<std::size_t>(loop_index) < folds.size() ? folds[static_cast<std::size_t>(loop_index)] : nullptr;
}

bool is_plain(RowId id, int loop_index) {
    const std::span<const bool> plain = kernels().plain[id];
    return static_cast<std::size_t>(loop_index) < plain.size() && plain[static_cast<std::size_t>(loop_index)];
}

std::string_view table_of(RowId id) { return kernels().tables[id]; }

Loop pair_loop(RowId inner, RowId outer, bool right, DType dtype) {
    const auto found = kernels().pairs.find(pair_key(inner, outer, right, dtype));
    return found == kernels().pairs.end() ? nullptr : found->second->loop;
}

Loop pair_fold(RowId inner, RowId outer, DType dtype) {
    const auto found = kernels().pairs.find(pair_key(inner, outer, false, dtype));
    return found == kernels().pairs.end() ? nullptr : found->second->fold;
}

std::string_view kernel_options() { return kernels().set.options; }
std::string_view instruction_set() { return kernels().set.name; }

}  // namespace asnumpy::cpu
