// One backend for each device: memory, copies, programs, structured operations, and the end of it all.
#include "ascend/backend.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>

#include "ascend/kernel/kernels.hpp"
#include "ascend/launch/device_state.hpp"
#include "ascend/launch/recurring.hpp"
#include "ascend/library/event.hpp"
#include "ascend/library/options.hpp"
#include "ascend/lower/executable.hpp"
#include "ascend/lower/lowering.hpp"
#include "ascend/lower/next_path.hpp"
#include "ascend/memory/pinned.hpp"
#include "ascend/memory/policies.hpp"
#include "base/error.hpp"
#include "base/immortal.hpp"
#include "device/trace.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::array out_of_memory{cann::ACL_ERROR_RT_MEMORY_ALLOCATION, cann::ACL_ERROR_BAD_ALLOC, cann::ACL_ERROR_STORAGE_OVER_LIMIT,
                                   cann::ACL_ERROR_RT_DEVICE_OOM, cann::ACL_ERROR_RT_RESOURCE_ALLOC_FAIL};

class AscendBackend final : public PolicyBackend {
public:
    explicit AscendBackend(int index) : state_(index), by_policy_(*this) {
        const OnDevice here(state_);
        std::size_t available = 0;
        if (const int code = cann().aclrtGetMemInfo(cann::ACL_HBM_MEM, &available, &total_)) {
            state_.release();
            state_.reset();
            state_.fail("aclrtGetMemInfo", code);
        }
    }

    DeviceState& state() { return state_; }
    std::string name() const override { return state_.name; }
    bool host_visible() const override { return false; }
    std::size_t padding() const override { return 32; }  // operators may read so far past the end of a tensor

    // Called with the pool's lock held, so neither this nor release() takes the device's.
    void* allocate(std::size_t bytes) override { return allocate(bytes, memory_policy()); }
    void* allocate(std::size_t bytes, int policy) override {
        state_.expect_usable();
        const OnDevice here(state_);
        void* data = nullptr;
        const int code = cann().aclrtMalloc(&data, bytes, policy);
        if (std::ranges::find(out_of_memory, code) != out_of_memory.end()) return nullptr;
        state_.check(code, "aclrtMalloc");
        const std::lock_guard lock(blocks_mutex_);
        blocks_.insert(data);
        return data;
    }

    void release(void* data, std::size_t bytes) noexcept override {
        if (ended()) return;  // in a child of fork nobody may hold the lock, and nobody will give it back
        {
            const std::lock_guard lock(blocks_mutex_);
            if (!blocks_.erase(data)) return;
        }
        state_.graphs.distrust();
        try {
            const OnDevice here(state_);
            state_.finish();  // queued work may still use it
            state_.damage.heal(data, bytes);
            if (cann().aclrtFree(data) == 0) return;
            const std::lock_guard lock(blocks_mutex_);
            blocks_.insert(data);  // once more at the end
        } catch (const std::exception&) {
            // A lost device has lost its memory, too.
        }
    }

    bool give_up_kept() noexcept override {
        return !ended() && state_.graphs.drop_all();
    }
    PolicyPools& by_policy() { return by_policy_; }
    Kept kept() const override {
        const GraphFigures graphs = state_.graphs.figures();
        return {graphs.bytes, graphs.blocks};
    }

    std::size_t total_memory() const override { return total_; }
    std::size_t available_memory() const override {
        state_.expect_usable();
        const OnDevice here(state_);
        std::size_t available = 0, total = 0;
        if (const int code = cann().aclrtGetMemInfo(cann::ACL_HBM_MEM, &available, &total)) fail("aclrtGetMemInfo on " + state_.name, code);
        return available;
    }

    std::unique_ptr<Executable> compile(const Program& program) override { return make_executable(state_, program); }
    bool keeps_work() const override { return Graphs::enabled() && state_.graphs.possible(); }
    std::unique_ptr<RecurringWork> recurring_work() override { return make_recurring_work(state_); }

