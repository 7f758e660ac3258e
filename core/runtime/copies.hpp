// Arrays from one device to another, by way of the host or directly.
#pragma once

#include <span>
#include <vector>

#include "runtime/queue.hpp"

namespace asnumpy {

// The elements where the host may read them: the array itself, run, where it may already, else a copy of its own.
// A copy has the strides of the original where its elements lie close together, else C order.
Array to_host(const Array&);
// The elements on another device (the array itself where it lies there): in a copy laid out as to_host() does.
// Unless `blocking` it may return before the host's memory was read (Backend::start_upload).
Array moved(const Array&, Pool&, bool blocking = true);
// The value of an array of one element.
Scalar value_of(const Array&);

// The same for who runs the queue: the array's memory has its value.
Array downloaded(const Array&);
// Copies elements of the same dtype and shape, which the host may read, into a device's array. at_once: a failure leaves the
// array as it was.
void upload(const Array& source, const Array& target, bool at_once = false);

// All bytes from the array's first to its last, whatever lies between its elements, and how they overlap: down, and up again.
Array downloaded_range(const Array&);
// The same of several arrays of one device; those that share memory there share it here, so that what is written to one shows in the others.
std::vector<Array> downloaded_together(std::span<const Array>);
// Whether those bytes are not far more than the elements. Then a copy for the caller has the strides of the array, which
// numpy.lib.stride_tricks.as_strided takes from the one and uses on the other.
bool lies_together(const Array&);
void upload_range(const Array& source, const Array& target);

}  // namespace asnumpy
