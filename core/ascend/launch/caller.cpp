// Both phases of a call, and the executors that are kept because the same call came before.
#include "ascend/launch/caller.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <list>
#include <unordered_map>

#include "ascend/launch/device_state.hpp"
#include "ascend/launch/refused.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "cann/codes.hpp"
#include "device/slow_cores.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::size_t most_kept = 1024;
constexpr std::size_t most_arguments = 64;

bool runs_on_aicpu(const Operator& op, std::span<const Argument> arguments) {
    std::array<DType, most_arguments> operands;
    std::size_t count = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (const auto* t = std::get_if<Tensor>(&arguments[i]); t && op.parameters[i].direction != cann::Direction::out) operands[count++] = t->dtype;
    return cann::is_on_aicpu(*op.facts, std::span(operands.data(), count));
}

}  // namespace

std::uint64_t now() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

// A repeatable executor, the objects that it was made from, and the addresses that were given to it last.
struct Caller::Executor {
    std::vector<std::uint64_t> words;
    aclOpExecutor* handle = nullptr;
    std::uint64_t workspace = 0;
    bool slow = false;  // on the AICPU
    Objects objects;
    std::vector<char*> addresses;

    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    ~Executor() {
        if (handle && !ended()) cann().aclDestroyAclOpExecutor(handle);
    }
};

struct Caller::Executors {
    std::list<std::pair<std::uint64_t, Executor>> order;  // the latest used first
    std::unordered_map<std::uint64_t, std::list<std::pair<std::uint64_t, Executor>>::iterator> by_hash;
    std::array<std::uint64_t, 4096> seen{};             // hashes of calls that came once

    Executor* find(std::uint64_t hash, std::span<const std::uint64_t> words) {
        const auto found = by_hash.find(hash);
        if (found == by_hash.end() || !std::ranges::equal(found->second->second.words, words)) return nullptr;
        if (found->second != order.begin()) order.splice(order.begin(), order, found->second);
        return &found->second->second;
    }
    // An executor is worth keeping when its call comes again.
    bool came_before(std::uint64_t hash) { return std::exchange(seen[hash % seen.size()], hash) == hash; }
    Executor& add(std::uint64_t hash) {
        erase(hash);
        while (order.size() >= most_kept) erase(order.back().first);
        order.emplace_front(std::piecewise_construct, std::forward_as_tuple(hash), std::forward_as_tuple());
        by_hash.emplace(hash, order.begin());
        return order.front().second;
    }
    void erase(std::uint64_t hash) {
        const auto found = by_hash.find(hash);
        if (found == by_hash.end()) return;
        order.erase(found->second);
        by_hash.erase(found);
    }
};

Caller::Caller(DeviceState& device) : device_(device), counts_(cann::operators().size()), executors_(std::make_unique<Executors>()) {}
Caller::~Caller() = default;

void Caller::release() noexcept {
    last_.destroy();
    executors_->by_hash.clear();
    executors_->order.clear();
}