    void run(const StructuredCall& call) override {
        trace::Span span(row(call.row).name, "run");
        describe(span, call);
        by_next_paths(state_.name, [&] {
            if (any_demoted() && !structured(call)) throw Uncomputed(operation_of(call) + ": " + explain(call).text);
            prepare(call);
            Emitter emitter(state_);
            run_fitted(emitter, call);
        }, [&] { return std::optional(operation_of(call)); });
    }

    void upload(void* to, const void* host, std::size_t bytes) override {
        trace::Span span("upload", "copy", bytes);
        if (bytes >= least_direct && pinned().holds(host, bytes)) {
            const std::unique_ptr<Event> moved = make_event(false);
            moved->record(enqueue_copy(to, host, bytes, true));
            return moved->synchronize();
        }
        const Enqueuing enqueuing(state_);
        state_.staging.upload(to, host, bytes);
    }

    void download(void* host, const void* from, std::size_t bytes) override {
        trace::Span span("download", "copy", bytes);
        if (!bytes) return state_.expect_usable();
        state_.read(from, bytes, [&] { fetch(host, from, bytes); });
    }
    void fetch(void* host, const void* from, std::size_t bytes) {
        if (bytes >= least_direct && pinned().holds(host, bytes)) {
            const StreamId stream = enqueue_copy(host, from, bytes, true);
            const OnDevice here(state_);
            return state_.await(stream);
        }
        const Enqueuing enqueuing(state_);
        state_.streams.select(state_.streams.writer_of(from, bytes));
        state_.staging.download(host, from, bytes);
    }

    bool start_upload(void* to, const void* host, std::size_t bytes) override {
        if (!pinned().holds(host, bytes)) return false;
        trace::Span span("upload", "copy", bytes);
        return enqueue_copy(to, host, bytes, false), true;
    }

    bool start_download(void* host, const void* from, std::size_t bytes) override {
        if (!pinned().holds(host, bytes)) return false;
        trace::Span span("download", "copy", bytes);
        state_.damage.expect_whole(from, bytes);
        return enqueue_copy(host, from, bytes, false), true;
    }

    void* allocate_pinned(std::size_t bytes) override { return pinned().allocate(state_, bytes); }
    void release_pinned(void* data) noexcept override { pinned().deallocate(data); }
    void free_pinned_cache() noexcept override { pinned().free_cached(state_); }

    void copy_from(Backend& source, void* to, const void* from, std::size_t bytes) override {
        if (!bytes) return;
        if (source.host_visible()) return upload(to, from, bytes);
        auto* const other = dynamic_cast<AscendBackend*>(&source);
        if (!other || (other != this && !reaches(*other))) return Backend::copy_from(source, to, from, bytes);
        trace::Span span("copy", "copy", bytes);
        if (other == this) state_.damage.expect_whole(from, bytes);
        else other->state_.read(from, bytes, [&] { other->wait_for_writers(from, bytes); });
        StreamId stream = 0;
        {
            const Enqueuing enqueuing(state_);
            const std::array uses{Use{to, bytes, true}, Use{from, bytes, false}};
            const auto here = std::span(uses).first(other == this ? 2 : 1);
            state_.streams.before(here);
            state_.damage.overwrite(stream = state_.streams.selected(), "a copy between devices", here, [&] {
                state_.check(cann().aclrtMemcpyAsync(to, bytes, from, bytes, cann::ACL_MEMCPY_DEVICE_TO_DEVICE, state_.stream), "aclrtMemcpyAsync");
            });
        }
        if (other == this) return;
        try {
            synchronize(stream);  // the other's work may overwrite them
        } catch (...) {
            state_.finish();  // nor may it do so when that was told of a failure
            throw;
        }
    }

    void synchronize() override {
        if (!ended()) state_.synchronize();
    }
    bool usable() const noexcept override { return state_.usable(); }
    void synchronize(StreamId stream) override { state_.synchronize(stream); }

