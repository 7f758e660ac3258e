// Masks: elements filled, selected, scattered where a mask is true; the places of what is not zero; membership of a scalar.
#include "aclnn/elementwise.hpp"
#include "operators/places.hpp"

namespace cannsim {
namespace {

Array array_of(const asnumpy::Scalar& value) { return {const_cast<std::byte*>(value.bytes.data()), value.dtype, {}, {}}; }

// The mask as bytes 0 and 1 in the shape, in C order.
Owned truth(const Array& mask, const Dims& shape) { return contiguous(broadcast_to(mask, shape), DType::boolean); }

template <class Value> Work fill_masked(const Call& call, Value value) {
    const Tensor self = call.tensor("selfRef"), mask = call.tensor("mask");
    call.expect(call.broadcast({&self, &mask}) == self.shape(), "mask", text("a shape that broadcasts to ", self.shape(), ", got ", mask.shape()));
    Work work;
    work.compute = [=](const Run& run) {
        const Owned where = truth(run[mask], self.shape()), one = make(self.dtype, Dims{});
        copy(value(run), one);
        const Dense to(run[self]);
        const std::size_t item = asnumpy::itemsize(self.dtype);
        for (std::int64_t i = 0; i < where.size(); ++i)
            if (where.data[i] != std::byte{0}) std::memcpy(to.data() + static_cast<std::size_t>(i) * item, one.data, item);
        to.store();
    };
    return work;
}
Work plan_fill_scalar(Call& call) {
    return fill_masked(call, [value = call.scalar("value")](const Run&) { return array_of(value); });
}
Work plan_masked_fill_tensor(Call& call) {
    return fill_masked(call, [value = call.tensor("value")](const Run& run) { return run[value]; });
}

// out gets at most as many elements as it has; its view gets the number found.
Work plan_masked_select(Call& call) {
    const Tensor self = call.tensor("self"), mask = call.tensor("mask"), out = call.tensor("out");
    const Dims shape = call.broadcast({&self, &mask});
    const std::int64_t most = asnumpy::count(shape);
    call.expect_dtype(out, self.dtype);
    call.expect(out.ndim() == 1 && out.size() >= most, "out", text("one axis of at least ", most, " elements, got shape ", out.shape()));
    Work work;
    work.late_shapes = true;
    work.compute = [=](const Run& run) {
        const Owned where = truth(run[mask], shape), values = contiguous(broadcast_to(run[self], shape));
        const std::size_t item = asnumpy::itemsize(self.dtype);
        std::byte* to = run[out].data;
        std::int64_t found = 0;
        for (std::int64_t i = 0; i < where.size(); ++i) {
            if (where.data[i] == std::byte{0}) continue;
            std::memcpy(to, values.data + static_cast<std::size_t>(i) * item, item);
            to += item;
            ++found;
        }
        run.set_shape(out, Dims{found});
    };
    return work;
}

// The elements where the mask is true get the source's first ones in order.
Work plan_masked_scatter(Call& call) {
    const Tensor self = call.tensor("selfRef"), mask = call.tensor("mask"), source = call.tensor("source");
    call.expect(call.broadcast({&self, &mask}) == self.shape(), "mask", text("a shape that broadcasts to ", self.shape(), ", got ", mask.shape()));
    call.expect_dtype(source, self.dtype);
    Work work;
    work.compute = [=, op = std::string(call.facts.name)](const Run& run) {
        const Owned where = truth(run[mask], self.shape()), values = contiguous(run[source]);
        const Dense to(run[self]);
        const std::size_t item = asnumpy::itemsize(self.dtype);
        std::int64_t used = 0;
        for (std::int64_t i = 0; i < where.size(); ++i) {
            if (where.data[i] == std::byte{0}) continue;
            if (used == values.size()) {
                note(Fault::out_of_bounds, text(op, ": source: expected an element for each true one of the mask, got ", values.size()));
                break;
            }
            std::memcpy(to.data() + static_cast<std::size_t>(i) * item, values.data + static_cast<std::size_t>(used++) * item, item);
        }
        to.store();
    };
    return work;
}

// A column per element that is not zero.
Work plan_nonzero_columns(Call& call) {
    const Tensor self = call.tensor("self"), out = call.tensor("out");
    const int ndim = self.ndim();
    call.expect(out.ndim() == 2 && out.length(0) == ndim && out.length(1) >= self.size(), "out",
                text("at least (", ndim, ", ", self.size(), "), got ", out.shape()));
    Work work;
    work.late_shapes = true;
    work.compute = [=](const Run& run) {
        const Owned where = truth(run[self], self.shape());
        std::vector<std::int64_t> found;
        for (std::int64_t i = 0; i < where.size(); ++i)
            if (where.data[i] != std::byte{0}) found.push_back(i);
        auto* const to = run[out].as<std::int64_t>();
        const std::size_t n = found.size();
        for (int axis = ndim - 1; axis >= 0; --axis)
            for (std::size_t i = 0; i < n; ++i) {
                to[static_cast<std::size_t>(axis) * n + i] = found[i] % self.length(axis);
                found[i] /= self.length(axis);
            }
        run.set_shape(out, Dims{ndim, static_cast<std::int64_t>(n)});
    };
    return work;
}

// Which elements equal the scalar, in the dtype to which both promote.
Work membership(const Call& call, std::string_view tensor, std::string_view scalar, bool any) {
    const Tensor elements = call.tensor(tensor), out = call.tensor("out");
    const asnumpy::Scalar value = call.scalar(scalar);
    const bool invert = call.flag("invert");
    const DType common = call.promote(elements.dtype, value.dtype, scalar);
    if (any) call.expect(out.size() == 1, "out", text("one element, got shape ", out.shape()));
    else call.expect_shape(out, elements.shape());
    Work work;
    work.compute = [=](const Run& run) {
        const Owned values = contiguous(run[elements], common), wanted = make(common, Dims{}), result = make(DType::boolean, any ? out.shape() : elements.shape());
        copy(array_of(value), wanted);
        bool met = false;
        cannsim::dispatch(common, [&]<class T>() {
            const T one = wanted.as<T>()[0];
            for (std::int64_t i = 0; i < values.size(); ++i) {
                const bool equal = values.as<T>()[i] == one;
                met |= equal;
                if (!any) result.as<bool>()[i] = equal != invert;
            }
        });
        if (any) result.as<bool>()[0] = met != invert;
        copy(result, run[out]);
    };
    return work;
}

Work plan_where(Call& call) {
    const Tensor condition = call.tensor("condition"), self = call.tensor("self"), other = call.tensor("other"), out = call.tensor("out");
    const DType common = call.promote(self.dtype, other.dtype, "other");
    Pipeline p(call);
    p.out(p.apply("where", p.in(condition, DType::boolean), p.in(self, common), p.in(other, common)), out);
    return p.work();
}

const Operators masking{
    {"aclnnSWhere", plan_where},
    {"aclnnInplaceMaskedFillScalar", plan_fill_scalar},
    {"aclnnInplaceMaskedFillTensor", plan_masked_fill_tensor},
    {"aclnnMaskedSelect", plan_masked_select},
    {"aclnnInplaceMaskedScatter", plan_masked_scatter},
    {"aclnnNonzeroV2", plan_nonzero_columns},
    {"aclnnIsInTensorScalar", [](Call& call) { return membership(call, "element", "testElement", false); }},
    {"aclnnIsInScalarTensor", [](Call& call) { return membership(call, "testElements", "element", true); }},
};

}  // namespace
}  // namespace cannsim
