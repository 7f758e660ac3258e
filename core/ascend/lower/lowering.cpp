// The lowerings of all elementwise loops, made when first asked for.
#include "ascend/lower/lowering.hpp"

#include <deque>

#include "ascend/launch/refused.hpp"
#include "ascend/lower/term.hpp"
#include "base/error.hpp"
#include "base/immortal.hpp"

namespace asnumpy::ascend {

std::string_view name(Path path) {
    constexpr std::string_view names[] = {"native", "reinterpreted", "wider", "decomposed", "host"};
    return names[static_cast<int>(path)];
}

namespace {

// One entry per loop of every row, filled at first use; never destroyed. Programs hold what an earlier generation made, which
// therefore stays, behind what replaced it; there are as many as demotions.
template <class T> class Table {
public:
    Table() {
        for (const Row& r : rows()) entries_.emplace_back(r.loops.size());
    }
    const T& operator()(RowId id, int loop) {
        std::atomic<const Entry*>& newest = entries_[id][static_cast<std::size_t>(loop)];
        const Entry* found = newest.load(std::memory_order_acquire);
        if (found && found->made.made_in() == generation()) [[likely]] return found->made;
        auto entry = std::make_unique<const Entry>(id, loop, found);
        if (newest.compare_exchange_strong(found, entry.get(), std::memory_order_acq_rel)) return entry.release()->made;
        return found->made;
    }

private:
    struct Entry {
        Entry(RowId id, int loop, const Entry* replaced) : made(id, loop), earlier(replaced) {}
        const T made;
        const Entry* const earlier;
    };
    std::deque<std::vector<std::atomic<const Entry*>>> entries_;
};

template <class T> Table<T>& table_of() {
    static Immortal<Table<T>> instance;
    return *instance;
}

// Elements of any dtype, copied with broadcasting.
void copy_words(Emitter& emitter, const Tensor& from, const Tensor& to) {
    const std::size_t word = std::min<std::size_t>(itemsize(to.dtype), 8);
    for (std::size_t at = 0; at < itemsize(to.dtype); at += word) {
        const auto part = [&](Tensor t) {
            t.data += at;
            t.dtype = signed_of(itemsize(t.dtype) > 8 ? DType::int64 : t.dtype);
            return t;
        };
        emitter.call("aclnnInplaceCopy", {part(to), part(from)});
    }
}

}  // namespace

std::string operation_of(RowId id, int loop) {
    const Signature& s = row(id).loops[static_cast<std::size_t>(loop)];
    DemotionKey key(row(id).name);
    for (std::size_t k = 0; k < s.nin; ++k) key.add(s.in[k]);
    if (row(id).name == "cast") key.add(s.out[0]);
    return key.text();
}
std::string reduction_of(RowId id, int loop) {
    return DemotionKey(std::string(row(id).name) + ".reduce").add(row(id).loops[static_cast<std::size_t>(loop)].in[0]).text();
}

Lowering::Lowering(RowId id, int loop) : row_(id), loop_(loop) {
    if (any_demoted() && is_demoted(operation_of(id, loop))) {
        explanation_ = {Path::host, why_demoted(operation_of(id, loop))};
        return;
    }
    try {
        Made one = make_recipe(id, loop, 0);
        explanation_.path = one.path;
        auto made = std::make_unique<Recipe>(std::move(one.recipe));
        explanation_.text = made->operators();
        explanation_.aicpu = made->uses_aicpu();
        recipes_[0] = made.release();
    } catch (const Unlowerable& reason) {
        explanation_ = {Path::host, reason.what()};
    }
}

Lowering::~Lowering() {
    for (const auto& one : recipes_)
        if (one != recipes_[0] || &one == &recipes_[0]) delete one.load();
}

const Recipe& Lowering::recipe(unsigned numbers) const {
    std::atomic<const Recipe*>& entry = recipes_[numbers];
    const Recipe* found = entry.load(std::memory_order_acquire);
    if (found) return *found;
    std::unique_ptr<Recipe> made;
    try {
        made = std::make_unique<Recipe>(make_recipe(row_, loop_, numbers).recipe);
    } catch (const Unlowerable&) {  // these numbers have no words: the recipe of tensors serves
        entry.compare_exchange_strong(found, recipes_[0].load(), std::memory_order_acq_rel);
        return *entry.load();
    }
    if (entry.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel)) return *made.release();
    return *found;
}

void Lowering::run(Emitter& emitter, std::span<const Tensor> in, std::span<const Tensor> out) const {
    if (count(out[0].shape) == 0) return;
    unsigned numbers = 0;
    for (std::size_t k = 0; k < in.size(); ++k)
        if (in[k].shape.empty() && emitter.known(in[k])) numbers |= 1u << k;
    const Recipe& chosen = recipe(numbers);
    if (!numbers || &chosen != recipes_[0].load()) return chosen.run(emitter, in, out);
    std::vector<Tensor> whole(in.begin(), in.end());
    for (std::size_t k = 0; k < in.size(); ++k) {
        if (!(numbers >> k & 1)) continue;
        whole[k] = emitter.temporary(out[0].shape, in[k].dtype);
        copy_words(emitter, in[k], whole[k]);
    }
    chosen.run(emitter, whole, out);
}

const Explanation& explain(RowId id, int loop) { return table_of<Lowering>()(id, loop).explanation(); }

const Lowering* elementwise(RowId id, int loop) {
    const Lowering& found = table_of<Lowering>()(id, loop);
    return found.possible() ? &found : nullptr;
}

const Lowering& expect_elementwise(RowId id, int loop) {
    if (const Lowering* const found = elementwise(id, loop)) return *found;
    throw NoWay(operation_of(id, loop) + " does not run on the device: " + explain(id, loop).text);
}

const Explanation& explain_reduction(RowId id, int loop) { return table_of<Folding>()(id, loop).explanation(); }

const Folding* reduction(RowId id, int loop) {
    const Folding& found = table_of<Folding>()(id, loop);
    return found.possible() ? &found : nullptr;
}

}  // namespace asnumpy::ascend