    StreamId take_stream(int priority) override {
        const StreamId stream = stream_numbers_.take(priority);
        try {
            const Enqueuing enqueuing(state_);
            state_.streams.make(stream, priority);
        } catch (...) {
            stream_numbers_.give(stream);
            throw;
        }
        return stream;
    }
    bool done(StreamId stream) override {
        state_.expect_usable();
        const OnDevice here(state_);
        if (cann().aclrtStreamQuery) {
            std::int32_t status = cann::ACL_STREAM_STATUS_NOT_READY;
            state_.check(state_.streams.query(stream, status), "aclrtStreamQuery");
            if (status != cann::ACL_STREAM_STATUS_COMPLETE) return false;
            state_.tell_of_copies(stream);
            return true;
        }
        const std::unique_ptr<Event> now = make_event(false);
        now->record(stream);
        return now->done();
    }
    void order(StreamId before, StreamId after) override {
        const Enqueuing enqueuing(state_);
        state_.streams.order(before, after);
    }
    std::uintptr_t stream_handle(StreamId stream) override {
        state_.expect_usable();
        return reinterpret_cast<std::uintptr_t>(state_.streams.handle(stream));
    }
    std::unique_ptr<Event> make_event(bool timed) override { return asnumpy::ascend::make_event(state_, timed); }
    void prepare_use(const void* data, std::size_t bytes, bool written) override {
        const Enqueuing enqueuing(state_);
        state_.streams.before({{data, bytes, written}});
    }
    Damage* damage() override { return &state_.damage; }

    bool computes(RowId id, int loop) const override {
        static const RowId cast = find_row("cast");
        const Signature& signature = row(id).loops[static_cast<std::size_t>(loop)];
        return (id == cast && signature.in[0] == signature.out[0]) || elementwise(id, loop);
    }
    bool reduces(RowId id, int loop) const override { return reduction(id, loop); }
    bool computes(const StructuredCall& call) const override { return structured(call); }
    bool offers(const StructuredCall& call) const override { return structured(call); }
    bool quicker_on_host(const StructuredCall& call) const override { return asnumpy::ascend::quicker_on_host(call); }
    std::string why_not_computed(RowId id, int loop) const override { return explain(id, loop).text; }
    std::string why_not_reduced(RowId id, int loop) const override { return explain_reduction(id, loop).text; }
    std::string why_not_computed(const StructuredCall& call) const override { return explain(call).text; }

    // At the end: everything that CANN gave goes back to it, also what arrays still hold.
    void give_back() noexcept {
        const std::lock_guard lock(state_.mutex);
        unload_kernels(state_);
        state_.release();
        const std::lock_guard blocks(blocks_mutex_);
        for (void* const data : blocks_) cann().aclrtFree(data);
        blocks_.clear();
        state_.reset();
    }

private:
    // Up to this size pinned memory, too, goes through the staging memory where the caller wants it back at once: copying
    // takes less time than waiting for what the stream does before.
    static constexpr std::size_t least_direct = std::size_t{64} << 10;

    // Between the device and pinned memory, without a copy in between. Returns its stream.
    StreamId enqueue_copy(void* to, const void* from, std::size_t bytes, bool waits) {
        const Enqueuing enqueuing(state_);
        const bool up = pinned().holds(from, bytes);
        if (!up && waits) state_.streams.select(state_.streams.writer_of(from, bytes));
        const std::array uses{Use{to, bytes, true}, Use{from, bytes, false}};
        state_.streams.before(uses);
        const StreamId stream = state_.streams.selected();
        const auto copy = [&] {
            const int kind = up ? cann::ACL_MEMCPY_HOST_TO_DEVICE : cann::ACL_MEMCPY_DEVICE_TO_HOST;
            state_.check(cann().aclrtMemcpyAsync(to, bytes, from, bytes, kind, state_.stream), "aclrtMemcpyAsync");
        };
        if (up) state_.damage.overwrite(stream, "a copy from pinned memory", std::span(uses).first(1), copy);
        else if (waits) copy();
        else state_.damage.copy_to_host(stream, "a copy to pinned memory", from, bytes, copy);
        if (!waits) pinned().note_copy(state_, up ? from : to);
        return stream;
    }

