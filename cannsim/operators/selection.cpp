// Operators whose result's shape depends on data.
#include "aclnn/strided.hpp"

namespace cannsim {
namespace {

// out holds the most that can be; its view gets the number found. A number has no axes, so its positions need no memory.
Work plan_nonzero(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const int ndim = self.ndim();
    call.expect(out.length(1) == ndim && (!ndim || out.length(0) >= self.size()), "out", text("at least (", self.size(), ", ", ndim, "), got ", out.shape()));
    Work work;
    work.late_shapes = true;
    work.compute = [=](const Run& run) {
        const Owned truth = contiguous(run[self], DType::boolean);
        const Array target = run[out];
        std::int64_t found = 0;
        Dims index(ndim);
        for (std::int64_t i = 0; i < truth.size(); ++i) {
            if (truth.as<unsigned char>()[i]) {
                for (int axis = 0; axis < ndim; ++axis)
                    *reinterpret_cast<std::int64_t*>(target.data + found * ndim * 8 + axis * 8) = index[axis];
                ++found;
            }
            for (int axis = ndim - 1; axis >= 0 && ++index[axis] == truth.shape[axis]; --axis) index[axis] = 0;
        }
        run.set_shape(out, Dims{found, ndim});
    };
    return work;
}

const Operators selection{
    {"aclnnNonzero", plan_nonzero},
};

}  // namespace
}  // namespace cannsim
