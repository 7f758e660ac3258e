// The emitter: temporaries, constants that reach the device when they are needed there, calls.
#include "ascend/launch/emitter.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <optional>
#include <utility>

#include "ascend/launch/caller.hpp"
#include "ascend/launch/device_state.hpp"
#include "ascend/launch/movement.hpp"
#include "ascend/launch/refused.hpp"
#include "base/error.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::size_t scalars_per_chunk = 32;
using Chunk = std::array<Scalar, scalars_per_chunk>;

}  // namespace

// Its lists keep their memory from one launch of the device to the next.
struct Launching {
    struct Temporary {
        char* data;
        std::size_t bytes;
    };

    explicit Launching(DeviceState& d) : device(d) {}
    Launching(const Launching&) = delete;

    void begin(Capture* into) {
        stream = device.streams.selected();
        capture = into;
    }
    void end() noexcept {
        release_since(0);
        enqueued = 0;
        scalars = 0;
        written_last.clear();
        rewritten.clear();
        memory.release();
    }

    DeviceState& device;
    StreamId stream = 0;
    Capture* capture = nullptr;
    int enqueued = 0;
    std::vector<Temporary> temporaries;
    std::vector<const char*> written_last;
    Chunk first_scalars;                          // where they lie is how they are known again
    std::vector<std::unique_ptr<Chunk>> more_scalars;
    std::size_t scalars = 0;
    std::vector<Argument> rewritten;
    alignas(std::max_align_t) std::array<std::byte, 16 << 10> room;
    std::pmr::monotonic_buffer_resource memory{room.data(), room.size()};

    const Scalar* find(const char* data) const {
        const auto within = [data](const Chunk& chunk) -> const Scalar* {
            const auto* const begin = reinterpret_cast<const char*>(chunk.data());
            if (std::less<>{}(data, begin) || !std::less<>{}(data, begin + sizeof chunk)) return nullptr;
            return &chunk[static_cast<std::size_t>(data - begin) / sizeof(Scalar)];
        };
        if (!scalars) return nullptr;
        if (const Scalar* found = within(first_scalars)) return found;
        for (const auto& chunk : more_scalars)
            if (const Scalar* found = within(*chunk)) return found;
        return nullptr;
    }

    char* allocate(std::size_t bytes) { return static_cast<char*>(capture ? capture->allocate(bytes) : device.pool->allocate(bytes, stream)); }
    void deallocate(const Temporary& t) noexcept {
        if (!t.data) return;
        if (capture) capture->deallocate(t.data);
        else device.pool->deallocate(t.data, t.bytes, stream);
    }
    void release_since(std::size_t mark) noexcept {
        while (temporaries.size() > mark) {
            deallocate(temporaries.back());
            temporaries.pop_back();
        }
    }

    char* constant(const Scalar& value) {
        if (!capture) return device.constant(value).data;
        const auto known = device.known_constant(value);
        if (!known) Capture::refuse("a number that must be brought to the device first");
        capture->reads_constants = true;
        return known->data;
    }
    // The tensor on the device: a scalar known to the host gets its memory now.
    Tensor on_device(const Tensor& t) {
        const Scalar* const value = find(t.data);
        if (!value) return t;
        const auto within = t.data - reinterpret_cast<const char*>(value->bytes.data());
        Tensor moved = t;
        moved.data = constant(*value) + within;
        return moved;
    }
};

void DropLaunching::operator()(Launching* launching) const { delete launching; }

namespace {

std::unique_ptr<Launching, DropLaunching> begun(DeviceState& device, Capture* capture) {
    std::unique_ptr<Launching, DropLaunching> launching = std::move(device.launching);
    if (!launching) launching.reset(new Launching(device));
    launching->begin(capture);
    return launching;
}

}  // namespace

Emitter::Emitter(DeviceState& device) {
    Capture* const capture = capturing ? device.graphs.current() : nullptr;
    if (!capture) enqueuing_.emplace(device);
    launching_ = begun(device, capture);
}
Emitter::~Emitter() {
    launching_->end();
    std::unique_ptr<Launching, DropLaunching>& kept = launching_->device.launching;
    kept = std::move(launching_);
}

namespace {

// Where CANN lacks the operator, its calls are refused.
template <class Which> Operator& operator_for(const Which& which, std::string_view name, std::span<const Argument> arguments) {
    try {
        return find_operator(which);
    } catch (const DeviceFailure& failure) {
        if (ended()) throw;
        throw Refused(failure, call_of(name, arguments));
    }
}

}  // namespace

void Emitter::call(std::string_view name, std::span<const Argument> arguments) { call(operator_for(name, name, arguments), arguments); }
void Emitter::call(const OperatorFacts& facts, std::span<const Argument> arguments) { call(operator_for(facts, facts.name, arguments), arguments); }

