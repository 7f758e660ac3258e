// Functions of the host that streams call.
#include <condition_variable>
#include <deque>
#include <functional>
#include <unordered_map>

#include <pthread.h>

#include "api/place.hpp"
#include "base/immortal.hpp"
#include "runtime/device.hpp"

using namespace cannsim;

namespace {

using Function = void (*)(void*);

// What waits for a thread that runs callbacks.
struct Reports {
    std::deque<std::function<void()>> waiting;
    int streams = 0;
};
struct Desk {
    std::mutex mutex;
    std::condition_variable arrived;
    std::unordered_map<std::uint64_t, Reports> threads;
};
Desk& desk() {
    static asnumpy::Immortal<Desk> instance;
    return *instance;
}

void expect_thread(std::uint64_t thread) {
    if (!thread) throw Refusal{ACL_ERROR_INVALID_PARAM, "threadId: expected the thread that runs callbacks, got 0"};
}

int subscribe(const char* function, std::uint64_t thread, void* handle) {
    return entry(function, {{"threadId", thread}, {"stream", handle}}, [&] {
        expect_thread(thread);
        const std::shared_ptr<Stream> stream = stream_of(handle);
        const std::scoped_lock lock(desk().mutex);
        if (stream->subscriber) throw Refusal{ACL_ERROR_RT_STREAM_SUBSCRIBE, text("stream ", stream->number, " has a thread already")};
        stream->subscriber = thread;
        ++desk().threads[thread].streams;
        return 0;
    });
}

int unsubscribe(const char* function, std::uint64_t thread, void* handle) {
    return entry(function, {{"threadId", thread}, {"stream", handle}}, [&] {
        const std::shared_ptr<Stream> stream = stream_of(handle);
        const std::scoped_lock lock(desk().mutex);
        if (stream->subscriber != thread) throw Refusal{ACL_ERROR_RT_STREAM_NO_CB_REG, text("stream ", stream->number, " is not subscribed by thread ", thread)};
        stream->subscriber = 0;
        if (--desk().threads[thread].streams == 0) desk().threads.erase(thread);
        return 0;
    });
}

// Runs one callback that waits for this thread.
int process(const char* function, std::int32_t timeout) {
    return entry(function, {{"timeout", timeout}}, [&] {
        Desk& d = desk();
        const auto self = static_cast<std::uint64_t>(pthread_self());
        std::unique_lock lock(d.mutex);
        // A thread may begin to wait before its streams are subscribed.
        const auto ready = [&] {
            const auto found = d.threads.find(self);
            return found != d.threads.end() && !found->second.waiting.empty();
        };
        if (timeout < 0) d.arrived.wait(lock, ready);
        else if (!d.arrived.wait_for(lock, std::chrono::milliseconds(timeout), ready)) {
            const bool known = d.threads.contains(self);
            throw Refusal{known ? ACL_ERROR_WAIT_CALLBACK_TIMEOUT : ACL_ERROR_THREAD_NOT_SUBSCRIBE,
                          known ? text("no callback came in ", timeout, " ms") : std::string("the thread has no stream's callbacks to run")};
        }
        const std::function<void()> report = std::move(d.threads[self].waiting.front());
        d.threads[self].waiting.pop_front();
        lock.unlock();
        report();
        return 0;
    });
}

void call_back(Function fn, void* data) {
    in_callback = true;
    fn(data);
    in_callback = false;
}

int launch_here(const char* function, void* handle, Function fn, void* data) {
    return entry(function, {{"stream", handle}}, [&] {
        expect_given(reinterpret_cast<const void*>(fn), "fn");
        Task task;
        task.name = function;
        task.run = [fn, data] { return call_back(fn, data), 0; };
        return stream_of(handle)->submit(std::move(task)), 0;
    });
}

}  // namespace

extern "C" {

int32_t aclrtSubscribeReport(uint64_t threadId, void* stream) { return subscribe("aclrtSubscribeReport", threadId, stream); }
int32_t aclrtUnSubscribeReport(uint64_t threadId, void* stream) { return unsubscribe("aclrtUnSubscribeReport", threadId, stream); }
int32_t aclrtProcessReport(int32_t timeout) { return process("aclrtProcessReport", timeout); }
int32_t aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, void* exeStream) { return subscribe("aclrtSubscribeHostFunc", hostFuncThreadId, exeStream); }
int32_t aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, void* exeStream) { return unsubscribe("aclrtUnSubscribeHostFunc", hostFuncThreadId, exeStream); }
int32_t aclrtProcessHostFunc(int32_t timeout) { return process("aclrtProcessHostFunc", timeout); }

int32_t aclrtLaunchCallback(void (*fn)(void*), void* userData, int32_t blockType, void* stream) {
    return entry("aclrtLaunchCallback", {{"blockType", blockType}, {"stream", stream}}, [&] {
        expect_given(reinterpret_cast<const void*>(fn), "fn");
        if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK) throw Refusal{ACL_ERROR_INVALID_PARAM, text("blockType: expected 0 or 1, got ", blockType)};
        const std::shared_ptr<Stream> s = stream_of(stream);
        const std::uint64_t thread = s->subscriber;
        if (!thread) throw Refusal{ACL_ERROR_RT_STREAM_NO_CB_REG, text("stream ", s->number, " has no thread; call aclrtSubscribeReport first")};
        Task task;
        task.name = "aclrtLaunchCallback";
        task.run = [=] {
            auto passed = std::make_shared<Recording>();
            {
                const std::scoped_lock lock(desk().mutex);
                desk().threads[thread].waiting.push_back([=] {
                    call_back(fn, userData);
                    passed->finish();
                });
            }
            desk().arrived.notify_all();
            if (blockType == ACL_CALLBACK_BLOCK) passed->wait(-1);
            return 0;
        };
        return s->submit(std::move(task)), 0;
    });
}
int32_t aclrtLaunchHostFunc(void* stream, void (*fn)(void*), void* args) { return launch_here("aclrtLaunchHostFunc", stream, fn, args); }

}  // extern "C"
