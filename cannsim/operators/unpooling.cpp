// Values put back to where the largest of windows were found, and the gradient of that.
#include "operators/places.hpp"

namespace cannsim {
namespace {

// The planes of an image and of its larger form; the last axes are the image's.
struct Planes {
    std::int64_t count = 1, small = 1, large = 1;
    Dims shape;  // of the larger form

    Planes(const Call& call, const Tensor& self, const Tensor& indices, int axes) {
        const auto size = call.ints("outputSize");
        call.expect(static_cast<int>(size.size()) == axes, "outputSize", text(axes, " lengths, got ", size.size()));
        call.expect(self.ndim() == axes + 1 || self.ndim() == axes + 2, self.name, text(axes + 1, " or ", axes + 2, " axes, got shape ", self.shape()));
        call.expect_shape(indices, self.shape());
        call.expect(indices.dtype == DType::int32 || indices.dtype == DType::int64, indices.name, text("int32 or int64, got ", asnumpy::name(indices.dtype)));
        for (int axis = 0; axis < self.ndim(); ++axis) {
            const int inner = axis - (self.ndim() - axes);
            (inner < 0 ? count : small) *= self.length(axis);
            shape.push_back(inner < 0 ? self.length(axis) : size[static_cast<std::size_t>(inner)]);
            if (inner >= 0) large *= size[static_cast<std::size_t>(inner)];
        }
        for (const std::string_view name : {"stride", "padding"})
            for (const Parameter& param : call.params)
                if (name == param.name) call.expect(static_cast<int>(call.ints(name).size()) == axes, name, text(axes, " numbers, got ", call.ints(name).size()));
    }
    // f(element of the image, element of the larger form) for those whose index is inside of its plane.
    template <class F> void each(const Array& index, const Indexed& what, F f) const {
        const std::vector<std::int64_t> table = places(index, large, what);
        for (std::size_t i = 0; i < table.size(); ++i)
            if (table[i] >= 0) f(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) / small * large + table[i]);
    }
};

// Copies whole elements, whatever their dtype: out of the image, or back into it.
Work moved(const Call& call, const Planes& planes, const Tensor& indices, const Tensor& from, const Tensor& to, bool outwards) {
    Work work;
    work.operations = static_cast<double>(indices.size());
    work.compute = [=, what = indexed(call, indices)](const Run& run) {
        const auto item = static_cast<std::int64_t>(asnumpy::itemsize(from.dtype));
        const Owned source = contiguous(run[from]), target = make(to.dtype, to.shape());
        std::memset(target.data, 0, static_cast<std::size_t>(target.size() * item));
        planes.each(run[indices], what, [&](std::int64_t small, std::int64_t large) {
            std::memcpy(target.data + (outwards ? large : small) * item, source.data + (outwards ? small : large) * item, static_cast<std::size_t>(item));
        });
        copy(target, run[to]);
    };
    return work;
}

template <int axes> Work plan_unpool(Call& call) {
    const Tensor self = call.tensor("self"), indices = call.tensor("indices"), out = call.tensor(axes == 2 ? "out" : "outRef");
    const Planes planes(call, self, indices, axes);
    call.expect_dtype(out, self.dtype);
    call.expect_shape(out, planes.shape);
    return moved(call, planes, indices, self, out, true);
}
template <int axes> Work plan_unpool_gradient(Call& call) {
    const Tensor grad = call.tensor("gradOutput"), self = call.tensor("self"), indices = call.tensor("indices"), out = call.tensor("out");
    const Planes planes(call, self, indices, axes);
    call.expect_dtype(grad, self.dtype);
    call.expect_dtype(out, self.dtype);
    call.expect_shape(grad, planes.shape);
    call.expect_shape(out, self.shape());
    return moved(call, planes, indices, grad, out, false);
}

const Operators unpooling{
    {"aclnnMaxUnpool2d", plan_unpool<2>},
    {"aclnnMaxUnpool3d", plan_unpool<3>},
    {"aclnnMaxUnpool2dBackward", plan_unpool_gradient<2>},
    {"aclnnMaxUnpool3dBackward", plan_unpool_gradient<3>},
};

}  // namespace
}  // namespace cannsim
