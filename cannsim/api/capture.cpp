// Graphs: capture, replay, updates.
#include <cstdio>
#include <cstring>
#include <unordered_map>

#include "api/life.hpp"
#include "api/place.hpp"
#include "base/immortal.hpp"
#include "runtime/device.hpp"
#include "runtime/graph.hpp"

using namespace cannsim;

namespace {

struct Model {
    std::shared_ptr<Graph> graph;
    void (*at_end)(void*) = nullptr;
    void* at_end_data = nullptr;
};
struct Update {  // between TaskUpdateBegin and TaskUpdateEnd
    std::shared_ptr<Graph> target, collected;
    Graph::Group group;
};

struct Models {
    std::mutex mutex;
    std::unordered_map<void*, Model> models;
    std::unordered_map<void*, std::weak_ptr<Graph>> capturing;  // and not ended
    std::unordered_map<void*, std::pair<std::weak_ptr<Graph>, std::shared_ptr<Graph::Group>>> groups;
    std::unordered_map<Stream*, Update> updates;
};
Models& models() {
    static asnumpy::Immortal<Models> instance;
    return *instance;
}

std::shared_ptr<Graph> graph_of(void* handle) {
    const std::scoped_lock lock(models().mutex);
    const auto found = models().models.find(handle);
    if (found == models().models.end()) throw Refusal{ACL_ERROR_INVALID_PARAM, text("modelRI: expected a captured model, got ", static_cast<const void*>(handle))};
    return found->second.graph;
}

// Also of one that is still being captured.
std::shared_ptr<Graph> begun_graph_of(void* handle) {
    {
        const std::scoped_lock lock(models().mutex);
        const auto found = models().capturing.find(handle);
        if (found != models().capturing.end())
            if (const std::shared_ptr<Graph> graph = found->second.lock()) return graph;
    }
    return graph_of(handle);
}

std::shared_ptr<Graph> capture_of(const Stream& stream) {
    if (!stream.capture.get()) throw Refusal{ACL_ERROR_RT_STREAM_NOT_CAPTURED, text("stream ", stream.number, " is not captured")};
    return stream.capture.get();
}

void release(Stream& stream) {
    const std::scoped_lock lock(stream.issuing);
    stream.capture.set(nullptr);
}

int begin(const char* function, void* handle, std::int32_t mode) {
    return entry(function, {{"stream", handle}, {"mode", mode}}, [&] {
        const std::shared_ptr<Stream> stream = stream_of(handle);
        if (stream->is_default) throw Refusal{ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "stream: the default stream cannot be captured"};
        if (mode < ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED) throw Refusal{ACL_ERROR_INVALID_PARAM, text("mode: expected 0, 1 or 2, got ", mode)};
        const std::scoped_lock lock(stream->issuing);
        if (stream->capture.get()) throw Refusal{ACL_ERROR_RT_STREAM_CAPTURED, text("stream ", stream->number, " is captured already")};
        const auto graph = std::make_shared<Graph>(*stream, mode);
        stream->capture.set(graph);
        const std::scoped_lock models_lock(models().mutex);
        models().capturing[graph.get()] = graph;
        return 0;
    });
}

}  // namespace

std::size_t cannsim::model_count() {
    const std::scoped_lock lock(models().mutex);
    return models().models.size();
}