void Caller::encode(const Operator& op, std::span<const Argument> arguments) {
    words_.clear();
    bases_.clear();
    bytes_ = 0;
    may_repeat_ = op.repeatable;
    words_.push_back(static_cast<std::uint64_t>(op.facts - cann::operators().data()));
    bool lists = false;
    words_.push_back(device_.streams.selected());  // an executor is one stream's: what it keeps is used in that order
    const auto tag = [this](std::size_t kind, std::uint64_t a, std::uint64_t b = 0) { words_.push_back(static_cast<std::uint64_t>(kind) << 56 | a << 24 | b); };
    const auto scalar = [this](const Scalar& s) {
        const auto* const words = reinterpret_cast<const std::uint64_t*>(s.bytes.data());
        words_.push_back(static_cast<std::uint64_t>(s.dtype));
        for (std::size_t i = 0; i < (itemsize(s.dtype) + 7) / 8; ++i) {
            std::uint64_t word = words[i];
            if (itemsize(s.dtype) < 8) word &= (std::uint64_t{1} << 8 * itemsize(s.dtype)) - 1;
            words_.push_back(word);
        }
    };
    const auto tensor = [&](std::size_t kind, const Tensor& t) {
        const auto address = reinterpret_cast<std::uintptr_t>(t.data);
        const int n = t.shape.size();
        tag(kind, static_cast<std::uint64_t>(n) << 8 | static_cast<std::uint64_t>(t.dtype), address % 64);
        std::int64_t size = static_cast<std::int64_t>(itemsize(t.dtype));
        for (int axis = 0; axis < n; ++axis) {
            words_.push_back(static_cast<std::uint64_t>(t.shape[axis]));
            words_.push_back(static_cast<std::uint64_t>(t.strides[axis]));
            size *= t.shape[axis];
        }
        bytes_ += static_cast<std::uint64_t>(size);
        return t.data - address % 64;
    };
    for (const Argument& argument : arguments) {
        const std::size_t kind = argument.index();
        if (const auto* t = std::get_if<Tensor>(&argument)) {
            bases_.push_back(tensor(kind, *t));
        } else if (const auto* formatted = std::get_if<Formatted>(&argument)) {
            bases_.push_back(tensor(kind, formatted->tensor));
            words_.push_back(static_cast<std::uint64_t>(formatted->format));
        } else if (const auto* s = std::get_if<Scalar>(&argument)) {
            tag(kind, 0);
            scalar(*s);
        } else if (const auto* integer = std::get_if<std::int64_t>(&argument)) {
            tag(kind, 0);
            words_.push_back(static_cast<std::uint64_t>(*integer));
        } else if (const auto* real = std::get_if<double>(&argument)) {
            tag(kind, 0);
            words_.push_back(std::bit_cast<std::uint64_t>(*real));
        } else if (const auto* flag = std::get_if<bool>(&argument)) {
            tag(kind, *flag);
        } else if (const auto* dims = std::get_if<Dims>(&argument)) {
            tag(kind, static_cast<std::uint64_t>(dims->size()));
            for (const std::int64_t value : *dims) words_.push_back(static_cast<std::uint64_t>(value));
        } else if (const auto* dtype = std::get_if<DType>(&argument)) {
            tag(kind, static_cast<std::uint64_t>(*dtype));
        } else if (const auto* text = std::get_if<std::string>(&argument)) {
            tag(kind, text->size());
            for (const char c : *text) words_.push_back(static_cast<unsigned char>(c));
        } else if (std::holds_alternative<std::nullptr_t>(argument)) {
            tag(kind, 0);
            bases_.push_back(nullptr);  // harmless where the parameter is no tensor: see the count in call()
        } else if (const auto* tensors = std::get_if<std::vector<Tensor>>(&argument)) {
            tag(kind, tensors->size());
            for (const Tensor& one : *tensors) words_.push_back(reinterpret_cast<std::uintptr_t>(tensor(kind, one)));
            lists = true;
        } else {
            may_repeat_ = false;
        }
    }
    // Which place a tensor has beside a list is nowhere said, so that no address could be set: only the very same call repeats.
    if (lists)
        for (char* const base : bases_) words_.push_back(reinterpret_cast<std::uintptr_t>(base));
}

// Strides are not negative.
Use use_of(const Tensor& t, bool written) {
    std::int64_t last = 0, count = 1;
    for (int axis = 0; axis < t.shape.size(); ++axis) {
        last += (t.shape[axis] - 1) * t.strides[axis];
        count *= t.shape[axis];
    }
    return {t.data, count ? static_cast<std::size_t>(last) + itemsize(t.dtype) : 0, written};
}

void add_uses(const Operator& op, std::span<const Argument> arguments, std::vector<Use>& uses) {
    each_tensor(arguments, [&](std::size_t i, const Tensor& t) { uses.push_back(use_of(t, op.parameters[i].direction != cann::Direction::in)); });
}

void Caller::run(Operator& op, std::span<const Argument> arguments, aclOpExecutor* executor, std::uint64_t size, bool kept) {
    void* workspace = nullptr;
    const StreamId stream = device_.streams.selected();
    try {
        if (size) workspace = device_.pool->allocate(size, stream);
        if (device_.streams.tracking()) [[unlikely]] {
            uses_.clear();
            add_uses(op, arguments, uses_);
            if (size) uses_.push_back({workspace, size, true});
            device_.streams.before(uses_);
        }
        note(op, arguments, stream);
    } catch (...) {
        if (workspace) device_.pool->deallocate(workspace, size, stream);
        if (!kept && cann().aclDestroyAclOpExecutor) cann().aclDestroyAclOpExecutor(executor);
        throw;
    }
    const std::uint64_t entered = now();
    const int code = op.second(workspace, size, executor, device_.stream);
    left_ = now();
    inside_ += left_ - entered;
    device_.damage.launched(stream);
    if (workspace) device_.pool->deallocate(workspace, size, stream);  // whoever gets it uses it later on this stream
    if (code) [[unlikely]] device_.fail(std::string(op.facts->name) + "(" + text_of(op, arguments) + "): the launch on " + device_.name, code);
    if (!anything_damaged()) [[likely]] return;
    uses_.clear();
    add_uses(op, arguments, uses_);
    device_.damage.spread(uses_);
}

void Caller::note(const Operator& op, std::span<const Argument> arguments, StreamId stream) {
    each_tensor(arguments, [&](std::size_t i, const Tensor& out) {
        if (op.parameters[i].direction == cann::Direction::in) return;
        const Use use = use_of(out, true);
        device_.damage.note(stream, op.facts->name, use.data, use.bytes, [&](WorkNote& note) {
            each_tensor(arguments, [&](std::size_t, const Tensor& t) { note.add(t.dtype, t.shape); });
        });
    });
}

