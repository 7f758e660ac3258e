// Copies between arrays with NumPy's rules of assignment.
#include "python/transfer.hpp"

#include <cstring>
#include <string>

#include "python/errors.hpp"

namespace asnumpy::python {

void assign_array(const Array& destination, const Array& source) {
    Array from = source;
    while (from.ndim() > destination.ndim() && from.shape()[0] == 1) {
        View tail;
        tail.offset = from.view.offset;
        for (int i = 1; i < from.ndim(); ++i) {
            tail.shape.push_back(from.view.shape[i]);
            tail.strides.push_back(from.view.strides[i]);
        }
        from.view = std::move(tail);
    }
    const Dims &to = destination.shape(), &have = from.shape();
    bool fits = have.size() <= to.size();
    for (int i = 0; fits && i < have.size(); ++i) {
        const std::int64_t length = have[have.size() - 1 - i];
        fits = length == 1 || length == to[to.size() - 1 - i];
    }
    if (!fits)
        throw ValueError("could not broadcast input array from shape " + to_string(source.shape()) + " into shape " + to_string(to));
    if (is_complex(from.dtype) && !is_complex(destination.dtype) && destination.dtype != DType::boolean) warn_complex_discarded();
    assign(destination, from);
}

void assign_element(const Array& destination, const Scalar& value) {
    const Buffer& buffer = *destination.buffer;
    if (buffer.pending_writes || buffer.pending_reads || !buffer.materialised() || !buffer.host_visible() || current_trace())
        return assign(destination, value);
    std::memcpy(destination.data(), value.bytes.data(), itemsize(destination.dtype));
}

}  // namespace asnumpy::python
