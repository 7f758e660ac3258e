// The registry of devices, contexts, streams and events.
#include "runtime/device.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <shared_mutex>
#include <unordered_map>

#include "base/immortal.hpp"
#include "runtime/config.hpp"
#include "runtime/graph.hpp"
#include "runtime/report.hpp"

namespace cannsim {
namespace {

struct Registry {
    std::shared_mutex mutex;
    std::array<Device, 64> devices;
    std::unordered_map<const void*, std::shared_ptr<Context>> contexts;
    std::atomic<std::uint64_t> contexts_ended{0};  // how many were erased
    std::unordered_map<const void*, std::shared_ptr<Stream>> streams;
    std::unordered_map<const void*, std::shared_ptr<Event>> events;
    std::uint32_t next_event = 1;
    std::recursive_mutex changes;

    Registry() {
        for (int id = 0; Device& device : devices) device.id = id++;
    }
};
Registry& registry() {
    static asnumpy::Immortal<Registry> instance;
    return *instance;
}

thread_local Context* current = nullptr;
thread_local std::uint64_t ended_by_then = 0;  // contexts, when this thread's was last seen to live

}  // namespace

int device_count() { return config().devices; }

Device& device(int id) {
    if (id < 0 || id >= device_count())
        throw Refusal{ACL_ERROR_RT_INVALID_DEVICEID, text("expected a device from 0 to ", device_count() - 1, ", got ", id)};
    if (is_lost(id)) throw Refusal{ACL_ERROR_RT_LOST_HEARTBEAT, text("device ", id, " is lost")};
    return registry().devices[static_cast<std::size_t>(id)];
}

Context* current_context_or_null() {
    if (!current) return nullptr;
    const std::uint64_t ended = registry().contexts_ended.load(std::memory_order_acquire);
    if (ended == ended_by_then) return current;
    const std::shared_lock lock(registry().mutex);
    if (!registry().contexts.contains(current)) current = nullptr;  // its device was reset by another thread
    ended_by_then = ended;
    return current;
}

Context& current_context() {
    Context* const context = current_context_or_null();
    if (!context) throw Refusal{ACL_ERROR_RT_CONTEXT_NULL, "this thread has no context; call aclrtSetDevice or aclrtSetCurrentContext first"};
    if (is_lost(context->device->id)) throw Refusal{ACL_ERROR_RT_LOST_HEARTBEAT, text("device ", context->device->id, " is lost")};
    return *context;
}

void set_current_context(Context* context) {
    current = context;
    ended_by_then = ~std::uint64_t{0};  // not seen yet
}

Context& context_of(void* handle) {
    const std::shared_lock lock(registry().mutex);
    const auto found = registry().contexts.find(handle);
    if (found == registry().contexts.end())
        throw Refusal{ACL_ERROR_RT_CONTEXT_NULL, text("expected a context, got ", static_cast<const void*>(handle), ", which is none or destroyed")};
    return *found->second;
}

std::shared_ptr<Stream> stream_of(void* handle) {
    const Context& here = current_context();
    if (!handle) return here.default_stream;
    std::shared_ptr<Stream> stream;
    {
        const std::shared_lock lock(registry().mutex);
        const auto found = registry().streams.find(handle);
        if (found != registry().streams.end()) stream = found->second;
    }
    if (!stream) {
        finding(Fault::object_misuse, text("expected a stream, got ", static_cast<const void*>(handle), ", which is none or destroyed"),
                ACL_ERROR_RT_PARAM_INVALID);
        throw Refusal{ACL_ERROR_RT_PARAM_INVALID, text("expected a stream, got ", static_cast<const void*>(handle))};
    }
    if (stream->context != &here)
        throw Refusal{ACL_ERROR_RT_STREAM_CONTEXT, text("stream ", stream->number, " is of another context than the thread's, which is of device ", here.device->id,
                                                        "; call aclrtSetCurrentContext or aclrtSetDevice first")};
    if (is_lost(stream->context->device->id)) throw Refusal{ACL_ERROR_RT_LOST_HEARTBEAT, text("device ", stream->context->device->id, " is lost")};
    return stream;
}

std::shared_ptr<Event> event_of(void* handle) {
    {
        const std::shared_lock lock(registry().mutex);
        const auto found = registry().events.find(handle);
        if (found != registry().events.end()) return found->second;
    }
    finding(Fault::object_misuse, text("expected an event, got ", static_cast<const void*>(handle), ", which is none or destroyed"),
            ACL_ERROR_RT_PARAM_INVALID);
    throw Refusal{ACL_ERROR_RT_PARAM_INVALID, text("expected an event, got ", static_cast<const void*>(handle))};
}

Stream* create_stream(Context& context, std::uint32_t priority, std::uint32_t flags, bool is_default) {
    constexpr std::size_t most = 1984;
    if (stream_count(context.device->id) >= most)
        throw Refusal{ACL_ERROR_RT_NO_STREAM_RESOURCE, text("device ", context.device->id, " has its ", most, " streams already")};
    auto stream = std::make_shared<Stream>();
    stream->number = new_stream_number();
    stream->order.stream = stream->number;
    stream->context = &context;
    stream->priority = priority;
    stream->flags = flags;
    stream->is_default = is_default;
    Stream* const handle = stream.get();
    if (is_default) context.default_stream = stream;
    const std::unique_lock lock(registry().mutex);
    registry().streams.emplace(handle, std::move(stream));
    return handle;
}

void destroy_stream(void* handle, bool at_once) {
    if (!handle) throw Refusal{ACL_ERROR_INVALID_PARAM, "expected a stream, got null"};
    const std::shared_ptr<Stream> stream = stream_of(handle);
    if (stream->is_default) throw Refusal{ACL_ERROR_RT_PARAM_INVALID, "the default stream of a context cannot be destroyed"};
    if (const auto graph = stream->capture.get()) graph->end();
    if (at_once) stream->abandon();
    stream->wait(-1);
    host_knows_all(stream->order);
    {
        const std::unique_lock lock(registry().mutex);
        registry().streams.erase(handle);
    }
    stream->stop();
}

Event* create_event(std::uint32_t flags, bool extended) {
    constexpr std::size_t most = 65536;
    auto event = std::make_shared<Event>();
    event->flags = flags;
    event->extended = extended;
    Event* const handle = event.get();
    const std::unique_lock lock(registry().mutex);
    if (registry().events.size() >= most) throw Refusal{ACL_ERROR_RT_NO_EVENT_RESOURCE, text("there are ", most, " events already")};
    event->number = registry().next_event++;
    registry().events.emplace(handle, std::move(event));
    return handle;
}

void destroy_event(void* handle) {
    const std::shared_ptr<Event> event = event_of(handle);  // queued work keeps what it needs of it
    const std::unique_lock lock(registry().mutex);
    registry().events.erase(handle);
}

std::vector<std::shared_ptr<Stream>> streams_of(const Context* context) {
    const std::shared_lock lock(registry().mutex);
    std::vector<std::shared_ptr<Stream>> result;
    for (const auto& [handle, stream] : registry().streams)
        if (!context || stream->context == context) result.push_back(stream);
    return result;
}

std::size_t stream_count(int device_id) {
    const std::shared_lock lock(registry().mutex);
    return static_cast<std::size_t>(
        std::ranges::count_if(registry().streams, [&](const auto& one) { return one.second->context->device->id == device_id; }));
}
std::size_t event_count() {
    const std::shared_lock lock(registry().mutex);
    return registry().events.size();
}

Context* create_context(int device_id, bool is_default) {
    auto context = std::make_shared<Context>();
    context->device = &device(device_id);
    context->is_default = is_default;
    Context* const handle = context.get();
    {
        const std::unique_lock lock(registry().mutex);
        registry().contexts.emplace(handle, context);
    }
    create_stream(*context, 0, 0, true);
    if (is_default) context->device->default_context = context;
    return handle;
}

void destroy_context(Context& context) {
    const std::shared_ptr<Context> held = [&] {
        const std::shared_lock lock(registry().mutex);
        return registry().contexts.at(&context);
    }();
    for (const auto& stream : streams_of(&context)) {
        stream->wait(-1);
        host_knows_all(stream->order);
        stream->stop();
        const std::unique_lock lock(registry().mutex);
        registry().streams.erase(stream.get());
    }
    const std::unique_lock lock(registry().mutex);
    registry().contexts.erase(&context);
    registry().contexts_ended.fetch_add(1, std::memory_order_release);
}

std::recursive_mutex& device_changes() { return registry().changes; }

void release_device(Device& device, bool at_once) {
    const std::scoped_lock changing(registry().changes);
    std::vector<std::shared_ptr<Context>> contexts;
    {
        const std::shared_lock lock(registry().mutex);
        for (const auto& [handle, context] : registry().contexts)
            if (context->device == &device) contexts.push_back(context);
    }
    for (const auto& context : contexts) {
        if (!context->is_default) continue;  // explicit contexts are the client's to destroy
        if (at_once)
            for (const auto& stream : streams_of(context.get())) stream->abandon();
        destroy_context(*context);
    }
    device.default_context.reset();
    device.references = 0;
}

bool is_owed(const Stream& stream) { return !stream.is_default && !is_lost(stream.context->device->id); }

std::size_t release_everything() {
    std::size_t left = 0;
    for (const auto& stream : streams_of(nullptr)) left += is_owed(*stream);
    for (Device& device : registry().devices)
        if (device.default_context) release_device(device, false);
    return left;
}

int take_error(Stream& stream) {
    const int error = stream.error.exchange(0), lasting = stream.broken.load();
    return lasting ? lasting : error;
}
std::string told_of(const Stream& stream) {
    const char* const task = stream.failed;
    return text("work on stream ", stream.number, " failed before: ", task ? task : "a task");
}

}  // namespace cannsim