void Emitter::call(Operator& op, std::span<const Argument> arguments) {
    Launching& launch = *launching_;
    std::size_t constants = 0;
    for (const Argument& argument : arguments) {
        if (const auto* t = std::get_if<Tensor>(&argument)) constants += launch.find(t->data) != nullptr;
        else if (const auto* list = std::get_if<std::vector<Tensor>>(&argument))
            for (const Tensor& one : *list) constants += launch.find(one.data) != nullptr;
    }
    if (constants) {
        if (!launch.capture) launch.device.make_room_for_constants(constants);
        launch.rewritten.assign(arguments.begin(), arguments.end());
        for (Argument& argument : launch.rewritten) {
            if (auto* t = std::get_if<Tensor>(&argument)) *t = launch.on_device(*t);
            else if (auto* list = std::get_if<std::vector<Tensor>>(&argument))
                for (Tensor& one : *list) one = launch.on_device(one);
        }
        // Where an output must have the shape of an operand, a number beside whole operands has it, with strides of 0.
        for (std::size_t i = 0; i < std::min(arguments.size(), op.parameters.size()); ++i) {
            const int like = op.parameters[i].same_shape;
            const auto* const out = std::get_if<Tensor>(&launch.rewritten[i]);
            auto* const in = like < 0 ? nullptr : std::get_if<Tensor>(&launch.rewritten[static_cast<std::size_t>(like)]);
            if (!out || !in || op.parameters[i].direction == cann::Direction::in || !in->shape.empty()) continue;
            in->shape = out->shape;
            in->strides = Dims(out->shape.size());
        }
        arguments = launch.rewritten;
    }
    if (op.asks_for_order) [[unlikely]] return call_in_order(op, arguments);
    launch.device.caller.call(op, arguments, launch.capture);
    ++launch.enqueued;
}

// What the documents want in C order and is not goes through temporaries.
void Emitter::call_in_order(Operator& op, std::span<const Argument> arguments) {
    Launching& launch = *launching_;
    std::vector<Argument> ordered(arguments.begin(), arguments.end());
    std::vector<std::pair<Tensor, Tensor>> results;
    for (std::size_t i = 0; i < std::min(ordered.size(), op.parameters.size()); ++i) {
        auto* const t = std::get_if<Tensor>(&ordered[i]);
        if (!t || !op.parameters[i].contiguous || is_dense(*t)) continue;
        const Tensor there = *t;
        *t = temporary(there.shape, there.dtype);
        if (op.parameters[i].direction != cann::Direction::out) move(*this, there, *t);
        if (op.parameters[i].direction != cann::Direction::in) results.emplace_back(*t, there);
    }
    launch.device.caller.call(op, ordered, launch.capture);
    ++launch.enqueued;
    for (const auto& [here, there] : results) {
        if (is_written_last(there)) overwrite(*this, here, there);
        else move(*this, here, there);
    }
}

void Emitter::write_all(const char* name, const Tensor& out, FunctionRef<void(void* stream)> enqueue) {
    Launching& launch = *launching_;
    if (launch.capture) Capture::refuse("a kernel of our own");
    const std::array uses{use_of(out, true)};
    DeviceState& device = launch.device;
    device.streams.before(uses);
    device.damage.healing(uses, [&] {
        device.damage.note(launch.stream, name, out.data, uses[0].bytes, [&](WorkNote& note) { note.add(out.dtype, out.shape); });
        enqueue(device.stream);
        device.damage.launched(launch.stream);
    });
    ++launch.enqueued;
}

void Emitter::launch(const char* name, std::span<const Use> uses, FunctionRef<void(void* stream)> enqueue) {
    Launching& launch = *launching_;
    if (launch.capture) Capture::refuse("a kernel of our own");
    launch.device.streams.before(uses);
    launch.device.damage.enqueue(launch.stream, name, uses, [&] { enqueue(launch.device.stream); });
    ++launch.enqueued;
}

void Emitter::copy_bytes(void* to, const void* from, std::size_t bytes) {
    Launching& launch = *launching_;
    if (!bytes) return;
    const std::array uses{Use{to, bytes, true}, Use{from, bytes, false}};
    if (launch.capture) launch.capture->use(uses);
    else launch.device.streams.before(uses);
    const auto copy = [&](void* stream) {
        launch.device.check(cann().aclrtMemcpyAsync(to, bytes, from, bytes, cann::ACL_MEMCPY_DEVICE_TO_DEVICE, stream), "aclrtMemcpyAsync");
    };
    if (launch.capture) copy(launch.capture->stream);
    else launch.device.damage.enqueue(launch.stream, "aclrtMemcpyAsync", uses, [&] { copy(launch.device.stream); });
    ++launch.enqueued;
}

