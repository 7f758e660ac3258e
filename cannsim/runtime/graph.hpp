// Captured work: the tasks of one or several streams, in the order of their issue, to be run again.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/stream.hpp"

namespace cannsim {

struct Device;

class Graph : public std::enable_shared_from_this<Graph> {
public:
    enum class Status { active, complete, invalidated };

    Graph(Stream& origin, int mode);
    void add(Stream&, Task);
    void join(Stream&, const Clock& recorded);  // another stream takes part, or waits, through an event
    Clock recorded(const Stream&) const;        // what an event captures
    // Whose last work, or beginning, no event has brought back to the first stream; null: none.
    std::shared_ptr<Stream> unjoined() const;
    void invalidate(std::string why);
    void end();
    void replay(const std::shared_ptr<Stream>&);  // issues all tasks on the stream, by one call of the host
    bool running() const;

    const int mode;
    const std::thread::id thread;
    Stream* const origin;
    const std::uint32_t number;
    std::string name;

    Status status() const { return status_; }
    std::string why() const { return why_; }
    std::size_t size() const;
    std::vector<std::shared_ptr<Stream>> joined() const;
    std::string json() const;
    std::vector<Task> tasks() const;

    struct Group {
        std::size_t first = 0, last = 0;
    };
    std::shared_ptr<Group> begin_group();
    std::shared_ptr<Group> end_group();
    bool in_group() const { return open_group_ != nullptr; }
    bool replace(const Group&, std::vector<Task>);

private:
    void advance(const Stream&);  // a task more, under the lock

    mutable std::mutex mutex_;
    std::atomic<Status> status_{Status::active};
    std::string why_;
    std::vector<Task> tasks_;
    std::vector<std::weak_ptr<Stream>> joined_;
    std::map<std::uint32_t, Clock> progress_;  // of each stream by its number: what of the capture lies before its next task
    std::vector<std::shared_ptr<Group>> groups_;
    std::shared_ptr<Group> open_group_;
    struct Replay {
        std::weak_ptr<Stream> stream;
        std::uint64_t end;  // the stream's position behind it
    };
    std::vector<Replay> replays_;  // the last on each stream
};

// What calls may not do while a capture is under way: refused, and the capture is broken.
void refuse_while_capturing(const Stream&, const char* what);  // sync or query of a captured stream
void refuse_while_capturing(const Device&, const char* what);  // or of a device with one
void refuse_unsafe_while_capturing(const char* what);       // aclrtMemcpy and the like, by the thread's mode
int exchange_capture_mode(int mode);

}  // namespace cannsim
