// Events: recording, waiting, querying, timing.
#include <algorithm>

#include "api/place.hpp"
#include "runtime/config.hpp"
#include "runtime/device.hpp"
#include "runtime/graph.hpp"

using namespace cannsim;

namespace {

constexpr std::uint32_t known_flags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE | ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

int make_event(const char* function, void** event, std::uint32_t flags, bool extended) {
    return entry(function, {{"flag", flags}}, [&] {
        expect_given(event, "event");
        if (!flags || flags & ~known_flags) throw Refusal{ACL_ERROR_INVALID_PARAM, text("flag: expected bits of ", known_flags, ", got ", flags)};
        current_context();
        *event = create_event(flags, extended);
        return 0;
    });
}

void refuse_extended(const Event& event) {
    if (event.extended) throw Refusal{ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "event: one of aclrtCreateEventExWithFlag cannot be used here"};
}

std::shared_ptr<Graph> capture_under_way(Event& event) {
    const std::scoped_lock lock(event.mutex);
    const auto graph = event.captured_in.lock();
    return graph && graph->status() == Graph::Status::active ? graph : nullptr;
}

void refuse_captured(Event& event) {
    if (const auto graph = capture_under_way(event)) {
        graph->invalidate("an event of the capture was queried or waited for by the host");
        throw Refusal{ACL_ERROR_RT_EVENT_CAPTURED, "event: it was recorded in a capture that is under way"};
    }
}

int record(void* handle, void* stream_handle) {
    const std::shared_ptr<Event> event = event_of(handle);
    const std::shared_ptr<Stream> stream = stream_of(stream_handle);
    if (const auto graph = stream->capture.get()) {
        const std::scoped_lock lock(event->mutex);
        event->captured_in = graph;
        event->captured = graph->recorded(*stream);
        event->recording.reset();
        return 0;
    }
    auto recording = std::make_shared<Recording>();
    Task task;
    task.name = "aclrtRecordEvent";
    task.cost = {0, 0, Engine::copy};
    task.run = [recording] { return recording->finish(), 0; };
    {
        const std::scoped_lock lock(stream->issuing);
        recording->clock = recorded(stream->order);
        stream->modelled = std::max(stream->modelled, model_issue());
        recording->modelled = stream->modelled;
        stream->enqueue(std::move(task));
    }
    const std::scoped_lock lock(event->mutex);
    event->captured_in.reset();
    event->recording = std::move(recording);
    return 0;
}

int wait_event(const char* function, void* stream_handle, void* handle, std::int64_t timeout) {
    return entry(function, {{"stream", stream_handle}, {"event", handle}, {"timeout", timeout}}, [&] {
        const std::shared_ptr<Event> event = event_of(handle);
        const std::shared_ptr<Stream> stream = stream_of(stream_handle);
        if (!event->extended && !(event->flags & ACL_EVENT_SYNC))
            throw Refusal{ACL_ERROR_INVALID_PARAM, text("event: expected one with the flag ACL_EVENT_SYNC, got flags ", event->flags)};
        if (const auto graph = capture_under_way(*event)) {
            const std::scoped_lock lock(stream->issuing);
            if (stream->capture.get() && stream->capture.get() != graph) throw Refusal{ACL_ERROR_STREAM_CAPTURE_CONFLICT, "stream: it is captured into another graph"};
            stream->capture.set(graph);
            const std::scoped_lock of_event(event->mutex);
            graph->join(*stream, event->captured);
            return 0;
        }
        if (stream->capture.get()) throw Refusal{ACL_ERROR_RT_CAPTURE_DEPENDENCY, "event: it was not recorded in the capture of this stream"};
        const std::shared_ptr<Recording> recording = event->current();
        if (!recording) return 0;  // never recorded: nothing to wait for
        ++event->waits;
        Task task;
        task.name = "aclrtStreamWaitEvent";
        task.run = [recording, event, timeout] {
            const bool in_time = recording->wait(timeout > 0 ? timeout : -1);
            --event->waits;
            return in_time ? 0 : ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
        };
        const std::scoped_lock lock(stream->issuing);
        wait_for(stream->order, recording->clock);
        stream->modelled = std::max({stream->modelled, model_issue(), recording->modelled});
        stream->enqueue(std::move(task));
        return 0;
    });
}

int wait_for_event(const char* function, void* handle, std::int64_t timeout) {
    return entry(function, {{"event", handle}, {"timeout", timeout}}, [&] {
        const std::shared_ptr<Event> event = event_of(handle);
        refuse_captured(*event);
        const std::shared_ptr<Recording> recording = event->current();
        if (!recording) return 0;
        if (!recording->wait(timeout)) throw Refusal{ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, text("the event was not reached in ", timeout, " ms")};
        host_knows(recording->clock);
        model_wait_until(recording->modelled);
        return 0;
    });
}

bool reached(Event& event, const std::shared_ptr<Recording>& recording) {
    refuse_captured(event);
    if (!recording) return true;
    if (!recording->wait(0)) return false;
    host_knows(recording->clock);
    return true;
}

}  // namespace