[[noreturn]] void Caller::refuse(const Operator& op, std::span<const Argument> arguments, int code) {
    try {
        device_.fail(std::string(op.facts->name) + "(" + text_of(op, arguments) + ") on " + device_.name, code);
    } catch (DeviceFailure& failure) {
        failure.function = std::string(op.facts->name) + "GetWorkspaceSize";
        if (!cann::means_unsupported(code)) throw;
        throw Refused(failure, call_of(op.facts->name, arguments));
    }
}

// The objects of the call are in last_ then.
aclOpExecutor* Caller::first_phase(Operator& op, std::span<const Argument> arguments, std::uint64_t& workspace) {
    std::array<cann::Value, most_arguments> values;
    for (std::size_t i = 0; i < arguments.size(); ++i) values[i] = last_.make(op, i, arguments[i]);
    aclOpExecutor* executor = nullptr;
    const std::uint64_t entered = now();
    const int code = cann::call_first_phase(*op.facts, op.first, values.data(), &workspace, &executor);
    inside_ += now() - entered;
    if (code) [[unlikely]] refuse(op, arguments, code);
    return executor;
}

// With an executor of its own, which the second phase takes with it: a kept one would get other addresses later.
void Caller::capture(Operator& op, std::span<const Argument> arguments, Capture& capture) {
    std::uint64_t size = 0;
    aclOpExecutor* const executor = first_phase(op, arguments, size);
    void* workspace = nullptr;
    if (size) {
        try {
            workspace = capture.allocate(size);
        } catch (...) {
            if (cann().aclDestroyAclOpExecutor) cann().aclDestroyAclOpExecutor(executor);
            throw;
        }
    }
    uses_.clear();
    add_uses(op, arguments, uses_);
    if (size) uses_.push_back({workspace, size, true});
    capture.use(uses_);
    const int code = op.second(workspace, size, executor, capture.stream);
    if (workspace) capture.deallocate(workspace);
    if (code) device_.fail(std::string(op.facts->name) + ": its capture on " + device_.name, code);
    capture.count(words_.front(), bytes_);
}

void Caller::count_replay(std::span<const CapturedCalls> graph, std::uint64_t nanoseconds) {
    std::uint64_t all = 0;
    for (const CapturedCalls& one : graph) all += one.calls;
    for (const CapturedCalls& one : graph) {
        CallCount& counted = counts_[one.op];
        counted.calls += one.calls;
        counted.cached += one.calls;
        counted.replayed += one.calls;
        counted.bytes += one.bytes;
        counted.nanoseconds += nanoseconds * one.calls / all;
        counted.inside += nanoseconds * one.calls / all;
    }
}

void Caller::call(Operator& op, std::span<const Argument> arguments, Capture* graph, CallCount* apart) {
    const std::uint64_t started = now();
    inside_ = 0;
    if (arguments.size() != op.parameters.size() || arguments.size() > most_arguments)
        throw RuntimeFailure(std::string(op.facts->name) + ": expected " + std::to_string(op.parameters.size()) + " arguments, got " + std::to_string(arguments.size()));
    encode(op, arguments);
    last_.destroy();
    if (graph) return capture(op, arguments, *graph);
    CallCount& counted = apart ? *apart : counts_[words_.front()];
    std::uint64_t workspace = 0;
    const Cann& c = cann();
    std::uint64_t hash = 0;
    bool slow = false;
    Executor* known = nullptr;
    if (may_repeat_) {
        hash = word_hash(words_);
        known = executors_->find(hash, words_);
    }
    if (known) {
        const std::span<aclTensor* const> tensors = known->objects.tensors();
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            if (known->addresses[i] == bases_[i] || !tensors[i]) continue;
            known->addresses[i] = nullptr;  // unknown, should this fail
            if (const int code = c.aclSetTensorAddr(known->handle, i, tensors[i], bases_[i])) device_.fail(std::string("aclSetTensorAddr for ") + op.facts->name, code);
            known->addresses[i] = bases_[i];
        }
        ++counted.cached;
        workspace = known->workspace;
        slow = known->slow;
        run(op, arguments, known->handle, workspace, true);
    } else {
        aclOpExecutor* const executor = first_phase(op, arguments, workspace);
        slow = runs_on_aicpu(op, arguments);
        // The places of the tensors must be those that were counted above.
        const bool keep = may_repeat_ && last_.tensors().size() == bases_.size() && executors_->came_before(hash);
        if (keep && c.aclSetAclOpExecutorRepeatable(executor) == 0) {
            Executor& made = executors_->add(hash);
            made.words = words_;
            made.handle = executor;
            made.workspace = workspace;
            made.slow = slow;
            made.addresses = bases_;
            made.objects = std::move(last_);
            run(op, arguments, executor, workspace, true);
        } else {
            if (keep) op.repeatable = false;  // this operator copies between host and device within
            run(op, arguments, executor, workspace, false);
        }
    }
    if (slow) [[unlikely]] note_slow_call(device_.name, op.facts->name, bytes_);
    ++counted.calls;
    counted.bytes += bytes_;
    counted.inside += inside_;
    counted.workspace = std::max(counted.workspace, workspace);
    counted.nanoseconds += left_ - started;
}

}  // namespace asnumpy::ascend
