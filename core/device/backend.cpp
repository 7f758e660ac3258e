// What every backend gets for nothing: copies of a device whose memory the host may touch, events of one that is always done.
#include "device/backend.hpp"

#include <chrono>
#include <cstring>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "device/trace.hpp"

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

std::uint64_t traffic_of(const StructuredCall& call) {
    std::uint64_t bytes = 0;
    for (const auto* side : {&call.in, &call.out})
        for (const Tensor& t : *side)
            if (!t.constant) bytes += static_cast<std::uint64_t>(count(t.shape)) * itemsize(t.dtype);
    return bytes;
}

void describe(trace::Span& span, const StructuredCall& call) {
    if (!span.listening()) return;
    span.set_bytes(traffic_of(call));
    span.set_detail(call.in.empty() ? std::string() : to_string(call.in[0].shape) + " " + std::string(name(call.in[0].dtype)));
}

void Backend::upload(void* to, const void* host, std::size_t bytes) { copy_bytes(static_cast<char*>(to), static_cast<const char*>(host), bytes); }

void Backend::download(void* host, const void* from, std::size_t bytes) { copy_bytes(static_cast<char*>(host), static_cast<const char*>(from), bytes); }

void Backend::copy_from(Backend& source, void* to, const void* from, std::size_t bytes) {
    std::vector<char> staged(bytes);
    source.download(staged.data(), from, bytes);
    upload(to, staged.data(), bytes);
}

std::unique_ptr<Event> Backend::make_event(bool) { return std::make_unique<Moment>(); }
void Backend::run_stages(const Stages&, const StagesWay&) { throw RuntimeFailure(name() + ": asked for lines of programs, which it runs one after another"); }

}  // namespace asnumpy
