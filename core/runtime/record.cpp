// Recording elementwise work: broadcasting, casts, overlap, and the short way for small arrays.
#include "runtime/record.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/order.hpp"
#include "runtime/copies.hpp"
#include "runtime/fallback.hpp"
#include "runtime/mirror.hpp"
#include "runtime/outlook.hpp"
#include "runtime/overlap.hpp"
#include "runtime/single.hpp"

namespace asnumpy {

namespace {

[[noreturn]] void raise_two_devices(const Instruction& i, const Pool& one, const Pool& other) {
    const std::string first = one.backend().name(), second = other.backend().name();
    throw ValueError(std::string(row(i.row).name) + ": its arrays lie on two devices, " + first + " and " + second + "; move one to the other: a.to_device(\"" +
                     (one.host_visible() ? second : first) + "\")");
}

constexpr std::int64_t splatted_at_once = 512;

// Where NumPy's order='K' would put a result beside these inputs and the outputs that are given.
Array new_output(const Signature& signature, const Dims& shape, DType dtype, std::span<const Input> in, std::span<const Array> out, Pool& pool) {
    if (shape.size() < 2) return new_array(shape, dtype, pool);
    Few<OrderedOperand, 5> operands;
    bool directly = signature.nout == 1;  // NumPy needs no iterator where operands of its loop's dtypes lie alike
    for (std::size_t k = 0; k < in.size(); ++k) {
        if (!in[k].array) continue;
        const Array& a = *in[k].array;
        operands.emplace_back(&a.view, item_bytes(a.dtype));
        directly = directly && (a.ndim() < 2 || a.dtype == signature.in[k]);
    }
    for (const Array& o : out)
        if (o.buffer) operands.emplace_back(&o.view, item_bytes(o.dtype));
    const std::span<const OrderedOperand> all(operands.begin(), operands.end());
    Array made = new_array(shape, dtype, pool);
    if (made.buffer->bytes() == 0) return made;
    made.view.strides = directly ? result_strides(shape, all, item_bytes(dtype)) : iterator_strides(shape, all, item_bytes(dtype));
    return made;
}

// Scalars as operands of many elements: the latest of a thread, for the constants of a program come again.
class Splats {
public:
    // The scalar n times; it stays until three other ones were asked for.
    const void* of(const Scalar& s, std::size_t n) {
        Splat* oldest = &splats_[0];
        for (Splat& known : splats_) {
            if (known.count > 0 && known.dtype == s.dtype && std::memcmp(known.elements.data(), s.bytes.data(), itemsize(s.dtype)) == 0) return filled(known, s, n);
            if (known.used < oldest->used) oldest = &known;
        }
        oldest->dtype = s.dtype;
        oldest->count = 0;
        return filled(*oldest, s, n);
    }

private:
    struct Splat {
        DType dtype;
        std::size_t count;   // of the elements that are written
        std::uint64_t used;  // when: the number of that use
        alignas(64) std::array<std::byte, splatted_at_once * 16> elements;
    };

    const void* filled(Splat& splat, const Scalar& s, std::size_t n) {
        splat.used = ++uses_;
        if (splat.count < n) {
            dispatch(s.dtype, [&]<class T>() {
                if constexpr (sizeof(T) <= 16) std::fill_n(reinterpret_cast<T*>(splat.elements.data()), n, s.get<T>());
            });
            splat.count = n;
        }
        return splat.elements.data();
    }

