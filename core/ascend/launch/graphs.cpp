// Which launches are captured, for how long their graphs are kept, and what replaying one does.
#include "ascend/launch/graphs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ascend/launch/device_state.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "device/contract.hpp"
#include "device/demotion.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::uint64_t captured_at = 3;        // the launch that is captured: by then what recurs has shown that it does
constexpr std::size_t most_graphs = 256;
constexpr std::size_t most_bytes = std::size_t{512} << 20;       // of all graphs together
constexpr std::size_t most_graph_bytes = std::size_t{64} << 20;  // larger work takes the device longer than the host; a product alone asks for 16 MB
constexpr std::uint64_t rests = 4096;  // only a graph unused for so many launches makes room: else many would push each other out
constexpr std::size_t most_refused = 4096;

std::atomic<bool> enabled_by_user{false};

LaunchKey& begun_key(std::uint64_t owner) {
    thread_local LaunchKey key;
    key.words.clear();
    key.words.push_back(owner);
    key.words.push_back(may_contract.load(std::memory_order_relaxed));  // decides which operators there are
    return key;
}

const LaunchKey& ended_key(LaunchKey& key) {
    key.hash = word_hash(key.words);
    return key;
}

}  // namespace

std::uint64_t new_owner() {
    static std::atomic<std::uint64_t> made{0};
    return ++made;
}

const LaunchKey& key_of(std::uint64_t owner, std::span<const DType> inputs, const Launch& launch) {
    LaunchKey& key = begun_key(owner);
    std::vector<std::uint64_t>& words = key.words;
    words.push_back(static_cast<std::uint64_t>(launch.shape.size()));
    words.push_back(launch.reduced);
    for (const std::int64_t length : launch.shape) words.push_back(static_cast<std::uint64_t>(length));
    for (std::size_t k = 0; k < launch.operands.size(); ++k) {
        const Operand& operand = launch.operands[k];
        if (operand.constant) {
            std::array<std::uint64_t, sizeof(Scalar::bytes) / sizeof(std::uint64_t)> value{};
            std::memcpy(value.data(), operand.data, itemsize(inputs[k]));
            words.push_back(~std::uint64_t{0});  // no address
            words.insert(words.end(), value.begin(), value.begin() + static_cast<std::ptrdiff_t>((itemsize(inputs[k]) + 7) / 8));
        } else {
            words.push_back(reinterpret_cast<std::uintptr_t>(operand.data));
            for (const std::int64_t stride : operand.strides) words.push_back(static_cast<std::uint64_t>(stride));
        }
    }
    return ended_key(key);
}

// The programs among the launches are lowered anew with each generation.
const LaunchKey& key_of(std::uint64_t owner, std::span<char* const> addresses) {
    LaunchKey& key = begun_key(owner);
    key.words.push_back(generation());
    for (const char* const address : addresses) key.words.push_back(reinterpret_cast<std::uintptr_t>(address));
    return ended_key(key);
}

void* Capture::allocate(std::size_t bytes) {
    for (Block& block : blocks_) {
        if (!block.free || block.bytes < bytes || block.bytes / 2 > bytes) continue;
        block.free = false;
        return block.data;
    }
    if (bytes_ + bytes > most_graph_bytes) refuse("so much memory");
    blocks_.push_back({nullptr, bytes, false});
    bytes_ += bytes;
    return blocks_.back().data = device_.pool->allocate(bytes, home_);
}

void Capture::deallocate(void* data) noexcept {
    for (Block& block : blocks_)
        if (block.data == data) block.free = true;
}

Capture::~Capture() {
    for (const Block& block : blocks_) device_.pool->deallocate(block.data, block.bytes, home_);
}

bool Capture::is_own(const void* data) const {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    return std::ranges::any_of(blocks_, [address](const Block& block) { return address - reinterpret_cast<std::uintptr_t>(block.data) < block.bytes; });
}

// Its own memory counts block by block, when all of it is known.
void Capture::use(std::span<const Use> uses) {
    for (const Use& one : uses) {
        if (is_own(one.data)) continue;
        const auto known = std::ranges::find_if(uses_, [&](const Use& u) { return u.data == one.data && u.bytes == one.bytes; });
        if (known == uses_.end()) uses_.push_back(one);
        else known->written = known->written || one.written;
    }
}

void Capture::count(std::size_t op, std::uint64_t bytes) {
    const auto known = std::ranges::find(calls_, op, &CapturedCalls::op);
    CapturedCalls& one = known == calls_.end() ? calls_.emplace_back(CapturedCalls{op, 0, 0}) : *known;
    ++one.calls;
    one.bytes += bytes;
}

void Capture::refuse(const char* what) { throw RuntimeFailure(std::string("a graph cannot hold ") + what); }

