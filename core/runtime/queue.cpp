// The queue: what is recorded, and running it. Nothing else in the core waits.
#include "runtime/queue.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/immortal.hpp"
#include "device/trace.hpp"
#include "runtime/accumulate.hpp"
#include "runtime/fuse.hpp"
#include "runtime/record.hpp"

namespace asnumpy {

namespace {

constexpr std::size_t longest = 128;          // instructions before the queue runs by itself
constexpr std::size_t most_programs = 4096;   // kept in the cache

struct ContentHash {
    std::size_t operator()(const Program& p) const { return p.hash(); }
};

struct Queue {
    // Two locks: `recording` is held for moments; `running` is held by whoever runs programs, and taken first. Nobody
    // waits for the interpreter's lock, or runs Python code, while holding one of them (but see lock_for_fork).
    std::mutex recording;
    std::mutex running;
    std::vector<Instruction> recorded;
    std::vector<Instruction> spare;  // the storage of the list that ran last
    std::size_t recorded_bytes = 0;
    std::uint64_t flush_number = 0;
    std::unordered_map<Program, std::unique_ptr<Executable>, ContentHash> programs;
    Host host;
    std::atomic<bool> eager{false};
    std::atomic<std::int64_t> eager_size{4096};
};

Queue& queue() {
    static Immortal<Queue> q;
    return *q;
}

// This thread holds `running` for a fork, and Python code that it runs meanwhile may need a value.
thread_local bool forking = false;

std::unique_lock<std::mutex> lock_running(Queue& q) {
    std::unique_lock lock(q.running, std::defer_lock);
    if (!forking) lock.lock();
    return lock;
}

template <class F> void each_buffer(const Instruction& i, F&& f) {
    for (std::size_t k = 0; k < i.nin; ++k)
        if (!i.in[k].is_scalar()) f(*i.in[k].array.buffer, false);
    for (std::size_t k = 0; k < i.nout; ++k) f(*i.out[k].buffer, true);
}

const Executable& executable(Queue& q, const Program& program) {
    const auto found = q.programs.find(program);
    if (found != q.programs.end()) return *found->second;
#ifndef NDEBUG
    check(program);
#endif
    if (q.programs.size() >= most_programs) q.programs.clear();
    return *q.programs.emplace(program, default_pool().backend().compile(program)).first->second;
}

Tensor tensor(const Array& a) { return {a.data(), a.dtype, a.view.shape, a.view.strides}; }

void run_fused(Queue& q, const Fused& fused) {
    if (fused.outputs.empty()) return;
    trace::Span span("program", "run");
    Launch launch;
    launch.shape = fused.shape;
    launch.reduced = fused.reduced;
    launch.operands.reserve(fused.inputs.size() + fused.outputs.size());
    const Dims zeros(fused.shape.size());
    for (const Fused::Source& source : fused.inputs) {
        if (source.array) {
            source.array->buffer->materialise();
            launch.operands.push_back({source.array->data(), source.array->view.strides});
        } else {
            launch.operands.push_back({const_cast<char*>(reinterpret_cast<const char*>(source.scalar->bytes.data())), zeros});
        }
    }
    for (const Array* output : fused.outputs) {
        output->buffer->materialise();
        launch.operands.push_back({output->data(), output->view.strides});
    }
    if (span.listening()) {
        span.set_bytes(static_cast<std::uint64_t>(count(fused.shape)) * fused.program.inputs.size());
        span.set_detail(to_string(fused.shape) + " " + std::to_string(fused.program.steps.size()) + " steps");
    }
    executable(q, fused.program).run(launch);
}

void run_group(Queue& q, std::span<const Instruction> list, const Group& group) {
    if (group.structured) run_structured(list[group.members.front()]);
    else run_fused(q, fuse(list, group));
}

// Forgets instructions that have run or that nobody needs.
void release(Queue& q, Instruction& instruction) {
    {
        const std::lock_guard lock(q.recording);
        each_buffer(instruction, [](Buffer& b, bool written) { --(written ? b.pending_writes : b.pending_reads); });
    }
    for (std::size_t k = 0; k < instruction.nin; ++k) instruction.in[k].array.buffer = BufferPtr();
    for (std::size_t k = 0; k < instruction.nout; ++k) instruction.out[k].buffer = BufferPtr();
    instruction.nin = instruction.nout = 0;
}

constexpr std::chrono::milliseconds between_checks{10};

// Runs what is recorded. False: it has paused, with the rest recorded again, so that the host can be asked whether
// there was an interrupt. The question runs Python code (signal handlers), which may itself need values: it is asked
// with no lock held and the queue whole.
bool run_some(Queue& q, const Buffer* wanted) {
    const std::unique_lock running = lock_running(q);
    std::vector<Instruction> list;
    {
        const std::lock_guard lock(q.recording);
        if (q.recorded.empty()) return true;
        list = std::exchange(q.recorded, std::move(q.spare));
        q.recorded_bytes = 0;
    }
    trace::Span span("flush", "run");
    const std::vector<bool> dead = find_dead(list, ++q.flush_number);
    for (std::size_t k = 0; k < list.size(); ++k)
        if (dead[k]) release(q, list[k]);
    accumulate_products(list, dead);
    const std::vector<Group> groups = form_groups(list, dead);

    const auto start = std::chrono::steady_clock::now();
    std::exception_ptr failure;
    std::vector<std::uint32_t> kept;  // what failed, what depends on it, and what a pause left
    bool paused = false;
    for (const Group& group : groups) {
        bool runs = !paused;
        for (const std::uint32_t member : group.members)
            for (const std::uint32_t earlier : kept)
                runs = runs && !conflicts(list[earlier], list[member]);
        if (runs) {
            try {
                run_group(q, list, group);
                for (const std::uint32_t member : group.members) release(q, list[member]);
                paused = q.host.check_interrupt && !forking && std::chrono::steady_clock::now() - start >= between_checks;
                continue;
            } catch (...) {
                if (!failure) failure = std::current_exception();
            }
        }
        kept.insert(kept.end(), group.members.begin(), group.members.end());
    }
    if (kept.empty()) {
        list.clear();
        const std::lock_guard lock(q.recording);
        q.spare = std::move(list);
        return !paused;
    }
    std::sort(kept.begin(), kept.end());
    {
        const std::lock_guard lock(q.recording);
        std::vector<Instruction> rest;
        rest.reserve(kept.size() + q.recorded.size());
        for (const std::uint32_t position : kept) rest.push_back(std::move(list[position]));
        for (Instruction& instruction : q.recorded) rest.push_back(std::move(instruction));
        q.recorded = std::move(rest);
        if (!paused && wanted && wanted->pending_writes == 0) return true;  // the failure concerns other arrays
    }
    if (paused) return false;  // what failed will fail again
    std::rethrow_exception(failure);
}

std::string text_of_pending(Queue& q, const Array* array) {
    const std::unique_lock running = lock_running(q);
    const std::lock_guard lock(q.recording);
    const std::vector<bool> dead = find_dead(q.recorded, ++q.flush_number);
    const std::vector<Group> groups = form_groups(q.recorded, dead);
    // Walk back from the array through everything that its value needs.
    std::vector<bool> shown(groups.size(), array == nullptr);
    std::vector<const Instruction*> needed;
    for (std::size_t g = groups.size(); array && g-- > 0;) {
        for (const std::uint32_t member : groups[g].members) {
            const Instruction& instruction = q.recorded[member];
            bool writes_it = false;
            each_buffer(instruction, [&](Buffer& b, bool written) { writes_it = writes_it || (written && &b == array->buffer.get()); });
            for (const Instruction* later : needed) writes_it = writes_it || conflicts(instruction, *later);
            if (writes_it) shown[g] = true;
        }
        if (shown[g])
            for (const std::uint32_t member : groups[g].members) needed.push_back(&q.recorded[member]);
    }
    std::string text;
    std::size_t number = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (!shown[g]) continue;
        const Instruction& first = q.recorded[groups[g].members.front()];
        if (groups[g].structured) {
            text += "program " + std::to_string(number++) + ": " + std::string(row(first.row).name) + " -> " +
                    std::string(name(first.out[0].dtype)) + to_string(first.out[0].view.shape) + "\n";
        } else {
            const Fused fused = fuse(q.recorded, groups[g]);
            text += "program " + std::to_string(number++) + ": over " + to_string(fused.shape) + ", " +
                    std::to_string(groups[g].members.size()) + " instructions\n" + to_string(fused.program);
        }
    }
    return text.empty() ? "nothing is pending\n" : text;
}

}  // namespace

