// Recordings as Python holds them, and what of a call's arguments one depends on, as bytes that can be compared.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "python/python.hpp"
#include "runtime/replay.hpp"

namespace asnumpy::python {

struct PyReplay {
    std::shared_ptr<Replay> replay;
};
inline const std::shared_ptr<Replay>& replay_of(nb::handle object) { return nb::inst_ptr<PyReplay>(object)->replay; }

// The array has no memory any more: whoever asks for its elements gets a RuntimeError.
void give_up(PyObject* array);

inline void append_word(std::string& key, std::int64_t word) { key.append(reinterpret_cast<const char*>(&word), sizeof word); }

// An array: its layout, dtype, device and stream; its buffer by the first argument that has it, and where in it.
void append_array(std::string& key, const Array&, bool number, bool writeable, std::span<const Array> before);
// A value that is known by its type and few bytes (None, truths, ints; a float is an argument, and its value none of the key's);
// false: it is another one.
bool append_value(std::string& key, PyObject*);

}  // namespace asnumpy::python