    std::array<Splat, 4> splats_;
    std::uint64_t uses_;
};
constinit thread_local Splats splats{};

// The loop over operands that lie as it takes them, and scalars.
void run_plain(ContiguousLoop run, const Signature& signature, std::span<const Input> in, std::span<const Array> out, std::int64_t size) {
    std::array<const char*, 3> from{};
    std::array<std::int64_t, 3> step{};
    bool scalars = false;
    for (const Input& i : in) scalars = scalars || i.is_scalar();
    const std::int64_t block = scalars ? std::min(size, splatted_at_once) : size;
    for (std::size_t k = 0; k < in.size(); ++k) {
        from[k] = in[k].is_scalar() ? static_cast<const char*>(splats.of(in[k].scalar, static_cast<std::size_t>(block))) : in[k].array->data();
        step[k] = in[k].is_scalar() ? 0 : item_bytes(signature.in[k]);
    }
    for (std::int64_t first = 0; first < size; first += block) {
        std::array<const void*, 3> sources{};
        std::array<void*, 2> targets{};
        for (std::size_t k = 0; k < in.size(); ++k) sources[k] = from[k] + first * step[k];
        for (std::size_t k = 0; k < out.size(); ++k) targets[k] = out[k].data() + first * item_bytes(signature.out[k]);
        run(targets.data(), sources.data(), static_cast<std::size_t>(std::min(block, size - first)));
    }
}

// The values of a loop first, then to where an input of it lies.
[[gnu::noinline]] void write_beside(RowId id, int loop, std::span<const Input> in, const Array& out) {
    const Array values = new_array(out.view.shape, out.dtype, out.pool());
    apply_to(values, id, loop, in);
    assign(out, values);
}

// Whether work with operands of so many bytes, which could run now, is put off; else it is taken to run.
bool waits_for_more(std::int64_t bytes) {
    if (!Outlook::matters(bytes)) return false;
    if (outlook().lasts() && !eager()) return true;
    outlook().ran_at_once();
    return false;
}

// Few elements of operands, or scalars: no instruction is made at all. Where no output is given, `made` gets them.
bool apply_at_once(RowId id, int loop, const Row& r, const Signature& signature, std::span<const Input> in, std::span<const Array> out,
                   Few<Array, 2>& made) {
    const Array* first = nullptr;
    bool plain = true, equal = true;
    bool beside = false;  // an input overlaps the output that is given, without being it: the values go to memory of their own first
    if (!out.empty()) {  // one given output
        first = &out[0];
        if (r.nout != 1 || !first->buffer || !first->host_visible() || first->dtype != signature.out[0] || first->size() > eager_size()) return false;
        if (first->buffer->pending_reads || first->buffer->pending_writes) return false;
    }
    for (std::size_t k = 0; k < in.size(); ++k) {
        if (in[k].dtype() != signature.in[k]) return false;
        if (in[k].is_scalar()) {
            plain = plain && itemsize(signature.in[k]) <= 16;
            continue;
        }
        const Array& a = *in[k].array;
        if (!is_at_hand(a)) return false;
        equal = equal && (!first || a.view.shape == first->view.shape);
        plain = plain && is_plain(a);
        first = &a;
    }
    if (!first) return false;
    Dims broadcast;
    if (!equal) {
        if (!out.empty()) broadcast = out[0].view.shape;
        for (const Input& i : in)
            if (i.array && !broadcast_with(i.array->view.shape, broadcast)) return false;
        if (!out.empty() && !(broadcast == out[0].view.shape)) return false;
        plain = false;
    }
    const Dims& shape = equal ? first->view.shape : broadcast;
    const std::int64_t size = count(shape);
    if (size > eager_size() || size == 0) return false;
    if (waits_for_more(size * item_bytes(signature.in[0]))) {
        bool seen = !out.empty() && out[0].buffer->seen_by_host();
        for (const Input& i : in) seen = seen || (i.array && i.array->buffer->seen_by_host());
        if (!seen) return false;
    }
    if (!out.empty()) {  // it has no memory before it is sure that it is written now: what is recorded may do without
        const Array& target = out[0];
        target.buffer->materialise();
        const bool target_is_plain = is_plain(target);
        if (!target_is_plain && overlaps_itself(target)) return false;
        for (const Input& i : in) beside = beside || (i.array && !(i.array->buffer == target.buffer && i.array->view == target.view) && may_overlap(*i.array, target));
        plain = (plain && target_is_plain) || beside;
    }
    if (beside) [[unlikely]] {
        write_beside(id, loop, in, out[0]);
        return true;
    }
    for (std::size_t k = 0; out.empty() && k < r.nout; ++k) {
        made.emplace_from([&] {
            return plain ? new_array(shape, signature.out[k], first->pool()) : new_output(signature, shape, signature.out[k], in, out, first->pool());
        }).buffer->materialise();
    }
    const std::span<const Array> results = out.empty() ? made : out;
    if (plain && size <= most_without_launch) {
        if (const ContiguousLoop run = first->pool().backend().contiguous_loop(id, loop)) {
            run_plain(run, signature, in, results, size);
            return true;
        }
    }
    run_at_hand(id, loop, in, results);
    return true;
}

// The device of a call: that of its arrays; one that the host may not touch goes before the host.
Pool& pool_of_call(std::span<const Input> in, std::span<const Array> out) {
    Pool* found = nullptr;
    const auto look_at = [&found](Pool& pool) {
        if (!found || (found->host_visible() && !pool.host_visible())) found = &pool;
    };
    for (const Input& i : in)
        if (i.array) look_at(i.array->pool());
    for (const Array& o : out)
        if (o.buffer) look_at(o.pool());
    return found ? *found : default_pool();
}

// The order in which NumPy would write to an output that overlaps itself. The result of a ufunc goes through a copy there where
// it would overwrite an input.
WriteOrder order_of_output(std::size_t k, const Row& r, const Signature& signature, std::span<const Input> in, std::span<const Array> out) {
    const Array& target = out[k];
    std::vector<View> operands;
    bool as_listed = r.nout == 1;
    for (std::size_t i = 0; i < r.nin; ++i) {
        if (in[i].is_scalar()) continue;
        const Array& a = *in[i].array;
        if (may_overlap(a, target)) return assignment_order(target, nullptr);
        as_listed = as_listed && a.dtype == signature.in[i] && (a.ndim() == 0 || a.view.shape == target.view.shape);
        operands.push_back(broadcast_to(a.view, target.view.shape));
    }
    bool allocates = false;
    for (std::size_t j = 0; j < r.nout; ++j) {
        if (j == k) continue;
        if (j < out.size() && out[j].buffer) operands.push_back(out[j].view);
        else allocates = true;
    }
    operands.push_back(target.view);
    return iteration_order(operands, allocates, as_listed && target.dtype == signature.out[k]);
}

// How an instruction stands to what is recorded.
enum class Standing : std::uint8_t { free, waits_for_what_was_put_off, waits };

Standing standing(const Instruction& instruction) {
    Standing found = Standing::free;
    each_buffer(instruction, [&](const Buffer& b, bool written) {
        if (!b.pending_writes && !(written && b.pending_reads)) return;
        if (!b.put_off) found = Standing::waits;
        else if (found == Standing::free) found = Standing::waits_for_what_was_put_off;
    });
    return found;
}

// Of few elements on the host. What waits only for what was put off is put off, too; where too much does that gains nothing by it, all
// runs: after the instruction is recorded, so that a failure of another one does not lose it.
void submit_few(Instruction&& instruction, std::int64_t size) {
    const std::int64_t bytes = instruction.work == Work::elementwise ? size * item_bytes(instruction.in[0].dtype()) : 0;
    const Standing now = standing(instruction);
    if (now == Standing::waits) return record(std::move(instruction));
    if (now == Standing::free) {
        bool runs = !waits_for_more(bytes);
        if (!runs) each_buffer(instruction, [&runs](const Buffer& b, bool) { runs = runs || b.seen_by_host(); });
        if (runs) return run_now(instruction);
    }
    const bool alone = Outlook::matters(bytes), goes_on = alone || outlook().takes_along();
    if (alone) outlook().put_off();
    const BufferPtr out = instruction.out[0].buffer;
    record(std::move(instruction), true);
    if (!goes_on) flush(out.get());
}

}  // namespace

bool may_run_now(const Instruction& instruction) { return !instruction.out.empty() && standing(instruction) == Standing::free; }

void submit(Instruction&& instruction, std::int64_t size) {
    Pool& pool = instruction.out[0].pool();
    each_buffer(instruction, [&](const Buffer& b, bool) {
        if (&b.pool() != &pool) raise_two_devices(instruction, pool, b.pool());
    });
    if (pool.host_visible()) {
        if (size <= eager_size()) return submit_few(std::move(instruction), size);
    } else {
        if (run_on_mirrors(instruction, size)) return;
        instruction.on_stream = current_stream(pool.number());
        if (!computed_by_device(instruction)) {
            count_fallback(instruction);
            instruction.on_host = true;
        } else if (quicker_on_host(instruction)) {
            instruction.on_host = true;
        }
    }
    record(std::move(instruction));
}

namespace {

// As an instruction; `results` gets its outputs.
void apply_as_instruction(RowId id, int loop, const Row& r, const Signature& signature, std::span<const Input> in, std::span<const Array> out,
                          Few<Array, 2>& results) {
    Few<const Dims*, 5> shapes;
    for (const Input& i : in)
        if (i.array) shapes.emplace_back(&i.array->view.shape);
    const std::size_t input_shapes = shapes.size();
    for (const Array& o : out)
        if (o.buffer) shapes.emplace_back(&o.view.shape);
    bool equal = !shapes.empty();
    for (std::size_t k = 1; k < shapes.size(); ++k) equal = equal && *shapes[k] == *shapes[0];
    Instruction instruction;
    instruction.shape = equal ? *shapes[0] : broadcast_shapes(shapes, r.name.data());
    const Dims& shape = instruction.shape;
    for (std::size_t k = input_shapes; k < shapes.size(); ++k)
        if (!equal && !(*shapes[k] == shape))
            throw ValueError(std::string(r.name) + ": non-broadcastable output operand with shape " + to_string(*shapes[k]) +
                             " doesn't match the broadcast shape " + to_string(shape));

    instruction.row = id;
    instruction.loop = static_cast<std::uint16_t>(loop);
    Pool& pool = pool_of_call(in, out);
    std::array<std::optional<WriteOrder>, 2> ordered;
    for (std::size_t k = 0; k < out.size(); ++k)
        if (out[k].buffer && overlaps_itself(out[k])) ordered[k] = order_of_output(k, r, signature, in, out);
    bool casts = false;
    for (std::size_t k = 0; k < r.nin; ++k) {
        if (!in[k].is_scalar() && in[k].array->ndim() == 0 && !pool.host_visible() && in[k].array->host_visible()) {
            const Array& value = *in[k].array;
            instruction.in.emplace_back(value_of(value.dtype == signature.in[k] ? value : cast(value, signature.in[k])));
        } else if (in[k].is_scalar()) {
            instruction.in.emplace_back(in[k].scalar);
            if (in[k].scalar.dtype != signature.in[k])
                throw RuntimeFailure(std::string(r.name) + ": a scalar of " + std::string(name(in[k].scalar.dtype)) + " where the loop takes " + std::string(name(signature.in[k])));
        } else {
            instruction.in.emplace_back(*in[k].array);
            casts = casts || in[k].array->dtype != signature.in[k];
        }
    }
    // The caller's arrays are not looked at any more once a cast is recorded: that may run the queue without the
    // interpreter's lock, and somebody may give them another shape meanwhile.
    for (std::size_t k = 0; k < r.nout; ++k) {
        if (k < out.size() && out[k].buffer) results.emplace_back(out[k]);
        else results.emplace_back(new_output(signature, shape, signature.out[k], in, out, pool));
    }
    for (std::size_t k = 0; k < r.nin; ++k) {
        Array* const operand = instruction.in[k].array();
        if (!operand) continue;
        if (casts && operand->dtype != signature.in[k]) *operand = cast(*operand, signature.in[k]);
        if (!equal && !(operand->view.shape == shape)) operand->view = broadcast_to(operand->view, shape);
    }
    std::array<bool, 2> indirect{};  // outputs written by a second step: another dtype, overlap, or a device's second
    bool overwrites = false;         // an output that is written directly is an input, too
    for (std::size_t k = 0; k < r.nout; ++k) {
        const bool given = k < out.size() && out[k].buffer;
        bool direct = !given || (results[k].dtype == signature.out[k] && !ordered[k]);
        for (std::size_t i = 0; given && direct && i < r.nin; ++i) {
            const Array* const operand = instruction.in[i].array();
            if (!operand || (operand->buffer == results[k].buffer && operand->view == results[k].view)) continue;
            if (may_overlap(*operand, results[k])) direct = false;
        }
        for (std::size_t j = 0; given && direct && j < k; ++j)
            if (may_overlap(instruction.out[j], results[k])) direct = false;
        if (given && direct && r.nout > 1 && !pool.host_visible()) {  // see may_join() in groups.cpp
            bool mine = false;
            for (std::size_t i = 0; i < r.nin; ++i) mine = mine || (instruction.in[i].array() && instruction.in[i].array()->buffer == results[k].buffer);
            direct = !(mine && overwrites);
            overwrites = overwrites || mine;
        }
        if (direct) instruction.out.emplace_back(results[k]);
        else instruction.out.emplace_back(new_array_like(results[k].view, signature.out[k], results[k].pool()));
        indirect[k] = !direct;
    }
    const std::int64_t size = count(shape);
    const Few<Array, 2> written = indirect[0] || indirect[1] ? instruction.out : Few<Array, 2>();
    if (size > 0) submit(std::move(instruction), size);
    for (std::size_t k = 0; k < r.nout; ++k) {
        if (!indirect[k]) continue;
        if (ordered[k] && size > 0) write_in_order(results[k], written[k].dtype == results[k].dtype ? written[k] : cast(written[k], results[k].dtype), *ordered[k]);
        else assign(results[k], written[k]);
    }
}

}  // namespace

Few<Array, 2> apply(RowId id, int loop, std::span<const Input> in, std::span<const Array> out) {
    const Row& r = row(id);
    const Signature& signature = r.loops[static_cast<std::size_t>(loop)];
    Few<Array, 2> results;
    if (!apply_at_once(id, loop, r, signature, in, out, results)) apply_as_instruction(id, loop, r, signature, in, out, results);
    else if (!out.empty()) results.emplace_back(out[0]);
    return results;
}

void apply_to(const Array& out, RowId id, int loop, std::span<const Input> in) {
    const Row& r = row(id);
    const Signature& signature = r.loops[static_cast<std::size_t>(loop)];
    Few<Array, 2> results;
    if (!apply_at_once(id, loop, r, signature, in, std::span(&out, 1), results)) apply_as_instruction(id, loop, r, signature, in, std::span(&out, 1), results);
}

}  // namespace asnumpy
