// The queue: recording, fusing, running. The only place that waits.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/few.hpp"
#include "device/origin.hpp"
#include "program/program.hpp"
#include "runtime/array.hpp"

namespace asnumpy {

// An operand of a call: an array that the caller keeps until the call returns, or a constant.
struct Input {
    const Array* array = nullptr;
    Scalar scalar;

    Input() = default;
    Input(const Array& a) : array(&a) {}
    Input(const Scalar& s) : scalar(s) {}
    bool is_scalar() const { return !array; }
    DType dtype() const { return array ? array->dtype : scalar.dtype; }
};

// What an instruction reads: an array of its own, or a constant.
class Argument {
public:
    Argument(Array&& a) : value_(std::move(a)) {}
    Argument(const Array& a) : value_(a) {}
    Argument(const Scalar& s) : value_(s) {}
    Array* array() { return std::get_if<Array>(&value_); }  // null: a constant
    const Array* array() const { return std::get_if<Array>(&value_); }
    const Scalar* scalar() const { return std::get_if<Scalar>(&value_); }
    DType dtype() const { return array() ? array()->dtype : scalar()->dtype; }

private:
    std::variant<Array, Scalar> value_;
};

enum class Work : std::uint8_t { elementwise, reduction, structured };

constexpr std::size_t most_read = 4;

// One recorded operation. Elementwise: every operand has the shape of the iteration space (broadcast strides 0).
// A reduction's output has stride 0 on reduced axes.
struct Instruction {
    Work work = Work::elementwise;
    RowId row{};
    std::uint16_t loop = 0;
    RowId op{};                       // structured
    std::int64_t axis = 0, option = 0;
    std::array<double, 2> numbers{};
    std::uint64_t reduced = 0;        // reduction: bit i set, axis i of the shape is reduced
    bool on_host = false;             // its device does not compute it
    StreamId on_stream = 0;           // of its device: where the thread that recorded it worked
    Origin origin;                    // where it was recorded, while set_origins() keeps that
    Stream stream;                    // random draws
    Dims shape;                       // the iteration space of elementwise work and reductions
    Few<Argument, most_read> in;
    Few<Array, 2> out;
};

// --- recording. All check shapes and devices (ValueError) and hazards; dtypes are the loop's, casts are inserted.
// Results lie where the inputs lie. ---

// Applies an elementwise row; operands broadcast together and to the outputs. An empty `out` entry (no buffer) gets a
// new array. Overlapping in-place use gives the result of reading all inputs first. Returns the outputs. A 0-d array on the
// host stands for its value beside arrays of a device.
Few<Array, 2> apply(RowId, int loop, std::span<const Input> in, std::span<const Array> out = {});
void apply_to(const Array& out, RowId, int loop, std::span<const Input> in);  // of a row of one output
// dst[...] = src, broadcast and cast (the caller has checked that the cast is allowed).
void assign(const Array& dst, const Input& src);
void expect_to_fit(const Dims& source, const Dims& target);  // what it refuses with a ValueError
Array cast(const Array&, DType);            // always a new array, C order
Array cast_alike(const Array&, DType);      // the same, in the order in which the array lies
// Reduces over the axes of the mask. The caller guarantees that a reduced axis of length 0 has a neutral value.
Array reduce(RowId, int loop, const Array&, std::uint64_t axes, bool keepdims);
Array matmul(const Array& a, const Array& b);             // ndim >= 2 both, same dtype, batch broadcast
Array scan(RowId op, const Array&, int axis);
// A structured row that keeps the first input's shape and dtype, where the device of all inputs offers it; else nothing.
std::optional<Array> offered(RowId, std::span<const Array>, std::int64_t axis, std::int64_t option, std::array<double, 2> numbers);
// A row whose outputs have shapes and dtypes of their own, run before it returns; nothing where the device of all inputs does not
// offer it, or refuses it now, which is noted.
struct Outline {
    Dims shape;
    DType dtype{};
};
std::optional<std::vector<Array>> offered_at_once(RowId, std::span<const Array>, std::span<const Outline>, std::int64_t axis, std::int64_t option);
Array argmax(const Array&, int axis, bool maximum);       // axis < 0: over the flattened array
// The sum of the squares of the differences from the mean of all elements, 0-d; nothing where the device does not compute
// that in one pass: other dtypes, views with gaps, no elements.
std::optional<Array> deviations(const Array&);
// The index is a vector of integers of any dtype; IndexError when out of range (checked at once).
Array take(const Array&, const Array& index, int axis);
void scatter(const Array& dst, const Array& index, const Array& src, int axis);
Array compress(const Array& flat, const Array& mask);
Array flatnonzero(const Array& mask);
// Elements of a vector to where the mask is true; false, and nothing written, where their numbers differ or it takes another way.
bool place(const Array& vector, const Array& mask, const Array& source);
Array bincount(const Array& index, std::int64_t length);
// Random numbers into `out`, which is C-contiguous; parameters are broadcast to its shape. The dtypes are the row's.
void draw(RowId, const Stream&, std::span<const Array> parameters, const Array& out, std::int64_t option);
// One random number, at once; the parameters are of the row's dtypes, and so is what it returns.
Scalar draw_one(RowId, const Stream&, std::span<const Scalar> parameters);

// --- running ---

// Runs everything that is recorded. What fails, and what depends on it, stays recorded, unless its device is gone for
// good; all else runs. Then the
// first failure is rethrown, or, when one buffer was wanted, only a failure that keeps that buffer from its value.
void flush(const Buffer* wanted = nullptr);
// Runs only what has to run before the array has its value. What else is recorded stays so.
void flush_for(const Array&);
enum class Access : std::uint8_t { read, write };
// Afterwards the array's memory exists and nothing recorded conflicts with the host touching it in this way.
void make_ready(const Array&, Access = Access::write);
// What is pending (for this array when given).
struct Explanation {
    std::string text;
    std::vector<Program> programs;  // without structured operations
};
Explanation explain(const Array*);
bool pending(const Array&);

void set_eager(bool);                 // run every operation at once (ASNUMPY_EAGER)
bool eager();
void set_eager_size(std::int64_t elements);  // arrays up to this size run at once when nothing they need is pending
std::int64_t eager_size();
std::size_t pending_count();
void set_origins(bool);               // note for each instruction the line that records it: for failures, and for who watches the trace
// What the interpreter asks of the queue; set once by core/python.
struct Host {
    std::function<void()> check_interrupt;                            // between programs; may throw Interrupted
    std::function<void(const std::function<void()>&)> without_lock;   // calls its argument with the GIL released
    std::function<void(const std::string&)> report = {};              // warns the user; the caller holds the GIL
    std::function<void(bool wait)> compile = {};                      // makes the code that is wanted (cpu/code.hpp), before it returns or beside the program
    std::function<Origin()> origin = {};                              // the line of the user's program that is being run; likewise
};
void set_host(Host);
void without_lock(const std::function<void()>&);
void report(const std::string&);
// Around fork(): no flush is under way between the two, so that the child's queue is whole.
void lock_for_fork();
void unlock_after_fork();
void forget_lost_work();              // in the child: what is recorded for devices that it cannot use

}  // namespace asnumpy
