// Arguments of CANN's operators as Python gives them: by what they are told apart, and how the caller takes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ascend/launch/argument.hpp"
#include "device/hazards.hpp"
#include "ascend/library/operators.hpp"
#include "python/python.hpp"

namespace asnumpy::python {

inline constexpr std::size_t most_parameters = 64;  // of an operator
using Given = std::array<PyObject*, most_parameters>;  // borrowed, by parameter; null: not given

inline bool is_tensor(const cann::Parameter& p) { return p.kind == cann::Kind::tensor || p.kind == cann::Kind::tensors; }
std::size_t place_of(const char* op);  // in cann::operators(); ValueError

// What a call's arguments are, addresses left out: two calls with equal keys pass the same checks and are described alike.
class CallKey {
public:
    // False for what has no place in a key: Python looks at that itself.
    bool add_all(std::size_t count, const Given&);
    bool has_tensors() const { return tensors_; }
    std::uint64_t hash() const;
    bool operator==(const CallKey& o) const { return words_ == o.words_; }

private:
    bool add(PyObject*, bool within_list);
    bool add_array(PyObject*);
    bool add_tensor(PyObject*);
    bool add_text(PyObject*);
    template <class Tag> void tag(Tag what, std::uint64_t more = 0) { words_.push_back(static_cast<std::uint64_t>(what) | more << 8); }

    std::vector<std::uint64_t> words_;
    std::vector<nb::object> held_;  // objects that it has by address
    bool tensors_ = false;
};

// The class asnumpy.cann.Tensor, and what gives the numbers of its formats by name.
void set_tensor_type(nb::handle type, nb::handle formats);
// Checked values as the caller takes them, without addresses; false where it has no words for one.
bool to_arguments(std::span<const cann::Parameter>, const Given& values, std::vector<ascend::Argument>&);
// Runs what is recorded and concerns the arrays, and sets the addresses of all tensors; false where one lies within an item.
bool set_addresses(std::span<const cann::Parameter>, const Given&, std::vector<ascend::Argument>&);
// Bytes as Python names them: (low, high, written).
Use use_of(nb::handle span);
std::vector<Use> uses_of(nb::list spans);
// Appends the tensors whose memory is not an array's.
void keep_foreign(std::size_t count, const Given&, nb::list to);

}  // namespace asnumpy::python
