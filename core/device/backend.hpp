// What a device implements. One folder per backend; the runtime sees nothing but this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "device/stream.hpp"
#include "ops/philox.hpp"
#include "program/program.hpp"

namespace asnumpy {

class Damage;
namespace trace { class Span; }

// A launch that is decided once, to run again and again with other addresses; by one thread at a time.
class PreparedLaunch {
public:
    virtual ~PreparedLaunch() = default;
    // The operands' addresses, in the launch's order. Those that were equal are equal, and others are not.
    virtual void run(std::span<char* const>) = 0;
};

// A program made ready for one device; immutable, kept in the program cache.
class Executable {
public:
    virtual ~Executable() = default;
    virtual void run(const Launch&) const = 0;
    // Nothing: to decide anew costs little beside the work. The executable must outlive what it gives.
    virtual std::unique_ptr<PreparedLaunch> prepare(const Launch&) const { return nullptr; }
    // Whether something is being made of it, or is now asked for, that the user wants it to wait for before it runs; and before that, what
    // it will run with: no operand has its address yet.
    virtual bool awaits_code(bool /*asked*/) const { return false; }
    virtual void look_at(const Launch&) const {}
};

// An array as a structured operation sees it: the address of element (0, ..., 0), shape, byte strides.
struct Tensor {
    char* data = nullptr;
    DType dtype{};
    Dims shape;
    Dims strides;
    bool constant = false;  // a parameter of a random draw that is one number, whose bytes are the host's
};

// One structured operation. Which attributes a row reads is said where the row is defined (ops/structured.hpp).
struct StructuredCall {
    RowId row{};
    std::vector<Tensor> in, out;
    std::int64_t axis = 0;
    RowId op{};              // scan: the elementwise row; else unused
    std::int64_t option = 0;
    std::array<double, 2> numbers{};
    Stream stream;           // random draws
};

// The bytes that it reads and writes; constants are not in them.
std::uint64_t traffic_of(const StructuredCall&);
// Tells an event that is watched what the call is: its bytes, and the shape and dtype of what it reads first.
void describe(trace::Span&, const StructuredCall&);

// Programs that run one after another and share an axis, their lines: what a later one reads of what an earlier one wrote was
// written at the same line. So they may also run some lines at a time, each block of lines through all of them. Or it was written
// not far from that line: then blocks run in order, and each stage stays behind the first one, so that what it meets of an earlier
// one has run.
struct Stages {
    struct Reach {                // where an operand lies
        std::int32_t buffer = -1; // of `buffers`; -1: a constant
        std::int64_t offset = 0;  // hidden: bytes from the start of line 0
    };
    struct Stage {
        const Executable* executable = nullptr;
        Launch launch;
        int axis = 0;             // the lines: an axis of the launch that is not reduced, of one length in all stages unless in order
        std::int64_t first = 0;   // in order: its first line is this one of all
        std::int64_t behind = 0;  // in order: so many lines
        std::vector<Reach> reach; // by operand
    };
    struct Held {
        bool hidden = false;        // only these stages see it: it has no memory, and its operands no address
        std::int64_t line_bytes = 0; // hidden: from one line to the next
        std::int64_t reach = 0;      // hidden: what the operands reach from line 0; unless in order, no more than a line
    };
    std::vector<Stage> stages;
    std::vector<Held> buffers;
    bool in_order = false;
};

// How a backend runs certain stages together.
struct StagesWay {
    virtual ~StagesWay() = default;
    std::int64_t lines = 0;  // so many at a time
};

// Applies an elementwise row to n contiguous elements; an output may be exactly an input.
using ContiguousLoop = void (*)(void* const* out, const void* const* in, std::size_t n);
// Reduces n >= 1 contiguous elements to one.
using ContiguousFold = void (*)(void* out, const void* in, std::size_t n);
// A product of matrices on the calling thread: how many rows and columns the result has, how many products each element sums, then
// the distances in bytes between rows and between columns of the left matrix, the right one and the result.
using HostProduct = void (*)(char* left, char* right, char* out, const std::int64_t* numbers);

// Memory that is only used by work that the device keeps, given out while that work is taken down.
class WorkMemory {
public:
    virtual ~WorkMemory() = default;
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void deallocate(void*) noexcept = 0;  // what is enqueued later may use it
};

// Work of several launches that comes again and again, alike in all but where its memory lies. By one thread at a time.
class RecurringWork {
public:
    virtual ~RecurringWork() = default;
    // Enqueues all of it by one call, on the calling thread's stream, where it has come with these addresses often enough. For that it may
    // be taken down first: `enqueue` launches it, in order, with memory for what nobody else sees, and what it launches does not run.
    // False: nothing of it was enqueued.
    virtual bool run(std::span<char* const> addresses, FunctionRef<void(WorkMemory&)> enqueue) = 0;
};

// Memory of the pool that a backend keeps for speed, and gives up when it is asked to.
struct Kept {
    std::uint64_t bytes = 0, blocks = 0;
};

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string name() const = 0;  // "cpu", "ascend:0"
    // Raw memory for the pool, at least 64-byte aligned; nullptr when the device has none left.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* data, std::size_t bytes) noexcept = 0;
    virtual std::size_t padding() const { return 0; }  // bytes after the end of each block of the pool that belong to it
    virtual std::size_t total_memory() const = 0;
    virtual std::size_t available_memory() const = 0;
    virtual std::unique_ptr<Executable> compile(const Program&) = 0;
    virtual void run(const StructuredCall&) = 0;
    virtual bool host_visible() const = 0;  // the host may dereference its memory
    // How these programs should run together, some lines at a time, so that those are still at hand when the next program reads
    // them; null: one program after the other is as good. No operand has its address yet.
    virtual std::shared_ptr<const StagesWay> way_of(const Stages&) const { return nullptr; }
    // A number that changes when way_of() may answer otherwise for the same stages. What was found before still runs.
    virtual std::uint64_t ways_known() const { return 0; }
    virtual void run_stages(const Stages&, const StagesWay&);

