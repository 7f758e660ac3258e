// What functions in C share that asnumpy writes for operators: tensors, checks, numbers that fit, blocks on threads.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace asnumpy_native {

// As Python would say it: the exception's class, the operator, the parameter, what was expected and what came.
struct Failure : std::runtime_error {
    Failure(const char* kind, const std::string& what) : std::runtime_error(std::string(kind) + ": " + what) {}
};

struct Type {
    std::string_view name;
    int64_t bytes;
};
constexpr Type types[] = {
    {"bool", 1},    {"int8", 1},    {"int16", 2},   {"int32", 4},    {"int64", 8},   {"uint8", 1},     {"uint16", 2},     {"uint32", 4},
    {"uint64", 8},  {"float16", 2}, {"float32", 4}, {"bfloat16", 2}, {"float64", 8}, {"complex64", 8}, {"complex128", 16},
};

// What came: memory in C order. Without a dtype it did not come.
struct Given {
    void* data;
    int ndim;
    const int64_t* shape;
    const char* dtype;
};

struct Tensor {
    const char* name;
    const char* axes;  // as they are declared
    void* data;
    int ndim;
    const int64_t* shape;
    Type type;
    int64_t size;
    bool there = true;  // or left out

    const char* begin() const { return static_cast<const char*>(data); }
    const char* end() const { return begin() + size * type.bytes; }
    int64_t axis(int place) const { return shape[place < 0 ? ndim + place : place]; }
    std::string shape_text() const {
        std::string text = "(";
        for (int i = 0; i < ndim; ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
        return text + (ndim == 1 ? ",)" : ")");
    }
};

// The axes that `...` stands for.
struct Batch {
    const Tensor* told = nullptr;
    int first = 0, count = 0;
};

class Check {
public:
    explicit Check(const char* name) : operator_(name) {}

    [[noreturn]] void refuse(const char* kind, const char* name, const std::string& expected, const std::string& got) const {
        throw Failure(kind, std::string(operator_) + ": " + name + ": expected " + expected + ", got " + got);
    }
    Tensor tensor(const Given& given, const char* name, int core, bool batched, const char* axes) const {
        if (!given.dtype) refuse("TypeError", name, "a tensor", "none");
        const auto found = std::find_if(std::begin(types), std::end(types), [&](const Type& type) { return type.name == given.dtype; });
        if (found == std::end(types)) refuse("TypeError", name, "a dtype that arrays have", std::string("'") + given.dtype + "'");
        Tensor made{name, axes, given.data, given.ndim, given.shape, *found, 1};
        for (int i = 0; i < given.ndim; ++i) {
            if (given.shape[i] < 0) refuse("ValueError", name, "axes of at least 0", "the shape " + made.shape_text());
            made.size *= given.shape[i];
        }
        if (given.ndim < core || (given.ndim > core && !batched))
            refuse("ValueError", name, std::string(batched ? "at least " : "") + std::to_string(core) + (core == 1 ? " axis, " : " axes, ") + axes,
                   "the shape " + made.shape_text());
        if (made.size && !made.data) refuse("ValueError", name, "an address", "null");
        return made;
    }
    Tensor optional(const Given& given, const char* name, int core, bool batched, const char* axes) const {
        return given.dtype ? tensor(given, name, core, batched, axes) : Tensor{name, axes, nullptr, 0, nullptr, {"", 0}, 0, false};
    }
    std::string_view text(const char* given, const char* name) const {
        if (!given) refuse("TypeError", name, "text", "null");
        return given;
    }
    void dtype(const Tensor& tensor, std::initializer_list<std::string_view> allowed, const std::string& as) const {
        if (std::find(allowed.begin(), allowed.end(), tensor.type.name) != allowed.end()) return;
        std::string expected;
        for (const std::string_view one : allowed) expected += (expected.empty() ? "" : " or ") + std::string(one);
        refuse("TypeError", tensor.name, expected + as, std::string(tensor.type.name));
    }
    void length(const Tensor& tensor, int place, int64_t expected, const std::string& what) const {
        if (tensor.axis(place) != expected)
            refuse("ValueError", tensor.name, what + " in " + tensor.axes, std::to_string(tensor.axis(place)) + " in the shape " + tensor.shape_text());
    }
    // `first`: of the axes that `...` stands for; nothing is copied, so that they may not broadcast.
    void batch(Batch& batch, const Tensor& tensor, int first, int core) const {
        const int count = tensor.ndim - core;
        if (!batch.told) {
            batch = {&tensor, first, count};
            return;
        }
        if (count != batch.count || !std::equal(tensor.shape + first, tensor.shape + first + count, batch.told->shape + batch.first))
            refuse("ValueError", tensor.name, std::string("the axes of ") + batch.told->name + " " + batch.told->shape_text() + " for ... in " + tensor.axes,
                   "the shape " + tensor.shape_text());
    }
    // Kernels read inputs while they write.
    void apart(const Tensor& output, const Tensor& other) const {
        if (output.size && other.size && output.begin() < other.end() && other.begin() < output.end())
            throw Failure("ValueError", std::string(operator_) + ": " + output.name + ": expected memory of its own, got some of " + other.name);
    }

private:
    const char* operator_;
};

// An attribute of several numbers; places count from the end below 0.
template <class T>
struct Numbers {
    const T* data = nullptr;
    int64_t count = 0;
    T operator[](int64_t place) const {
        const int64_t at = place < 0 ? count + place : place;
        if (at < 0 || at >= count) throw Failure("IndexError", "tuple index out of range");
        return data[at];
    }
};

// Numbers as a structure of C has them, one behind the other.
class Structure {
public:
    template <class T>
    Structure& add(T value) {
        alignment_ = std::max(alignment_, alignof(T));
        align(alignof(T));
        const auto* const begin = reinterpret_cast<const char*>(&value);
        bytes_.insert(bytes_.end(), begin, begin + sizeof value);
        return *this;
    }
    std::vector<char> bytes() {
        align(alignment_);
        return bytes_;
    }

private:
    void align(size_t alignment) { bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment); }
    std::vector<char> bytes_;
    size_t alignment_ = 1;
};

