// Devices, contexts, and the handles of streams and events: who exists, and what is current in this thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/stream.hpp"

namespace cannsim {

struct Context;

struct Device {
    int id = 0;
    int references = 0;  // aclrtSetDevice less aclrtResetDevice
    std::shared_ptr<Context> default_context;
    std::atomic<std::uint64_t> peers = 0;  // a bit per device that it may access; threads enable access while others copy
};

struct Context {
    Device* device = nullptr;
    bool is_default = false;
    std::shared_ptr<Stream> default_stream;
    std::map<int, std::int64_t> options;  // aclrtCtxSetSysParamOpt
};

int device_count();
Device& device(int id);  // Refusal for an id out of range
// The thread's context; Refusal 107002 when it has none, the device's code when that is lost.
Context& current_context();
Context* current_context_or_null();
void set_current_context(Context*);

// Each handle given to a client; look-ups refuse what is not, or no longer, one.
Context& context_of(void* handle);
// null: the current context's default stream. Refusal 107003 for a stream of another context than the thread's.
std::shared_ptr<Stream> stream_of(void* handle);
std::shared_ptr<Event> event_of(void* handle);

Stream* create_stream(Context&, std::uint32_t priority, std::uint32_t flags, bool is_default = false);
void destroy_stream(void* handle, bool at_once);
Event* create_event(std::uint32_t flags, bool extended);
void destroy_event(void* handle);
std::vector<std::shared_ptr<Stream>> streams_of(const Context*);  // of all contexts for null
std::size_t stream_count(int device_id);
std::size_t event_count();

Context* create_context(int device_id, bool is_default);
void destroy_context(Context&);
// Takes the device's contexts, streams apart; waits for their work unless at_once.
void release_device(Device&, bool at_once);
std::recursive_mutex& device_changes();  // held while devices are set and reset
bool is_owed(const Stream&);       // the client should destroy it; nobody can on a lost device
std::size_t release_everything();  // gives the number of streams that the client should have destroyed

// The code of what went wrong on the stream since the last wait, told once.
int take_error(Stream&);         // the failure that is told now, 0: none
std::string told_of(const Stream&);  // what is said of it

}  // namespace cannsim
