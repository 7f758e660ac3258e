// An event is CANN's own, and remembers what its stream knew when it was recorded: who waits for it knows that, too.
#include "ascend/library/event.hpp"

#include <mutex>

#include "ascend/library/cann.hpp"
#include "ascend/library/context.hpp"
#include "ascend/library/options.hpp"
#include "base/error.hpp"

namespace asnumpy::ascend {
namespace {

class AscendEvent final : public Event {
public:
    AscendEvent(Context& device, bool timed)
        : device_(device), flags_(Streams::waits | (timed ? static_cast<std::uint32_t>(cann::ACL_EVENT_TIME_LINE) : 0)) {}

    void record(StreamId stream) override {
        const Enqueuing enqueuing(device_);
        // Who waits for the event it was keeps that one, and so does a stream where an event cannot be recorded again.
        if (!event_ || !Streams::extended()) event_ = std::make_shared<Held>(device_, flags_);
        device_.check(cann().aclrtRecordEvent(event_->handle, device_.streams.handle(stream)), "aclrtRecordEvent");
        known_ = device_.streams.snapshot(stream);
        stream_ = stream;
    }

    void wait(StreamId stream) override {
        const Enqueuing enqueuing(device_);
        device_.check(cann().aclrtStreamWaitEvent(device_.streams.handle(stream), recorded()), "aclrtStreamWaitEvent");
        device_.streams.learn(stream, known_);
    }

    void synchronize() override {
        const std::shared_ptr<Held> event = held();
        const OnDevice here(device_);
        device_.check(synchronize_event(event->handle), "aclrtSynchronizeEvent");
        device_.tell_of_copies(stream_);
    }

    bool done() override {
        const std::shared_ptr<Held> event = held();
        const OnDevice here(device_);
        std::int32_t status = cann::ACL_EVENT_RECORDED_STATUS_NOT_READY;
        device_.check(cann().aclrtQueryEventStatus(event->handle, &status), "aclrtQueryEventStatus");
        if (status != cann::ACL_EVENT_RECORDED_STATUS_COMPLETE) return false;
        device_.tell_of_copies(stream_);
        return true;
    }

    double milliseconds_since(Event& start) override {
        auto& from = static_cast<AscendEvent&>(start);
        from.synchronize();
        synchronize();
        const std::shared_ptr<Held> first = from.held(), last = held();
        const OnDevice here(device_);
        float milliseconds = 0;
        device_.check(cann().aclrtEventElapsedTime(&milliseconds, first->handle, last->handle), "aclrtEventElapsedTime");
        return milliseconds;
    }

private:
    struct Held {
        Held(Context& d, std::uint32_t flags) : device(d), handle(d.streams.make_event(flags)) {}
        ~Held() { device.streams.destroy_event(handle); }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;
        Context& device;
        void* handle;
    };

    void* recorded() const {
        if (!event_) throw RuntimeFailure("Event: it was not recorded");
        return event_->handle;
    }
    std::shared_ptr<Held> held() {
        device_.expect_usable();
        const std::lock_guard lock(device_.mutex);
        static_cast<void>(recorded());
        return event_;
    }

    Context& device_;
    std::uint32_t flags_;
    std::shared_ptr<Held> event_;
    Clock known_;
    StreamId stream_ = 0;
};

}  // namespace

std::unique_ptr<Event> make_event(Context& device, bool timed) { return std::make_unique<AscendEvent>(device, timed); }

}  // namespace asnumpy::ascend