struct Graphs::Graph {
    DeviceState& device;
    std::vector<std::uint64_t> words;
    void* model = nullptr;
    StreamId home = 0;
    std::vector<Capture::Block> blocks;
    std::vector<Use> uses;
    std::size_t others = 0;  // how many of the uses are of others' memory: those come first
    std::size_t bytes = 0;
    std::vector<CapturedCalls> calls;
    bool reads_constants = false;
    std::uint64_t used = 0;  // when, by the clock

    explicit Graph(DeviceState& d) : device(d) {}
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() {
        if (ended()) return;
        device.finish();  // it may still run, and a running one cannot be destroyed
        if (model) cann().aclmdlRIDestroy(model);
        for (const Capture::Block& block : blocks) device.pool->deallocate(block.data, block.bytes, home);
    }
};

Graphs::Graphs(DeviceState& device)
    : device_(device), possible_(cann().aclmdlRICaptureBegin && cann().aclmdlRICaptureEnd && cann().aclmdlRIExecuteAsync && cann().aclmdlRIDestroy) {}
Graphs::~Graphs() = default;

void Graphs::enable(bool value) { enabled_by_user.store(value, std::memory_order_relaxed); }
bool Graphs::enabled() { return enabled_by_user.load(std::memory_order_relaxed); }

Graphs::Next Graphs::recur(const LaunchKey& key) {
    device_.expect_usable();
    if (stale_.exchange(false, std::memory_order_acq_rel)) drop_all();
    if (anything_damaged() && device_.constants_damaged()) drop_readers_of_constants();
    std::shared_ptr<Graph> graph;
    {
        const std::lock_guard lock(mutex_);
        ++clock_;
        const auto found = graphs_.find(key.hash);
        if (found == graphs_.end()) {
            std::array<Seen, 4>& places = seen_[key.hash % seen_.size()];
            auto seen = std::ranges::find(places, key.hash, &Seen::hash);
            if (seen == places.end()) {
                seen = std::ranges::min_element(places, {}, &Seen::last);
                *seen = {key.hash, 0, 0};
            }
            seen->last = clock_;
            if (++seen->times < captured_at || refused_.contains(key.hash)) return Next::launch;
            if (graphs_.size() < most_graphs) return Next::capture;
            return std::ranges::any_of(graphs_, [this](const auto& one) { return clock_ - one.second->used > rests; }) ? Next::capture : Next::launch;
        }
        if (found->second->words != key.words) return Next::launch;
        graph = found->second;
        graph->used = clock_;
    }
    const Enqueuing enqueuing(device_);
    if (find(key) != graph) return Next::launch;  // dropped by another thread since: the numbers that it reads may be others
    try {
        replay(*graph);
    } catch (...) {
        forget(key);
        throw;
    }
    return Next::done;
}

std::shared_ptr<Graphs::Graph> Graphs::find(const LaunchKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = graphs_.find(key.hash);
    return found != graphs_.end() && found->second->words == key.words ? found->second : nullptr;
}

void Graphs::replay(Graph& graph) {
    const std::uint64_t started = now();
    device_.streams.before(graph.uses);
    const char* const name = graph.calls.empty() ? "a replayed graph of several operators" : cann::operators()[graph.calls.back().op].name;
    // Its own memory is written before it is read at each launch, and nobody else reads it: there is nothing to mark.
    device_.damage.enqueue(device_.streams.selected(), name, std::span(graph.uses).first(graph.others), [&] {
        device_.check(cann().aclmdlRIExecuteAsync(graph.model, device_.stream), "aclmdlRIExecuteAsync");
    });
    device_.caller.count_replay(graph.calls, now() - started);
    replays_.fetch_add(1, std::memory_order_relaxed);
}

