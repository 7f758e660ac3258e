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
    Buffer* buffer() const { return buffer_.get(); }

private:
    BufferPtr buffer_;
};

void create_export_type();
// A Python object that holds an export: the base of the arrays that NumPy is given. It is asked for its memory where somebody says once more
// that such an array may be written.
nb::object export_object(const BufferPtr&, bool writeable);

}  // namespace asnumpy::python