    void wait_for_writers(const void* data, std::size_t bytes) {
        state_.expect_usable();
        std::vector<StreamId> streams;
        {
            const std::lock_guard lock(state_.mutex);
            streams = state_.streams.users_of({data, bytes, false});
        }
        const OnDevice here(state_);
        for (const StreamId stream : streams) state_.await(stream);
    }

    // Whether this device may read the other's memory; asked for once.
    bool reaches(const AscendBackend& other) {
        const std::lock_guard lock(state_.mutex);
        const auto bit = std::uint64_t{1} << other.state_.index;
        if (peers_known_ & bit) return peers_ & bit;
        const OnDevice here(state_);
        std::int32_t can = 0;
        const bool reached = cann().aclrtDeviceCanAccessPeer(&can, state_.index, other.state_.index) == 0 && can &&
                             cann().aclrtDeviceEnablePeerAccess(other.state_.index, 0) == 0;
        peers_known_ |= bit;
        if (reached) peers_ |= bit;
        return reached;
    }

    DeviceState state_;
    std::size_t total_ = 0;
    std::mutex blocks_mutex_;
    std::unordered_set<void*> blocks_;
    std::uint64_t peers_known_ = 0, peers_ = 0;
    PolicyPools by_policy_;
};

struct Owned {
    AscendBackend backend;
    Pool pool;
    explicit Owned(int index) : backend(index), pool(backend) { backend.state().pool = &pool; }
};

struct Devices {
    std::mutex mutex;
    std::array<std::atomic<Owned*>, 64> owned{};
};
Devices& known_devices() {
    static Immortal<Devices> instance;
    return *instance;
}

void give_back_all() {
    for (auto& owned : known_devices().owned)
        if (Owned* const one = owned.load()) one->backend.give_back();
    pinned().release();
}

Owned& owned(int index) {
    const auto place = static_cast<std::size_t>(index);
    if (index >= 0 && place < known_devices().owned.size())
        if (Owned* const known = known_devices().owned[place].load(std::memory_order_acquire)) return *known;
    const int count = device_count();
    if (!count) throw DeviceFailure("ascend:" + std::to_string(index) + ": " + why_not());
    if (index < 0 || index >= count || place >= known_devices().owned.size())
        throw ValueError("ascend:" + std::to_string(index) + ": there " + (count == 1 ? "is one device, ascend:0" : "are " + std::to_string(count) + " devices, ascend:0 to ascend:" + std::to_string(count - 1)));
    const std::lock_guard lock(known_devices().mutex);
    auto& slot = known_devices().owned[place];
    if (!slot.load(std::memory_order_relaxed)) {
        static const bool registered = (at_end(give_back_all), true);
        static_cast<void>(registered);
        slot.store(new Owned(index), std::memory_order_release);  // lives until the process ends, after every array
    }
    return *slot.load(std::memory_order_relaxed);
}

}  // namespace

Pool& pool(int index) { return owned(index).pool; }
Pool& pool(int index, int policy) { return owned(index).backend.by_policy().pool(policy, owned(index).pool); }
void free_blocks_by_policy() noexcept {
    if (ended()) return;
    for (auto& owned : known_devices().owned)
        if (Owned* const one = owned.load(std::memory_order_acquire)) one->backend.by_policy().free_all_blocks();
}
DeviceState& device(int index) { return owned(index).backend.state(); }

void for_each_used(FunctionRef<void(DeviceState&)> action) {
    if (ended()) return;
    for (auto& owned : known_devices().owned)
        if (Owned* const one = owned.load(std::memory_order_acquire)) action(one->backend.state());
}

}  // namespace asnumpy::ascend
