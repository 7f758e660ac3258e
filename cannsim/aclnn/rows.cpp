// The rows by name, chosen for this machine's instruction set, and the operators that follow from their call strings.
#include "aclnn/rows.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "aclnn/elementwise.hpp"
#include "base/immortal.hpp"
#include "rows/sets.hpp"

namespace cannsim {
namespace {

struct Index {
    std::vector<const RowLoops*> in_order;
    std::unordered_map<std::string_view, const RowLoops*> by_name;
    std::array<std::array<Loop, asnumpy::dtype_count>, asnumpy::dtype_count> casts{};

    Index() {
        const auto sets = instruction_sets();
        const auto& best = *std::ranges::find_if(sets, [](const InstructionSet& set) { return set.supported(); });
        for (const RowTable* const table : best.tables)
            for (const RowLoops& row : *table) {
                in_order.push_back(&row);
                by_name.emplace(row.name, &row);
            }
        const RowLoops& cast = *by_name.at("cast");
        for (std::size_t i = 0; i < cast.signatures.size(); ++i)
            casts[static_cast<std::size_t>(cast.signatures[i].in[0])][static_cast<std::size_t>(cast.signatures[i].out[0])] = cast.loops[i];
    }
};
const Index& index() {
    static asnumpy::Immortal<Index> instance;
    return *instance;
}

// "aclnnAtan2 x y -> out": the operator's name, if its inputs are x, y, z in this order and nothing else.
std::string_view plain_name(std::string_view call, int inputs) {
    constexpr std::string_view tails[] = {" x -> out", " x y -> out", " x y z -> out"};
    if (inputs < 1 || inputs > 3 || !call.ends_with(tails[inputs - 1])) return {};
    const std::string_view name = call.substr(0, call.size() - tails[inputs - 1].size());
    return name.find(' ') == std::string_view::npos ? name : std::string_view();
}

}  // namespace

const RowLoops& find_row(std::string_view name) {
    const auto found = index().by_name.find(name);
    if (found == index().by_name.end()) throw Refusal{ACLNN_ERR_INNER, text("the simulator has no row '", name, "'")};
    return *found->second;
}

int find_loop(const RowLoops& row, std::span<const DType> inputs) {
    for (std::size_t i = 0; i < row.signatures.size(); ++i) {
        const Signature& s = row.signatures[i];
        if (row.loops[i] && s.nin == inputs.size() && std::equal(inputs.begin(), inputs.end(), s.in.begin())) return static_cast<int>(i);
    }
    return -1;
}

Loop converter(DType from, DType to) { return index().casts[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)]; }

void add_row_operators() {
    for (const RowLoops* const row : index().in_order) {
        const std::string_view name = plain_name(row->aclnn, row->signatures[0].nin);
        if (!name.starts_with("aclnn")) continue;
        add_elementwise(name, row->name);
        add_elementwise(text("aclnnInplace", name.substr(5)), row->name);
    }
}

}  // namespace cannsim
