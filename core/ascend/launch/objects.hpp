// Objects of CANN's, made from arguments.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ascend/launch/argument.hpp"
#include "ascend/library/operators.hpp"
#include "cann/abi.hpp"

struct aclTensor;
struct aclScalar;

namespace asnumpy::ascend {

// Those of one call; destroyed with this.
class Objects {
public:
    Objects() = default;
    Objects(Objects&& o) noexcept : made_(std::move(o.made_)), tensors_(std::move(o.tensors_)) { o.made_.clear(); }
    Objects& operator=(Objects&& o) noexcept;
    ~Objects() { destroy(); }
    void destroy() noexcept;

    // The argument as a value for the first phase. RuntimeFailure names the operator and the parameter where they do not fit.
    cann::Value make(const Operator&, std::size_t parameter, const Argument&);
    std::span<aclTensor* const> tensors() const { return tensors_; }  // single ones, with null for those not given

private:
    struct Made {
        void* object;
        cann::Kind kind;
    };
    template <class T> T* keep(T* object, cann::Kind, const char* function);
    aclTensor* make_tensor(const Operator&, std::size_t parameter, const Tensor&, std::int32_t format = cann::ACL_FORMAT_ND);

    std::vector<Made> made_;
    std::vector<aclTensor*> tensors_;
};

// "self=float32(3, 4), other=float32(4,), alpha=1"
std::string text_of(const Operator&, std::span<const Argument>);

}  // namespace asnumpy::ascend
