// Memory that the host can see: a count on the buffer for as long as somebody holds its address.
#pragma once

#include <utility>

#include "python/errors.hpp"
#include "runtime/queue.hpp"

namespace asnumpy::python {

// While one lives, nothing that touches the buffer is deferred.
class Export {
public:
    explicit Export(BufferPtr buffer) : buffer_(std::move(buffer)) { if (buffer_) ++buffer_->exports; }
    ~Export() { if (buffer_) --buffer_->exports; }
    Export(Export&& o) noexcept : buffer_(std::move(o.buffer_)) {}
    Export(const Export&) = delete;
    Export& operator=(const Export&) = delete;

private:
    BufferPtr buffer_;
};

void create_export_type();
// A Python object that holds an export: the base of the arrays that NumPy is given.
nb::object export_object(const BufferPtr&);

}  // namespace asnumpy::python
