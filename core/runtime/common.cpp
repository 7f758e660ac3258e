// Loops multiply the same matrices again and again: their products are found by what they read.
#include "runtime/common.hpp"

#include <algorithm>
#include <vector>

#include "runtime/record.hpp"

namespace asnumpy {

namespace {

bool is_matmul(const Instruction& i) {
    static const RowId matmul = find_row("matmul");
    return i.work == Work::structured && i.row == matmul;
}

bool same_array(const Array& a, const Array& b) { return a.buffer == b.buffer && a.dtype == b.dtype && a.view == b.view; }

// Two products that differ in nothing but where their results go.
bool same_product(const Instruction& a, const Instruction& b) {
    return a.option == b.option && a.on_host == b.on_host && a.on_stream == b.on_stream && a.out[0].dtype == b.out[0].dtype &&
           a.out[0].view == b.out[0].view && &a.out[0].pool() == &b.out[0].pool() &&
           std::ranges::equal(a.in, b.in, [](const Argument& x, const Argument& y) { return same_array(*x.array(), *y.array()); });
}

// What a list does to one buffer.
struct Writes {
    std::uint32_t count = 0, last = 0;
};

}  // namespace

bool has_products(std::span<const Instruction> list) { return std::ranges::any_of(list, is_matmul); }

void share_products(std::span<Instruction> list, Census& census) {
    // By buffer: over the whole list, and up to the instruction that is looked at.
    std::vector<Writes> writes(census.marks().size()), so_far(census.marks().size());
    for (std::uint32_t k = 0; k < list.size(); ++k)
        for (const Array& out : list[k].out) {
            Writes& of = writes[out.buffer->number];
            ++of.count;
            of.last = k;
        }
    const auto written_once = [&](const Array& a) { return writes[a.buffer->number].count == 1 && !a.buffer->materialised(); };
    std::vector<std::uint32_t> products;  // the first of each kind
    for (std::uint32_t j = 0; j < list.size(); ++j) {
        Instruction& product = list[j];
        if (is_matmul(product) && product.option == 0 && written_once(product.out[0])) {
            const auto found = std::ranges::find_if(products, [&](std::uint32_t k) {
                return same_product(list[k], product) && std::ranges::all_of(product.in, [&](const Argument& in) {
                           const Writes& of = so_far[in.array()->buffer->number];
                           return of.count == 0 || of.last < k;
                       });
            });
            if (found == products.end()) {
                products.push_back(j);
            } else if (!census[*product.out[0].buffer].outside) {
                const BufferPtr& kept = list[*found].out[0].buffer;
                const Buffer* const left = product.out[0].buffer.get();
                for (std::uint32_t reader = j + 1; reader < list.size(); ++reader)
                    for (Argument& in : list[reader].in) {
                        if (!in.array() || in.array()->buffer.get() != left) continue;
                        --in.array()->buffer->pending_reads;
                        ++kept->pending_reads;
                        in.array()->buffer = kept;
                    }
            }
        }
        for (const Array& out : product.out) {
            Writes& of = so_far[out.buffer->number];
            ++of.count;
            of.last = j;
        }
    }
}

}  // namespace asnumpy
