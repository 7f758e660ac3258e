// The table of passes.
#include "runtime/passes.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "runtime/record.hpp"

namespace asnumpy {

namespace {

bool has_several(std::span<const Instruction> list) { return list.size() > 1; }

bool has_copies(std::span<const Instruction> list) {
    return std::ranges::any_of(list, [](const Instruction& i) { return i.work == Work::elementwise && i.row == cast_row() && !i.in.empty() && i.in[0].dtype() == i.out[0].dtype; });
}

// Few writes to one array are not worth another one.
bool has_puts(std::span<const Instruction> list) { return list.size() >= 2 * fewest_puts; }

bool on_device(const Instruction& i) { return !i.out.empty() && !i.out[0].host_visible(); }

bool has_any(std::span<const Instruction> list) { return !list.empty(); }

// The host adds a product to what is there; a device may have the sum with its factors as one operation, too.
bool has_sums_of_products(std::span<const Instruction> list) {
    static const RowId matmul = find_row("matmul"), add = find_row("add");
    std::unordered_set<const Buffer*> products;
    for (const Instruction& i : list) {
        if (i.work == Work::structured && i.row == matmul && !i.out.empty()) {
            if (on_device(i)) return true;
            products.insert(i.out[0].buffer.get());
        } else if (i.work == Work::elementwise && i.row == add && !products.empty()) {
            if (std::ranges::any_of(i.in, [&](const Argument& in) { return in.array() && products.contains(in.array()->buffer.get()); })) return true;
        }
    }
    return false;
}

// What adds instructions comes first. Dead ones are found after those passes that make some, and before the one that asks who reads a product.
constexpr std::array pass_table{
    Pass{"alternate", "what is put back among its neighbours time and again goes to two arrays in turns", "whose results go to two arrays in turns", true, has_puts, alternate_puts},
    Pass{"equal", "what gives the same values as an earlier operation is computed once", "computed before", true, has_several, share_equal},
    Pass{"copies", "what reads a copy reads the original", "read through to the original", true, has_copies, read_through_copies},
    Pass{"dead", "what nobody can see is not computed", "with results that nobody sees", true, has_any, leave_out_dead},
    Pass{"accumulate", "a product and the sum with it are one operation", "sums that a product adds", false, has_sums_of_products, accumulate_products},
    Pass{"turned", "what reads an array with axes turned, as by roll, reads the array", "copies of pieces that are read where they lie", true, has_copies, read_turned},
    Pass{"together", "programs that share an axis run some lines at a time", "in programs that run together", true, has_several, let_share_lines},
};

bool is_chosen(std::size_t pass, Passes chosen) { return chosen >> pass & 1u; }

}  // namespace

std::span<const Pass> passes() { return pass_table; }

Passes all_passes() { return (Passes{1} << pass_table.size()) - 1; }

void run_passes(Draft& draft, Passes chosen) {
    for (std::uint32_t p = 0; p < pass_table.size(); ++p) {
        if (!is_chosen(p, chosen) || !pass_table[p].applies(draft.list)) continue;
        if (const std::size_t instructions = pass_table[p].run(draft)) draft.done.push_back({p, instructions});
    }
}

Recurs recurs(std::span<const Instruction> list, Passes chosen) {
    for (std::size_t p = 0; p < pass_table.size(); ++p)
        if (is_chosen(p, chosen) && !pass_table[p].repeats && pass_table[p].applies(list))
            return std::ranges::any_of(list, on_device) ? Recurs::never : Recurs::by_views;
    return Recurs::by_content;
}

Done shared_lines(std::size_t instructions) {
    const auto pass = std::ranges::find(pass_table, &let_share_lines, &Pass::run);
    return {static_cast<std::uint32_t>(pass - pass_table.begin()), instructions};
}

std::string to_string(std::span<const Done> done, std::size_t instructions) {
    std::string text;
    for (const Done& one : done)
        text += std::string(pass_table[one.pass].name) + ": " + std::to_string(one.instructions) + " of " + std::to_string(instructions) + " instructions, " +
                std::string(pass_table[one.pass].done) + "\n";
    return text;
}

}  // namespace asnumpy