extern "C" {

int32_t aclrtCreateEvent(void** event) { return make_event("aclrtCreateEvent", event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS, false); }
int32_t aclrtCreateEventWithFlag(void** event, uint32_t flag) { return make_event("aclrtCreateEventWithFlag", event, flag, false); }
int32_t aclrtCreateEventExWithFlag(void** event, uint32_t flag) { return make_event("aclrtCreateEventExWithFlag", event, flag, true); }
int32_t aclrtDestroyEvent(void* event) {
    return entry("aclrtDestroyEvent", {{"event", event}}, [&] {
        expect_given(event, "event");
        return destroy_event(event), 0;
    });
}
int32_t aclrtRecordEvent(void* event, void* stream) {
    return entry("aclrtRecordEvent", {{"event", event}, {"stream", stream}}, [&] { return record(event, stream); });
}
int32_t aclrtResetEvent(void* event, void* stream) {
    return entry("aclrtResetEvent", {{"event", event}, {"stream", stream}}, [&] {
        const std::shared_ptr<Event> e = event_of(event);
        refuse_extended(*e);
        if (!(e->flags & ACL_EVENT_SYNC)) throw Refusal{ACL_ERROR_INVALID_PARAM, text("event: expected one with the flag ACL_EVENT_SYNC, got flags ", e->flags)};
        stream_of(stream);
        return 0;  // a wait holds on to the recording it saw, so there is nothing to undo
    });
}
int32_t aclrtStreamWaitEvent(void* stream, void* event) { return wait_event("aclrtStreamWaitEvent", stream, event, -1); }
int32_t aclrtStreamWaitEventWithTimeout(void* stream, void* event, int32_t timeout) { return wait_event("aclrtStreamWaitEventWithTimeout", stream, event, timeout); }
int32_t aclrtSynchronizeEvent(void* event) { return wait_for_event("aclrtSynchronizeEvent", event, -1); }
int32_t aclrtSynchronizeEventWithTimeout(void* event, int32_t timeout) { return wait_for_event("aclrtSynchronizeEventWithTimeout", event, timeout); }

int32_t aclrtQueryEvent(void* event, int32_t* status) {
    return entry("aclrtQueryEvent", {{"event", event}}, [&] {
        expect_given(status, "status");
        const std::shared_ptr<Event> e = event_of(event);
        refuse_extended(*e);
        const auto recording = e->current();
        *status = recording && reached(*e, recording) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
        return 0;
    });
}
int32_t aclrtQueryEventStatus(void* event, int32_t* status) {
    return entry("aclrtQueryEventStatus", {{"event", event}}, [&] {
        expect_given(status, "status");
        const std::shared_ptr<Event> e = event_of(event);
        *status = reached(*e, e->current()) ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
        return 0;
    });
}
int32_t aclrtQueryEventWaitStatus(void* event, int32_t* status) {
    return entry("aclrtQueryEventWaitStatus", {{"event", event}}, [&] {
        expect_given(status, "status");
        const std::shared_ptr<Event> e = event_of(event);
        refuse_extended(*e);
        *status = e->waits ? ACL_EVENT_WAIT_STATUS_NOT_READY : ACL_EVENT_WAIT_STATUS_COMPLETE;
        return 0;
    });
}
int32_t aclrtEventElapsedTime(float* ms, void* startEvent, void* endEvent) {
    return entry("aclrtEventElapsedTime", {{"start", startEvent}, {"end", endEvent}}, [&] {
        expect_given(ms, "ms");
        const std::shared_ptr<Event> start = event_of(startEvent), end = event_of(endEvent);
        const auto a = start->current(), b = end->current();
        for (const Event* const one : {start.get(), end.get()})
            if (!(one->flags & ACL_EVENT_TIME_LINE)) throw Refusal{ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, text("expected events with the flag ACL_EVENT_TIME_LINE, got flags ", one->flags)};
        if (!a || !b) throw Refusal{ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "expected recorded events, got one that was not"};
        if (!reached(*start, a) || !reached(*end, b)) throw Refusal{ACL_ERROR_RT_EVENT_NOT_COMPLETE, "expected events that streams have passed; wait for them first"};
        const double seconds = config().model_clock ? b->modelled - a->modelled : b->wall - a->wall;
        if (seconds < 0) throw Refusal{ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "the end lies before the start"};
        *ms = static_cast<float>(seconds * 1e3);
        return 0;
    });
}
int32_t aclrtEventGetTimestamp(void* event, uint64_t* timestamp) {
    return entry("aclrtEventGetTimestamp", {{"event", event}}, [&] {
        expect_given(timestamp, "timestamp");
        const std::shared_ptr<Event> e = event_of(event);
        const auto recording = e->current();
        if (!recording || !(e->flags & ACL_EVENT_TIME_LINE)) throw Refusal{ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "expected a recorded event with the flag ACL_EVENT_TIME_LINE"};
        if (!reached(*e, recording)) throw Refusal{ACL_ERROR_RT_EVENT_NOT_COMPLETE, "the event was not reached yet"};
        *timestamp = static_cast<std::uint64_t>((config().model_clock ? recording->modelled : recording->wall) * 1e6);
        return 0;
    });
}
int32_t aclrtGetEventId(void* event, uint32_t* eventId) {
    return entry("aclrtGetEventId", {{"event", event}}, [&] {
        expect_given(eventId, "eventId");
        *eventId = event_of(event)->number;
        return 0;
    });
}
int32_t aclrtGetEventAvailNum(uint32_t* eventCount) {
    return entry("aclrtGetEventAvailNum", {}, [&] {
        expect_given(eventCount, "eventCount");
        *eventCount = static_cast<std::uint32_t>(65536 - event_count());
        return 0;
    });
}

}  // extern "C"
