// Capture and replay.
#include "runtime/graph.hpp"

#include <algorithm>

#include "runtime/device.hpp"
#include "runtime/memory.hpp"
#include "runtime/report.hpp"
#include "runtime/statistics.hpp"

namespace cannsim {
namespace {

std::atomic<int> open_global{0}, open_any{0};
thread_local int thread_mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
thread_local int open_here = 0;  // captures that this thread began and that are not relaxed
std::atomic<std::uint32_t> next_number{1};

}  // namespace

Graph::Graph(Stream& first, int how) : mode(how), thread(std::this_thread::get_id()), origin(&first), number(next_number++) {
    ++open_any;
    open_global += mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    open_here += mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
}

void Graph::add(Stream& stream, Task task) {
    const std::scoped_lock lock(mutex_);
    if (status_ != Status::active) throw Refusal{ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, text("the capture was broken before: ", why_)};
    tasks_.push_back(std::move(task));
    advance(stream);
}

void Graph::advance(const Stream& stream) {
    Clock& known = progress_[stream.number];
    known.raise(stream.number, known.at(stream.number) + 1);
}

Clock Graph::recorded(const Stream& stream) const {
    const std::scoped_lock lock(mutex_);
    const auto found = progress_.find(stream.number);
    return found == progress_.end() ? Clock() : found->second;
}

std::shared_ptr<Stream> Graph::unjoined() const {
    const Clock first = recorded(*origin);
    for (const auto& stream : joined())
        if (first.at(stream->number) < recorded(*stream).at(stream->number)) return stream;
    return nullptr;
}

void Graph::join(Stream& stream, const Clock& recorded) {
    const std::scoped_lock lock(mutex_);
    progress_[stream.number].join(recorded);
    if (&stream == origin) return;
    advance(stream);
    if (std::ranges::none_of(joined_, [&](const auto& one) { return one.lock().get() == &stream; })) joined_.push_back(stream_of(&stream));
}

std::vector<std::shared_ptr<Stream>> Graph::joined() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::shared_ptr<Stream>> result;
    for (const auto& one : joined_)
        if (auto stream = one.lock()) result.push_back(std::move(stream));
    return result;
}

void Graph::invalidate(std::string why) {
    const std::scoped_lock lock(mutex_);
    if (status_ != Status::active) return;
    status_ = Status::invalidated;
    why_ = std::move(why);
}

void Graph::end() {
    --open_any;
    open_global -= mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    if (mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED) open_here = std::max(0, open_here - 1);
    const std::scoped_lock lock(mutex_);
    if (status_ == Status::active) status_ = Status::complete;
}

std::vector<Task> Graph::tasks() const {
    const std::scoped_lock lock(mutex_);
    return tasks_;
}

// The tasks run in the order of their capture, which keeps every order that streams and events gave them.
void Graph::replay(const std::shared_ptr<Stream>& stream) {
    const std::vector<Task> tasks = this->tasks();
    for (const Task& task : tasks)  // the addresses were frozen when the tasks were captured
        for (const Use& use : task.uses) check_device_range(use.address, use.size, use.what);
    const double issued = model_issue();
    for (Task task : tasks) {
        task.cost.replayed = true;
        stream->submit(std::move(task), issued);
    }
    const std::scoped_lock lock(mutex_);
    std::erase_if(replays_, [&](const Replay& one) { return one.stream.lock() == stream || one.stream.expired(); });
    replays_.push_back({stream, stream->position()});
}

bool Graph::running() const {
    const std::scoped_lock lock(mutex_);
    return std::ranges::any_of(replays_, [](const Replay& one) {
        const auto stream = one.stream.lock();
        return stream && !stream->passed(one.end);
    });
}

std::size_t Graph::size() const {
    const std::scoped_lock lock(mutex_);
    return tasks_.size();
}

std::shared_ptr<Graph::Group> Graph::begin_group() {
    const std::scoped_lock lock(mutex_);
    open_group_ = std::make_shared<Group>(Group{tasks_.size(), tasks_.size()});
    return open_group_;
}
std::shared_ptr<Graph::Group> Graph::end_group() {
    const std::scoped_lock lock(mutex_);
    open_group_->last = tasks_.size();
    groups_.push_back(open_group_);
    return std::exchange(open_group_, nullptr);
}
bool Graph::replace(const Group& group, std::vector<Task> tasks) {
    const std::scoped_lock lock(mutex_);
    if (tasks.size() != group.last - group.first) return false;
    for (std::size_t i = 0; i < tasks.size(); ++i)
        if (std::string_view(tasks[i].name) != tasks_[group.first + i].name) return false;
    std::ranges::move(tasks, tasks_.begin() + static_cast<std::ptrdiff_t>(group.first));
    return true;
}

std::string Graph::json() const {
    const std::scoped_lock lock(mutex_);
    std::string result = "[";
    for (const Task& task : tasks_) result += text(result.size() > 1 ? "," : "", "{\"task\":", quoted(task.name), "}");
    return result + "]";
}

void refuse_while_capturing(const Stream& stream, const char* what) {
    if (!open_any) return;
    const std::shared_ptr<Graph> graph = stream.capture.get();
    if (!graph) return;
    graph->invalidate(text(what, " was called during it"));
    throw Refusal{ACL_ERROR_RT_STREAM_CAPTURED, text(what, " is not allowed while the stream is captured")};
}
void refuse_while_capturing(const Device& device, const char* what) {
    if (!open_any) return;
    for (const auto& stream : streams_of(nullptr))
        if (stream->context->device == &device) refuse_while_capturing(*stream, what);
}

void refuse_unsafe_while_capturing(const char* what) {
    const bool forbidden = thread_mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL ? open_global > 0 || open_here > 0
                           : thread_mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL ? open_here > 0 : false;
    if (!forbidden) return;
    for (const auto& one : streams_of(nullptr))
        if (one->capture.get()) one->capture.get()->invalidate(text(what, " was called during it"));
    throw Refusal{ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, text(what, " is not allowed while a stream is captured, in this thread's capture mode")};
}

int exchange_capture_mode(int mode) { return std::exchange(thread_mode, mode); }

}  // namespace cannsim