void run_structured(const Instruction& instruction) {
    trace::Span span(row(instruction.row).name, "structured");
    StructuredCall call;
    call.row = instruction.row;
    call.axis = instruction.axis;
    call.op = instruction.op;
    call.option = instruction.option;
    call.stream = instruction.stream;
    for (std::size_t k = 0; k < instruction.nout; ++k) {
        instruction.out[k].buffer->materialise();
        call.out.push_back(tensor(instruction.out[k]));
    }
    for (std::size_t k = 0; k < instruction.nin; ++k) {
        instruction.in[k].array.buffer->materialise();
        call.in.push_back(tensor(instruction.in[k].array));
    }
    default_pool().backend().run(call);
}

void flush(const Buffer* wanted) {
    Queue& q = queue();
    const auto run_all = [&] {
        while (!run_some(q, wanted)) q.host.check_interrupt();
    };
    if (q.host.without_lock) q.host.without_lock(run_all);
    else run_all();
}

void record(Instruction&& instruction) {
    Queue& q = queue();
    bool now = eager();
    const Buffer* out = instruction.out[0].buffer.get();
    {
        const std::lock_guard lock(q.recording);
        each_buffer(instruction, [&](Buffer& b, bool written) {
            ++(written ? b.pending_writes : b.pending_reads);
            if (b.exports.load(std::memory_order_relaxed) > 0) now = true;
            if (written && !b.materialised()) q.recorded_bytes += b.bytes();
        });
        q.recorded.push_back(std::move(instruction));
        static const std::size_t most_bytes = default_pool().backend().total_memory() / 4;
        if (q.recorded.size() >= longest || q.recorded_bytes > most_bytes) now = true;
    }
    if (now) flush(out);
}

