// Its graphs are counted, bounded and dropped together with those of programs.
#include "ascend/launch/recurring.hpp"

#include "ascend/launch/device_state.hpp"
#include "base/error.hpp"

namespace asnumpy::ascend {
namespace {

class Recurring final : public RecurringWork {
public:
    explicit Recurring(DeviceState& device) : device_(device) {}
    Recurring(const Recurring&) = delete;
    Recurring& operator=(const Recurring&) = delete;
    ~Recurring() override {
        if (!ended()) device_.graphs.drop_of(owner_);
    }

    bool run(std::span<char* const> addresses, FunctionRef<void(WorkMemory&)> enqueue) override {
        const LaunchKey& key = key_of(owner_, addresses);
        try {
            switch (device_.graphs.recur(key)) {
                case Graphs::Next::done: return true;
                case Graphs::Next::launch: return false;
                case Graphs::Next::capture: return device_.graphs.capture(key, [&](Capture& capture) { enqueue(capture); });
            }
        } catch (const DeviceFailure& failure) {  // a graph that could not be launched was forgotten
            if (!device_.usable() || device_.damage.told(failure)) throw;
        }
        return false;
    }

private:
    DeviceState& device_;
    const std::uint64_t owner_ = new_owner();
};

}  // namespace

std::unique_ptr<RecurringWork> make_recurring_work(DeviceState& device) { return std::make_unique<Recurring>(device); }

}  // namespace asnumpy::ascend
