// What every backend gets for nothing: copies of a device whose memory the host may touch, events of one that is always done.
#include "device/backend.hpp"

#include <chrono>
#include <cstring>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"

namespace asnumpy {

namespace {

// When everything is done at once, a point in the work is a moment.
class Moment final : public Event {
public:
    void record(StreamId) override { time_ = std::chrono::steady_clock::now(); }
    void wait(StreamId) override {}
    void synchronize() override {}
    bool done() override { return true; }
    double milliseconds_since(Event& start) override {
        return std::chrono::duration<double, std::milli>(time_ - static_cast<Moment&>(start).time_).count();
    }

private:
    std::chrono::steady_clock::time_point time_;
};

}  // namespace

void Backend::upload(void* to, const void* host, std::size_t bytes) { copy_bytes(static_cast<char*>(to), static_cast<const char*>(host), bytes); }

void Backend::download(void* host, const void* from, std::size_t bytes) { copy_bytes(static_cast<char*>(host), static_cast<const char*>(from), bytes); }

void Backend::copy_from(Backend& source, void* to, const void* from, std::size_t bytes) {
    std::vector<char> staged(bytes);
    source.download(staged.data(), from, bytes);
    upload(to, staged.data(), bytes);
}

std::unique_ptr<Event> Backend::make_event(bool) { return std::make_unique<Moment>(); }
void Backend::run_stages(const Stages&, std::int64_t) { throw RuntimeFailure(name() + ": asked for lines of programs, which it runs one after another"); }

}  // namespace asnumpy
