// Operators of the single-operator interface, which programs start by name: aclopCompileAndExecute.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "aclnn/call.hpp"

// What describes a tensor: its own shape, and the one in which its memory is laid out.
struct aclTensorDesc {
    std::int32_t dtype, format;
    std::vector<std::int64_t> dims;
    std::string name;
    std::vector<std::int64_t> storage;
    bool on_host = false;
};
struct aclDataBuffer {
    void* data;
    std::size_t size;
};
struct aclopAttr {
    using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>, std::vector<std::vector<std::int64_t>>>;
    std::map<std::string, Value, std::less<>> values;
};

namespace cannsim {

// One call: its tensors, in C order, by position, and its attributes by name.
class NamedCall {
public:
    NamedCall(std::string_view type, std::vector<std::optional<Tensor>> ins, std::vector<std::optional<Tensor>> outs, const aclopAttr* attributes)
        : type(type), ins_(std::move(ins)), outs_(std::move(outs)), attributes_(attributes) {}
    const std::string_view type;

    std::optional<Tensor> optional_input(std::size_t place) const { return place < ins_.size() ? ins_[place] : std::nullopt; }
    Tensor input(std::size_t place) const;
    Tensor output(std::size_t place) const;
    bool flag(std::string_view name, bool missing) const { return value(name, missing); }
    double real(std::string_view name, double missing) const { return value(name, missing); }
    std::string text(std::string_view name, std::string missing) const { return value(name, std::move(missing)); }
    std::vector<std::int64_t> ints(std::string_view name) const { return value(name, std::vector<std::int64_t>()); }

    void expect(bool holds, std::string_view what, std::string_view expected) const;
    void expect_shape(const Tensor&, const Dims&, std::string_view what) const;

private:
    template <class T> T value(std::string_view name, T missing) const {
        if (!attributes_) return missing;
        const auto found = attributes_->values.find(name);
        if (found == attributes_->values.end()) return missing;
        const T* const held = std::get_if<T>(&found->second);
        return held ? *held : missing;  // clients set some with another type, as which the operator does not know them
    }

    std::vector<std::optional<Tensor>> ins_, outs_;
    const aclopAttr* attributes_;
};

struct NamedOperator {
    const char* type;
    std::function<Work(const NamedCall&)> plan;
};
// A table of them; made as a constant of a source file, it is there when the library is loaded.
class NamedOperators {
public:
    NamedOperators(std::initializer_list<NamedOperator>);
};
const NamedOperator* find_named(std::string_view type);  // null: not simulated

}  // namespace cannsim