bool Graphs::capture(const LaunchKey& key, const std::function<void(Capture&)>& enqueue) {
    const Cann& c = cann();
    Dropped dropped;
    const Enqueuing enqueuing(device_);
    if (paused_.load(std::memory_order_acquire) || find(key)) return false;  // another thread was quicker
    const auto refused = [&] {
        refusals_.fetch_add(1, std::memory_order_relaxed);
        forget(key);
        return false;
    };
    const auto other_stream = [&] {  // it may be captured for ever
        c.aclrtDestroyStream(stream_);
        stream_ = nullptr;
    };
    if (!stream_ && c.aclrtCreateStream(&stream_)) {
        stream_ = nullptr;
        return refused();
    }
    const auto graph = std::make_shared<Graph>(device_);
    Capture capture(device_, stream_, device_.streams.selected());
    // Relaxed: other threads, and copies of this one, are none of the capture's business.
    if (c.aclmdlRICaptureBegin(stream_, cann::ACL_MODEL_RI_CAPTURE_MODE_RELAXED)) {
        other_stream();
        return refused();
    }
    bool whole = false;
    current_ = &capture;
    capturing = true;
    try {
        enqueue(capture);
        whole = true;
    } catch (const std::exception&) {
        // The launch that follows says what is wrong, if more is than that a graph cannot hold it.
    }
    capturing = false;
    current_ = nullptr;
    const int code = c.aclmdlRICaptureEnd(stream_, &graph->model);
    if (code) {
        graph->model = nullptr;
        other_stream();
    }
    std::uint64_t calls = 0;
    for (const CapturedCalls& one : capture.calls_) calls += one.calls;
    if (code || !whole || !graph->model || !calls) return refused();
    graph->words = key.words;
    graph->blocks = std::move(capture.blocks_);
    capture.blocks_.clear();
    graph->home = capture.home_;
    graph->uses = std::move(capture.uses_);
    graph->others = graph->uses.size();
    for (const Capture::Block& block : graph->blocks) graph->uses.push_back({block.data, block.bytes, true});
    graph->bytes = capture.bytes_;
    graph->calls = std::move(capture.calls_);
    graph->reads_constants = capture.reads_constants;
    bool room;
    {
        const std::lock_guard guard(mutex_);
        graph->used = clock_;
        room = make_room(graph->bytes, dropped);
        if (room) {
            graphs_[key.hash] = graph;
            kept_.store(graphs_.size(), std::memory_order_relaxed);
            bytes_.fetch_add(graph->bytes, std::memory_order_relaxed);
            blocks_.fetch_add(graph->blocks.size(), std::memory_order_relaxed);
        }
    }
    if (!room) return refused();
    captures_.fetch_add(1, std::memory_order_relaxed);
    try {
        replay(*graph);
    } catch (...) {
        forget(key);
        throw;
    }
    return true;
}

// With the lock held. Drops those that were used least recently, if that was long ago.
bool Graphs::make_room(std::size_t bytes, Dropped& dropped) {
    while (graphs_.size() >= most_graphs || bytes_.load(std::memory_order_relaxed) + bytes > most_bytes) {
        const auto oldest = std::ranges::min_element(graphs_, {}, [](const auto& one) { return one.second->used; });
        if (oldest == graphs_.end() || clock_ - oldest->second->used <= rests) return false;
        bytes_.fetch_sub(oldest->second->bytes, std::memory_order_relaxed);
        blocks_.fetch_sub(oldest->second->blocks.size(), std::memory_order_relaxed);
        dropped.push_back(std::move(oldest->second));
        graphs_.erase(oldest);
    }
    return true;
}

// The launch is never tried again.
void Graphs::forget(const LaunchKey& key) {
    std::shared_ptr<Graph> graph;
    const std::lock_guard lock(mutex_);
    if (refused_.size() >= most_refused) refused_.clear();
    refused_.insert(key.hash);
    const auto found = graphs_.find(key.hash);
    if (found == graphs_.end()) return;
    graph = std::move(found->second);  // whoever calls still has it
    graphs_.erase(found);
    kept_.store(graphs_.size(), std::memory_order_relaxed);
    bytes_.fetch_sub(graph->bytes, std::memory_order_relaxed);
    blocks_.fetch_sub(graph->blocks.size(), std::memory_order_relaxed);
}

template <class Keep> bool Graphs::drop(const Keep& keep) noexcept {
    Dropped dropped;
    {
        const std::lock_guard lock(mutex_);
        for (auto one = graphs_.begin(); one != graphs_.end();) {
            if (keep(*one->second)) {
                ++one;
                continue;
            }
            bytes_.fetch_sub(one->second->bytes, std::memory_order_relaxed);
            blocks_.fetch_sub(one->second->blocks.size(), std::memory_order_relaxed);
            dropped.push_back(std::move(one->second));
            one = graphs_.erase(one);
        }
        kept_.store(graphs_.size(), std::memory_order_relaxed);
    }
    return !dropped.empty();
}

bool Graphs::drop_all() noexcept {
    return kept_.load(std::memory_order_relaxed) && drop([](const Graph&) { return false; });
}
void Graphs::drop_readers_of_constants() noexcept {
    drop([](const Graph& graph) { return !graph.reads_constants; });
}

void Graphs::drop_of(std::uint64_t owner) noexcept {
    if (kept_.load(std::memory_order_relaxed)) drop([owner](const Graph& graph) { return graph.words.front() != owner; });
}

void Graphs::pause() {
    paused_.fetch_add(1, std::memory_order_acq_rel);
    const std::lock_guard lock(device_.mutex);  // one that has begun ends first
}

GraphFigures Graphs::figures() const {
    return {captures_.load(std::memory_order_relaxed), replays_.load(std::memory_order_relaxed), refusals_.load(std::memory_order_relaxed),
            kept_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed), blocks_.load(std::memory_order_relaxed)};
}

void Graphs::release() noexcept {
    drop_all();
    if (stream_) cann().aclrtDestroyStream(stream_);
    stream_ = nullptr;
}

}  // namespace asnumpy::ascend