bool may_run_now(const Instruction& instruction) {
    bool free = instruction.nout > 0;
    each_buffer(instruction, [&](const Buffer& b, bool written) {
        if (b.pending_writes || (written && b.pending_reads)) free = false;
    });
    return free;
}

std::int64_t eager_size() { return queue().eager_size.load(std::memory_order_relaxed); }

void make_ready(const Array& array, Access access) {
    Queue& q = queue();
    Buffer& buffer = *array.buffer;
    bool conflict;
    {
        const std::lock_guard lock(q.recording);
        conflict = buffer.pending_writes > 0 || (access == Access::write && buffer.pending_reads > 0);
    }
    if (conflict) flush(&buffer);
    buffer.materialise();
}

bool pending(const Array& array) {
    const std::lock_guard lock(queue().recording);
    return array.buffer->pending_writes > 0;
}

std::size_t pending_count() {
    const std::lock_guard lock(queue().recording);
    return queue().recorded.size();
}

std::string explain(const Array* array) {
    Queue& q = queue();
    std::string text;
    const auto write = [&] { text = text_of_pending(q, array); };
    if (q.host.without_lock) q.host.without_lock(write);
    else write();
    return text;
}

void set_eager(bool value) {
    queue().eager = value;
    if (value) flush();
}
bool eager() { return queue().eager.load(std::memory_order_relaxed); }
void set_eager_size(std::int64_t elements) { queue().eager_size = elements; }
void set_host(Host host) { queue().host = std::move(host); }

void lock_for_fork() {
    Queue& q = queue();
    const auto lock = [&q] { q.running.lock(); };
    if (q.host.without_lock) q.host.without_lock(lock);
    else lock();
    forking = true;
    // `recording` is free at the fork itself, for whoever records holds the interpreter's lock, as the forking thread
    // then does. Taking it here would block recorders that get that lock between now and the fork.
}

void unlock_after_fork() {
    forking = false;
    queue().running.unlock();
}

}  // namespace asnumpy
