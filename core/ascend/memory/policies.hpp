// Memory of a device by each of CANN's policies: pools of their own, beside the one of its arrays.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "device/backend.hpp"
#include "device/pool.hpp"

namespace asnumpy::ascend {

// A device whose memory can be asked for by a policy (aclrtMemMallocPolicy).
class PolicyBackend : public Backend {
public:
    using Backend::allocate;
    virtual void* allocate(std::size_t bytes, int policy) = 0;
};

class PolicyPools {
public:
    explicit PolicyPools(PolicyBackend&);
    ~PolicyPools();

    Pool& pool(int policy, Pool& arrays);
    void free_all_blocks() noexcept;

private:
    struct Source;

    PolicyBackend& device_;
    std::mutex mutex_;
    std::map<int, std::unique_ptr<Source>> sources_;
};

}  // namespace asnumpy::ascend
