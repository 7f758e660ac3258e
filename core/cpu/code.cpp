// The table of strands and rounds, by content.
#include "cpu/code.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"

namespace asnumpy::cpu {
namespace {

enum class Stage : std::uint8_t { wanted, taken, left, there, refused };

struct Entry {
    Coded coded;
    Effort effort;
    Stage stage = Stage::wanted;
    Code code{};
};

struct ByContent {
    std::size_t operator()(const Coded& coded) const { return std::visit([](const auto& one) { return one.hash(); }, coded); }
};

struct Codes {
    ForkMutex mutex{62};
    std::vector<Entry> entries;
    std::unordered_map<Coded, CodeId, ByContent> ids;
    std::atomic<std::uint32_t> wanted{0}, generation{0};
    std::atomic<bool> news{false};
    std::atomic<CodeMode> mode{CodeMode::background};
    CodeUse use;

    void want() {
        wanted.fetch_add(1, std::memory_order_relaxed);
        news.store(true, std::memory_order_relaxed);
    }

    FoundCode found(std::span<const CodeId> wanted_ids) const {
        FoundCode result{CodeState::there, {}};
        for (const CodeId id : wanted_ids) {
            const Entry& entry = entries[id];
            if (entry.stage == Stage::refused) return {CodeState::refused, {}};
            if (entry.stage != Stage::there) result.state = CodeState::coming;
            result.codes.push_back(entry.code);
        }
        return result;
    }

    // What was taken and not yet settled.
    Entry& taken(CodeId id) {
        if (id >= entries.size() || entries[id].stage == Stage::there) throw ValueError("cpu::install_code: expected the number of code that was taken, got " + std::to_string(id));
        return entries[id];
    }
};

Codes& codes() {
    static Immortal<Codes> all;
    return *all;
}

}  // namespace

void set_code_mode(CodeMode mode) { codes().mode.store(mode, std::memory_order_relaxed); }
CodeMode code_mode() { return codes().mode.load(std::memory_order_relaxed); }
bool anything_wanted() { return codes().wanted.load(std::memory_order_relaxed) > 0; }
std::uint32_t code_generation() { return codes().generation.load(std::memory_order_acquire); }

bool anything_newly_wanted() {
    Codes& all = codes();
    return all.news.load(std::memory_order_relaxed) && all.news.exchange(false, std::memory_order_relaxed);
}

CodeId want_code(const Coded& coded, Effort effort) {
    Codes& all = codes();
    const std::lock_guard lock(all.mutex);
    const auto [found, added] = all.ids.try_emplace(coded, static_cast<CodeId>(all.entries.size()));
    if (added) {
        all.entries.push_back({coded, effort});
        all.want();
    } else if (Entry& entry = all.entries[found->second]; entry.effort < effort) {
        entry.effort = effort;
        if (entry.stage == Stage::left) {
            entry.stage = Stage::wanted;
            all.want();
        }
    }
    return found->second;
}

std::vector<WantedCode> take_wanted() {
    Codes& all = codes();
    std::vector<WantedCode> taken;
    const std::lock_guard lock(all.mutex);
    for (CodeId id = 0; id < all.entries.size(); ++id) {
        Entry& entry = all.entries[id];
        if (entry.stage != Stage::wanted) continue;
        taken.push_back({id, entry.coded, entry.effort});
        entry.stage = Stage::taken;
    }
    all.wanted.store(0, std::memory_order_relaxed);
    return taken;
}

Coded taken_code(CodeId id) {
    Codes& all = codes();
    const std::lock_guard lock(all.mutex);
    return all.taken(id).coded;
}

void install_code(CodeId id, const Code& code) {
    Codes& all = codes();
    const std::lock_guard lock(all.mutex);
    Entry& entry = all.taken(id);
    entry.code = code;
    entry.stage = Stage::there;
    all.generation.fetch_add(1, std::memory_order_release);
}

void leave_code(CodeId id) {
    Codes& all = codes();
    const std::lock_guard lock(all.mutex);
    Entry& entry = all.taken(id);
    entry.stage = Stage::left;
    if (entry.effort == Effort::look) return;
    entry.stage = Stage::wanted;  // more was asked for meanwhile
    all.want();
}

void refuse_code(CodeId id) {
    Codes& all = codes();
    const std::lock_guard lock(all.mutex);
    all.taken(id).stage = Stage::refused;
    all.generation.fetch_add(1, std::memory_order_release);
}

void forget_taken() {
    Codes& all = codes();
    const std::lock_guard lock(all.mutex);
    std::uint32_t wanted = 0;
    for (Entry& entry : all.entries) {
        if (entry.stage == Stage::taken) entry.stage = Stage::wanted;
        wanted += entry.stage == Stage::wanted ? 1 : 0;
    }
    all.wanted.store(wanted, std::memory_order_relaxed);
    all.news.store(wanted > 0, std::memory_order_relaxed);
}

CodeUse& code_use() { return codes().use; }

FoundCode find_code(std::span<const CodeId> ids) {
    const std::lock_guard lock(codes().mutex);
    return codes().found(ids);
}

FoundCode find_code(const Coded& coded) {
    const std::lock_guard lock(codes().mutex);
    const auto known = codes().ids.find(coded);
    return known == codes().ids.end() ? FoundCode{CodeState::coming, {}} : codes().found(std::array{known->second});
}

}  // namespace asnumpy::cpu