extern "C" {

int32_t aclmdlRICaptureBegin(void* stream, int32_t mode) { return begin("aclmdlRICaptureBegin", stream, mode); }

int32_t aclmdlRICaptureEnd(void* stream, void** modelRI) {
    return entry("aclmdlRICaptureEnd", {{"stream", stream}}, [&] {
        expect_given(modelRI, "modelRI");
        const std::shared_ptr<Stream> s = stream_of(stream);
        const std::shared_ptr<Graph> graph = capture_of(*s);
        if (graph->origin != s.get()) throw Refusal{ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, text("the capture began on stream ", graph->origin->number, ", not on ", s->number)};
        if (graph->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && graph->thread != std::this_thread::get_id())
            throw Refusal{ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "the capture was begun by another thread"};
        const Graph::Status status = graph->status();
        const std::shared_ptr<Stream> unjoined = graph->unjoined();
        graph->end();
        {
            const std::scoped_lock lock(models().mutex);
            models().capturing.erase(graph.get());
        }
        release(*s);
        for (const auto& other : graph->joined()) release(*other);
        *modelRI = nullptr;
        if (status == Graph::Status::invalidated) throw Refusal{ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, text("the capture was broken: ", graph->why())};
        if (unjoined)
            throw Refusal{ACL_ERROR_RT_STREAM_UNJOINED, text("stream ", unjoined->number, " took part in the capture; record an event behind its work and let stream ", s->number, " wait for it first")};
        const std::scoped_lock lock(models().mutex);
        *modelRI = graph.get();
        models().models[graph.get()] = {graph};
        return 0;
    });
}

int32_t aclmdlRICaptureGetInfo(void* stream, int32_t* status, void** modelRI) {
    return entry("aclmdlRICaptureGetInfo", {{"stream", stream}}, [&] {
        const std::shared_ptr<Stream> s = stream_of(stream);
        if (status)
            *status = !s->capture.get() ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
                      : s->capture.get()->status() == Graph::Status::active ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
        if (modelRI) *modelRI = s->capture.get().get();
        return 0;
    });
}

int32_t aclmdlRICaptureThreadExchangeMode(int32_t* mode) {
    return entry("aclmdlRICaptureThreadExchangeMode", {}, [&] {
        expect_given(mode, "mode");
        if (*mode < 0 || *mode > 2) throw Refusal{ACL_ERROR_INVALID_PARAM, text("mode: expected 0, 1 or 2, got ", *mode)};
        *mode = exchange_capture_mode(*mode);
        return 0;
    });
}

int32_t aclmdlRICaptureTaskGrpBegin(void* stream) {
    return entry("aclmdlRICaptureTaskGrpBegin", {{"stream", stream}}, [&] {
        const std::shared_ptr<Graph> graph = capture_of(*stream_of(stream));
        if (graph->in_group()) throw Refusal{ACL_ERROR_STREAM_TASK_GROUP_STATUS, "a task group is open already"};
        return graph->begin_group(), 0;
    });
}
int32_t aclmdlRICaptureTaskGrpEnd(void* stream, void** handle) {
    return entry("aclmdlRICaptureTaskGrpEnd", {{"stream", stream}}, [&] {
        expect_given(handle, "handle");
        const std::shared_ptr<Graph> graph = capture_of(*stream_of(stream));
        if (!graph->in_group()) throw Refusal{ACL_ERROR_STREAM_TASK_GROUP_STATUS, "no task group is open"};
        const auto group = graph->end_group();
        const std::scoped_lock lock(models().mutex);
        models().groups[group.get()] = {graph, group};
        *handle = group.get();
        return 0;
    });
}
int32_t aclmdlRICaptureTaskUpdateBegin(void* stream, void* handle) {
    return entry("aclmdlRICaptureTaskUpdateBegin", {{"stream", stream}, {"handle", handle}}, [&] {
        const std::shared_ptr<Stream> s = stream_of(stream);
        const std::scoped_lock lock(models().mutex);
        const auto found = models().groups.find(handle);
        const auto target = found == models().groups.end() ? nullptr : found->second.first.lock();
        if (!target) throw Refusal{ACL_ERROR_INVALID_PARAM, text("handle: expected a task group of a live model, got ", static_cast<const void*>(handle))};
        const std::scoped_lock issuing(s->issuing);
        if (s->capture.get()) throw Refusal{ACL_ERROR_RT_STREAM_CAPTURED, text("stream ", s->number, " is captured already")};
        s->capture.set(std::make_shared<Graph>(*s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
        models().updates[s.get()] = {target, s->capture.get(), *found->second.second};
        return 0;
    });
}
int32_t aclmdlRICaptureTaskUpdateEnd(void* stream) {
    return entry("aclmdlRICaptureTaskUpdateEnd", {{"stream", stream}}, [&] {
        const std::shared_ptr<Stream> s = stream_of(stream);
        const std::scoped_lock lock(models().mutex);
        const auto found = models().updates.find(s.get());
        if (found == models().updates.end()) throw Refusal{ACL_ERROR_STREAM_TASK_GROUP_STATUS, "no update is open on the stream"};
        const Update update = std::move(found->second);
        models().updates.erase(found);
        update.collected->end();
        release(*s);
        if (!update.target->replace(update.group, update.collected->tasks()))
            throw Refusal{ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP, "expected the same tasks as in the group, in number and kind"};
        return 0;
    });
}

int32_t aclmdlRIExecuteAsync(void* modelRI, void* stream) {
    return entry("aclmdlRIExecuteAsync", {{"modelRI", modelRI}, {"stream", stream}}, [&] {
        const std::shared_ptr<Graph> graph = graph_of(modelRI);
        return graph->replay(stream_of(stream)), 0;
    });
}
int32_t aclmdlRIExecute(void* modelRI, int32_t timeout) {
    return entry("aclmdlRIExecute", {{"modelRI", modelRI}, {"timeout", timeout}}, [&] {
        const std::shared_ptr<Graph> graph = graph_of(modelRI);
        const std::shared_ptr<Stream> stream = stream_of(nullptr);
        graph->replay(stream);
        if (!stream->wait(timeout)) throw Refusal{ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, text("the model was not done in ", timeout, " ms")};
        host_knows_all(stream->order);
        return 0;
    });
}
int32_t aclmdlRIDestroy(void* modelRI) {
    return entry("aclmdlRIDestroy", {{"modelRI", modelRI}}, [&] {
        const std::shared_ptr<Graph> graph = graph_of(modelRI);
        if (graph->running()) throw Refusal{ACL_ERROR_RT_MODEL_RUNNING, "the model is still running; wait for its stream first"};
        Model model;
        {
            const std::scoped_lock lock(models().mutex);
            model = models().models.at(modelRI);
            models().models.erase(modelRI);
        }
        if (model.at_end) model.at_end(model.at_end_data);
        return 0;
    });
}
int32_t aclmdlRIDestroyRegisterCallback(void* modelRI, void (*func)(void*), void* userData) {
    return entry("aclmdlRIDestroyRegisterCallback", {{"modelRI", modelRI}}, [&] {
        graph_of(modelRI);
        const std::scoped_lock lock(models().mutex);
        models().models[modelRI].at_end = func;
        models().models[modelRI].at_end_data = userData;
        return 0;
    });
}
int32_t aclmdlRIDestroyUnregisterCallback(void* modelRI, void (*)(void*)) {
    return entry("aclmdlRIDestroyUnregisterCallback", {{"modelRI", modelRI}}, [&] {
        graph_of(modelRI);
        const std::scoped_lock lock(models().mutex);
        models().models[modelRI].at_end = nullptr;
        return 0;
    });
}
int32_t aclmdlRIGetId(void* modelRI, uint32_t* modelRIId) {
    return entry("aclmdlRIGetId", {{"modelRI", modelRI}}, [&] {
        expect_given(modelRIId, "modelRIId");
        *modelRIId = begun_graph_of(modelRI)->number;
        return 0;
    });
}
int32_t aclmdlRISetName(void* modelRI, const char* name) {
    return entry("aclmdlRISetName", {{"modelRI", modelRI}, {"name", name}}, [&] {
        expect_given(name, "name");
        graph_of(modelRI)->name = name;
        return 0;
    });
}
int32_t aclmdlRIGetName(void* modelRI, uint32_t maxLen, char* name) {
    return entry("aclmdlRIGetName", {{"modelRI", modelRI}, {"maxLen", maxLen}}, [&] {
        expect_given(name, "name");
        const std::string known = graph_of(modelRI)->name;
        if (known.size() >= maxLen) throw Refusal{ACL_ERROR_INVALID_PARAM, text("maxLen: expected more than ", known.size(), ", got ", maxLen)};
        std::strcpy(name, known.c_str());
        return 0;
    });
}
int32_t aclmdlRIDebugPrint(void* modelRI) {
    return entry("aclmdlRIDebugPrint", {{"modelRI", modelRI}}, [&] { return std::fprintf(stderr, "%s\n", graph_of(modelRI)->json().c_str()), 0; });
}
int32_t aclmdlRIDebugJsonPrint(void* modelRI, const char* path, uint32_t) {
    return entry("aclmdlRIDebugJsonPrint", {{"modelRI", modelRI}, {"path", path}}, [&] {
        expect_given(path, "path");
        std::FILE* const file = std::fopen(path, "w");
        if (!file) throw Refusal{ACL_ERROR_WRITE_FILE, text("path: cannot write ", path)};
        std::fputs(graph_of(modelRI)->json().c_str(), file);
        std::fclose(file);
        return 0;
    });
}

}  // extern "C"