    // Work that recurs, where the device runs it by one call; whether it does may change with settings.
    virtual bool keeps_work() const { return false; }
    virtual std::unique_ptr<RecurringWork> recurring_work() { return nullptr; }

    // What follows concerns devices whose memory the host may not touch, and whose work runs later; the defaults are
    // those of a device on which everything is done when a call returns. Any of these may be called by several threads
    // at the same time.

    // Work is enqueued on the stream that the calling thread works on (device/stream.hpp). The device puts work of two
    // streams in order where they use the same bytes.

    // Bytes from the host, in order with the device's work; the source may change when the call returns.
    virtual void upload(void* to, const void* host, std::size_t bytes);
    // Bytes to the host, after the work that was launched before.
    virtual void download(void* host, const void* from, std::size_t bytes);
    // Bytes from another device, in order with the work of both. By way of the host unless the device knows better.
    virtual void copy_from(Backend& source, void* to, const void* from, std::size_t bytes);
    // What it keeps of the pool's memory; and giving it all back, false when that is nothing. Called without the pool's lock.
    virtual Kept kept() const { return {}; }
    virtual bool give_up_kept() noexcept { return false; }
    // The same, but the call may return before the bytes have moved: the host's memory is the caller's duty until the
    // stream has passed. False where that cannot be (memory that is not pinned); then nothing was done.
    virtual bool start_upload(void* /*to*/, const void* /*host*/, std::size_t /*bytes*/) { return false; }
    virtual bool start_download(void* /*host*/, const void* /*from*/, std::size_t /*bytes*/) { return false; }
    // Host memory for copies of that kind, cached; nullptr where any memory will do. Copies that are under way when it is
    // given back may end. MemoryError when there is none left.
    virtual void* allocate_pinned(std::size_t /*bytes*/) { return nullptr; }
    virtual void release_pinned(void*) noexcept {}
    virtual void free_pinned_cache() noexcept {}
    // Waits for all work that was launched. What failed on the device meanwhile is thrown here.
    virtual void synchronize() {}
    // What of its memory must not be read, because work failed after its launch; nullptr: nothing ever does.
    virtual Damage* damage() { return nullptr; }
    // False: it is gone for good, and work for it can never run.
    virtual bool usable() const noexcept { return true; }

    virtual StreamId take_stream(int priority) { return stream_numbers_.take(priority); }
    virtual void give_stream(StreamId stream) noexcept { stream_numbers_.give(stream); }
    virtual void synchronize(StreamId) {}
    virtual bool done(StreamId) { return true; }
    virtual void order(StreamId /*before*/, StreamId /*after*/) {}  // what is enqueued later on `after` waits for `before`
    virtual std::uintptr_t stream_handle(StreamId) { return 0; }   // what the device's own interface calls it; 0: nothing
    virtual std::unique_ptr<Event> make_event(bool timed);
    // Somebody else enqueues, or has enqueued, work on the calling thread's stream that uses these bytes.
    virtual void prepare_use(const void* /*data*/, std::size_t /*bytes*/, bool /*written*/) {}

    // Whether the device itself computes this, whatever the shapes and strides. Where it does not, the runtime runs the
    // instruction on the host, counts it and says so. Copies and casts between all dtypes that it stores must be computed.
    virtual bool computes(RowId, int /*loop*/) const { return true; }   // elementwise
    virtual bool reduces(RowId, int /*loop*/) const { return true; }    // as a program's reduction
    virtual bool computes(const StructuredCall&) const { return true; } // looks at rows, dtypes and attributes only
    // Whether the device has this as one operation, which is composed of several where it has not. Looks at the same.
    virtual bool offers(const StructuredCall&) const { return false; }
    // Whether the host does it sooner, copies included, though the device computes it: a random draw of few numbers.
    virtual bool quicker_on_host(const StructuredCall&) const { return false; }
    // Why it does not, in a few words.
    virtual std::string why_not_computed(RowId, int /*loop*/) const { return {}; }
    virtual std::string why_not_reduced(RowId, int /*loop*/) const { return {}; }
    virtual std::string why_not_computed(const StructuredCall&) const { return {}; }
    // For arrays so small that a launch would cost more than their elements; nullptr where the host must not compute.
    virtual ContiguousLoop contiguous_loop(RowId, int) const { return nullptr; }
    virtual ContiguousFold contiguous_fold(RowId, int) const { return nullptr; }
    virtual HostProduct host_product(DType) const { return nullptr; }
    // What the launch of a program of that elementwise row alone would do, where it is quicker without a launch; false: nothing
    // was done.
    virtual bool run_without_launch(RowId, int /*loop*/, const Launch&) const { return false; }

protected:
    StreamNumbers stream_numbers_;
};

}  // namespace asnumpy
