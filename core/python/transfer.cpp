// Copies between arrays with NumPy's rules of assignment.
#include "python/transfer.hpp"

#include <cstring>
#include <string>

#include "python/errors.hpp"

namespace asnumpy::python {

void assign_array(const Array& destination, const Array& source) {
    if (is_complex(source.dtype) && !is_complex(destination.dtype) && destination.dtype != DType::boolean) {
        expect_to_fit(source.shape(), destination.shape());  // who does not is told that alone
        warn_complex_discarded();
    }
    assign(destination, source);
}

void assign_element(const Array& destination, const Scalar& value) {
    const Buffer& buffer = *destination.buffer;
    if (buffer.pending_writes || buffer.pending_reads || !buffer.materialised() || !buffer.host_visible() || current_trace())
        return assign(destination, value);
    std::memcpy(destination.data(), value.bytes.data(), itemsize(destination.dtype));
}

}  // namespace asnumpy::python
