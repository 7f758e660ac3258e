// Pinned host memory through which copies go, so that the device moves bytes while the host and the device do other work.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "device/stream.hpp"

namespace asnumpy::ascend {

class Context;

// A ring of chunks. A chunk is used again when the copies that were enqueued before the ring moved on have run.
class Staging {
public:
    static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

    explicit Staging(Context& device) : device_(device) {}

    // To be called with the device's mutex held, on the device; copies go to the selected stream.
    void upload(void* to, const void* host, std::size_t bytes);    // the host's bytes are read when it returns
    void download(void* host, const void* from, std::size_t bytes);  // waits for what was enqueued before on the stream
    void release() noexcept;

private:
    struct Chunk {
        char* data = nullptr;
        std::vector<StreamId> streams;                   // whose copies use it, since the ring came by
        std::vector<std::pair<void*, bool>> events;      // after these copies; whether still to be waited for
    };

    char* take(std::size_t bytes);  // pinned memory, at most a chunk, for copies that are enqueued next
    void leave(Chunk&);
    void enter(Chunk&);

    Context& device_;
    std::array<Chunk, 4> chunks_;
    std::array<void*, 2> arrived_{};  // events of a download's pieces
    std::size_t current_ = 0, used_ = 0;
};

}  // namespace asnumpy::ascend