inline size_t checked_workspace(const char* kernel, int64_t bytes) {
    if (bytes < 0) throw Failure("ValueError", std::string(kernel) + ": workspace: expected at least 0 bytes, got " + std::to_string(bytes));
    return static_cast<size_t>(std::max<int64_t>(bytes, 1));  // there is an address in any case
}

inline int64_t modulo(int64_t a, int64_t b) {
    if (!b) throw Failure("ZeroDivisionError", "integer division or modulo by zero");
    if (b == -1) return 0;
    const int64_t rest = a % b;
    return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}
inline int64_t floor_divided(int64_t a, int64_t b) {
    if (!b) throw Failure("ZeroDivisionError", "integer division or modulo by zero");
    return b == -1 ? -a : (a - modulo(a, b)) / b;
}
inline double divided(double a, double b) {
    if (b == 0) throw Failure("ZeroDivisionError", "division by zero");
    return a / b;
}

// A whole number becomes what the kernel declares, where it fits; a float only a float.
template <class T>
T converted(int64_t value) {
    if constexpr (std::is_integral_v<T>) {
        const bool fits = std::is_unsigned_v<T> ? value >= 0 && static_cast<uint64_t>(value) <= std::numeric_limits<T>::max()
                                                : value >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
                                                      value <= static_cast<int64_t>(std::numeric_limits<T>::max());
        if (!fits) throw Failure("OverflowError", std::to_string(value) + " does not fit into a kernel's parameter");
    }
    return static_cast<T>(value);
}
template <class T>
T converted(double value) {
    return static_cast<T>(value);
}
struct Number {
    int64_t value;
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    operator T() const {
        return converted<T>(value);
    }
};
struct Real {
    double value;
    template <class T, class = std::enable_if_t<std::is_floating_point_v<T>>>
    operator T() const {
        return static_cast<T>(value);
    }
};
struct Pointer {
    void* address;
    template <class T>
    operator T*() const {
        return static_cast<T*>(address);
    }
};
inline Number argument(int64_t value) { return {value}; }
inline Real argument(double value) { return {value}; }
inline bool argument(bool value) { return value; }
inline Pointer argument(const Tensor& tensor) { return {tensor.data}; }
inline Pointer argument(void* address) { return {address}; }

// A launch's workspace and tiling in the host's memory.
class HostExtras {
public:
    void* workspace(const char* kernel, int64_t bytes) {
        workspace_.reset(new char[checked_workspace(kernel, bytes)]);
        return workspace_.get();
    }
    void* tiling(Structure values) { return (tiling_ = values.bytes()).data(); }

private:
    std::unique_ptr<char[]> workspace_;
    std::vector<char> tiling_;
};

// How many threads blocks of the CPU run on: ASNUMPY_NUM_THREADS, else as many as there are cores for this process.
inline int64_t threads() {
    static const int64_t count = [] {
        if (const char* const text = std::getenv("ASNUMPY_NUM_THREADS")) {
            const long asked = std::strtol(text, nullptr, 10);
            if (asked > 0) return static_cast<int64_t>(asked);
        }
        cpu_set_t cores;
        CPU_ZERO(&cores);
        return static_cast<int64_t>(sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1);
    }();
    return count;
}

inline int64_t checked_blocks(const char* kernel, int64_t blocks) {
    if (blocks < 1) throw Failure("ValueError", std::string(kernel) + ": blocks: expected at least 1, got " + std::to_string(blocks));
    return blocks;
}

// A function of the CPU, once for each block.
template <class R, class I, class J, class... P, class... A>
void launch(const char* name, R (*kernel)(I, J, P...), int64_t blocks, const A&... given) {
    static_assert(sizeof...(P) == sizeof...(A), "a launch gives as many arguments as its kernel has behind block and blocks");
    checked_blocks(name, blocks);
    const std::tuple<P...> values(static_cast<P>(argument(given))...);
    std::atomic<int64_t> next{0};
    const auto work = [&] {
        for (int64_t block = next++; block < blocks; block = next++)
            std::apply([&](const P&... value) { kernel(static_cast<I>(block), static_cast<J>(blocks), value...); }, values);
    };
    std::vector<std::thread> others;
    try {
        for (int64_t i = 1; i < std::min(blocks, threads()); ++i) others.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads: those that are there do it
    }
    work();
    for (std::thread& one : others) one.join();
}

// A kernel of an NPU, by the function with which a host launches it.
template <class R, class... P, class... A>
void launch(const char* name, R (*launcher)(uint32_t, void*, P...), void* stream, int64_t blocks, const A&... given) {
    static_assert(sizeof...(P) == sizeof...(A), "a launch gives as many arguments as its kernel has");
    const auto code = launcher(converted<uint32_t>(checked_blocks(name, blocks)), stream, static_cast<P>(argument(given))...);
    if (code) throw Failure("RuntimeError", std::string(name) + ": its launch gave " + std::to_string(code));
}

}  // namespace asnumpy_native
