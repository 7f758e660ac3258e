// An array's elements as the host reads them.
#pragma once

#include <optional>

#include "runtime/copies.hpp"
#include "runtime/mirror.hpp"

namespace asnumpy::python {

// Runs what the elements need. Where the host may read the device's memory they are read in place, else from a copy
// that lives as long as this.
class HostRead {
public:
    explicit HostRead(const Array& a) {
        if (a.host_visible()) {
            make_ready(a, Access::read);
            array_ = &a;
        } else {
            copy_ = as_mirrored(a);
            if (!copy_) copy_ = to_host(a);
            array_ = &*copy_;
        }
    }
    HostRead(const HostRead&) = delete;
    HostRead& operator=(const HostRead&) = delete;
    const Array& array() const { return *array_; }
    const char* data() const { return array_->data(); }

private:
    const Array* array_;
    std::optional<Array> copy_;
};

}  // namespace asnumpy::python
