// What every backend gets for nothing: copies of a device whose memory the host may touch.
#include "device/backend.hpp"

#include <cstring>

#include "base/error.hpp"

namespace asnumpy {

void Backend::upload(void* to, const void* host, std::size_t bytes) { std::memcpy(to, host, bytes); }

void Backend::download(void* host, const void* from, std::size_t bytes) { std::memcpy(host, from, bytes); }

void Backend::copy_from(Backend& source, void* to, const void* from, std::size_t bytes) {
    std::vector<char> staged(bytes);
    source.download(staged.data(), from, bytes);
    upload(to, staged.data(), bytes);
}

void Backend::run_stages(const Stages&, std::int64_t) { throw RuntimeFailure(name() + ": asked for rows of programs, which it runs one after another"); }

}  // namespace asnumpy
