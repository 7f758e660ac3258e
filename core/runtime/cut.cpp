// A list is cut between two instructions, or by who depends on whom.
#include "runtime/cut.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/record.hpp"

namespace asnumpy {

namespace {

// What a list costs beside its programs, as bytes that are written and read again in that time.
constexpr std::int64_t cost_of_run = 128 * 1024;

}  // namespace

std::vector<Instruction> take_needed(std::vector<Instruction>& list, const Buffer* wanted, Census& census, std::size_t room) {
    census.take(list);
    struct Touched { bool read = false, written = false; };
    std::vector<Touched> touched(census.marks().size());  // by what is taken
    std::vector<bool> taken(list.size(), false);
    for (std::size_t k = list.size(); k-- > 0;) {
        bool needed = false;
        each_buffer(list[k], [&](const Buffer& b, bool written) {
            const Touched& later = touched[b.number];
            needed = needed || (written && &b == wanted) || later.written || (written && later.read);
        });
        if (!needed) continue;
        taken[k] = true;
        each_buffer(list[k], [&](const Buffer& b, bool written) { (written ? touched[b.number].written : touched[b.number].read) = true; });
    }
    std::vector<Instruction> found, rest;
    found.reserve(list.size());  // nothing is lost where there is no memory
    rest.reserve(room);
    for (std::size_t k = 0; k < list.size(); ++k) (taken[k] ? found : rest).push_back(std::move(list[k]));
    list = std::move(rest);
    return found;
}

std::size_t best_cut(std::span<const Instruction> list, Census& census) {
    census.take(list);
    struct Life { std::uint32_t written = ~std::uint32_t{0}, last = 0; };  // where it begins to be a value, and the last that touches it
    std::vector<Life> lives(census.marks().size());
    for (std::uint32_t k = 0; k < list.size(); ++k) {
        each_buffer(list[k], [&](const Buffer& b, bool written) {
            Life& life = lives[b.number];
            life.last = k;
            if (written && !b.materialised()) life.written = std::min(life.written, k);
        });
    }
    // By cut: how many bytes more than at the one before pass it, or fewer.
    std::vector<std::int64_t> change(list.size() + 2);
    for (const Census::Mark& mark : census.marks()) {
        const Life& life = lives[mark.buffer->number];
        if (life.written >= list.size()) continue;
        const auto bytes = static_cast<std::int64_t>(mark.buffer->bytes());
        change[life.written + 1] += bytes;
        if (!mark.outside) change[life.last + 1] -= bytes;
    }
    std::size_t best = list.size();
    double least = 0;
    std::int64_t passing = 0;
    for (std::size_t cut = 1; cut <= list.size(); ++cut) {
        passing += change[cut];
        const double kept = static_cast<double>(cost_of_run + passing) / static_cast<double>(cut);
        if (2 * cut < list.size() || (2 * cut > list.size() + 1 && kept > least)) continue;
        best = cut;
        least = kept;
    }
    return best;
}

}  // namespace asnumpy