void Emitter::move_by_host(const Tensor& from, const Tensor& to) {
    Launching& launch = *launching_;
    if (launch.capture) Capture::refuse("a copy by way of the host");
    const auto item = static_cast<std::int64_t>(itemsize(to.dtype));
    const Extent read = extent(View{0, from.shape, from.strides}, item), written = extent(View{0, to.shape, to.strides}, item);
    std::vector<char> source(static_cast<std::size_t>(read.high - read.low)), target(static_cast<std::size_t>(written.high - written.low));
    const char* start = from.data + read.low;
    if (!launch.find(from.data)) {
        launch.device.staging.download(source.data(), start, source.size());
        launch.device.damage.expect_whole(start, source.size());
        start = source.data();
    }
    // What lies between the elements goes back as it was, damaged or not.
    launch.device.staging.download(target.data(), to.data + written.low, target.size());
    const Failure damaged = launch.device.damage.find(to.data + written.low, target.size());
    const std::int64_t elements = count({to.shape.data(), static_cast<std::size_t>(to.shape.size())});
    for (std::int64_t n = 0; n < elements; ++n) {
        std::int64_t rest = n, in = -read.low, out = -written.low;
        for (int axis = to.shape.size(); axis-- > 0; rest /= to.shape[axis]) {
            in += rest % to.shape[axis] * from.strides[axis];
            out += rest % to.shape[axis] * to.strides[axis];
        }
        std::memcpy(target.data() + out, start + in, static_cast<std::size_t>(item));
    }
    launch.device.staging.upload(to.data + written.low, target.data(), target.size());
    if (damaged) launch.device.damage.mark(to.data + written.low, target.size(), damaged);
    ++launch.enqueued;
}

Tensor Emitter::temporary(const Dims& shape, DType dtype) {
    Launching& launch = *launching_;
    Tensor t{nullptr, dtype, shape, contiguous(shape, static_cast<std::int64_t>(itemsize(dtype))).strides};
    const std::size_t bytes = static_cast<std::size_t>(count({shape.data(), static_cast<std::size_t>(shape.size())})) * itemsize(dtype);
    launch.temporaries.push_back({nullptr, bytes});
    launch.temporaries.back().data = launch.allocate(bytes);
    t.data = launch.temporaries.back().data;
    return t;
}

void Emitter::release(const Tensor& temporary) {
    for (Launching::Temporary& t : launching_->temporaries) {
        if (t.data != temporary.data) continue;
        launching_->deallocate(t);
        t.data = nullptr;
        return;
    }
}

std::size_t Emitter::mark() const { return launching_->temporaries.size(); }
void Emitter::release_since(std::size_t mark) { launching_->release_since(mark); }

Tensor Emitter::constant(const Scalar& value) {
    Launching& launch = *launching_;
    const std::size_t chunk = launch.scalars / scalars_per_chunk, place = launch.scalars % scalars_per_chunk;
    if (chunk > launch.more_scalars.size()) launch.more_scalars.push_back(std::make_unique<Chunk>());
    Scalar& kept = (chunk ? *launch.more_scalars[chunk - 1] : launch.first_scalars)[place];
    kept = value;
    ++launch.scalars;
    return {reinterpret_cast<char*>(kept.bytes.data()), value.dtype, {}, {}};
}

const Scalar* Emitter::known(const Tensor& t) const {
    const Scalar* const value = launching_->find(t.data);
    return value && value->dtype == t.dtype && t.data == reinterpret_cast<const char*>(value->bytes.data()) ? value : nullptr;
}

void Emitter::write_last(const char* output) { launching_->written_last.push_back(output); }
bool Emitter::is_written_last(const Tensor& output) const { return std::ranges::find(launching_->written_last, output.data) != launching_->written_last.end(); }
void Emitter::cut_off(int enqueued, const std::exception& why) {
    if (launching_->capture || launching_->enqueued == enqueued) return;  // what is captured has not run
    launching_->device.lose(DeviceFailure(std::string("an array was overwritten in part when this failed: ") + why.what()));
}

const OperatorFacts& Emitter::facts(std::string_view op) const {
    const int found = cann::find_operator(op);
    if (found < 0) throw RuntimeFailure(std::string(op) + ": CANN has no operator of that name");
    return cann::operators()[static_cast<std::size_t>(found)];
}
bool Emitter::has(std::string_view op) const { return has_operator(op); }
DeviceState& Emitter::device() const { return launching_->device; }
int Emitter::enqueued() const { return launching_->enqueued; }
std::pmr::memory_resource& Emitter::memory() const { return launching_->memory; }

}  // namespace asnumpy::ascend
