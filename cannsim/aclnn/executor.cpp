// Both phases of every operator, repeatable executors and the refresh of their addresses.
#include "aclnn/executor.hpp"

#include "aclnn/cost.hpp"
#include "aclnn/refusals.hpp"
#include "aclnn/rows.hpp"
#include "aclnn/workspace.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "base/immortal.hpp"
#include "cann/versions.hpp"
#include "runtime/config.hpp"
#include "runtime/device.hpp"
#include "runtime/memory.hpp"
#include "runtime/misbehaviour.hpp"
#include "runtime/statistics.hpp"

namespace cannsim {
namespace {

struct Table {
    std::vector<Operator> operators = std::vector<Operator>(cannsim::operators().size());
};
Table& table() {
    static asnumpy::Immortal<Table> instance;
    return *instance;
}

}  // namespace

// An error in the simulator's own tables ends the process when the library is loaded: no build that has one passes a test.
[[noreturn]] static void wrong_table(const char* what, std::string_view name) {
    std::fprintf(stderr, "cannsim: %s %.*s\n", what, static_cast<int>(name.size()), name.data());
    std::abort();
}

Operators::Operators(std::initializer_list<Operator> list) {
    for (const Operator& one : list) {
        const int index = find_operator(one.name);
        if (index < 0) wrong_table("no operator of CANN's is named", one.name);
        Operator& place = table().operators[static_cast<std::size_t>(index)];
        if (place.plan) wrong_table("two tables of operators define", one.name);
        place = one;
    }
}

const Operator* simulated(int op) {
    static const bool complete = (add_row_operators(), true);
    static_cast<void>(complete);
    const Operator& found = table().operators[static_cast<std::size_t>(op)];
    return found.plan ? &found : nullptr;
}
bool defined(int op) { return static_cast<bool>(table().operators[static_cast<std::size_t>(op)].plan); }

int plan(int op, std::span<const Argument> arguments, std::uint64_t* workspace, aclOpExecutor** executor) {
    const char* const name = operators()[static_cast<std::size_t>(op)].name;
    const int code = entry(name, {{"phase", 1}}, [&] {
        if (!workspace) throw Refusal{ACLNN_ERR_PARAM_NULLPTR, "workspaceSize: expected a place for the size, got null"};
        if (!executor) throw Refusal{ACLNN_ERR_PARAM_NULLPTR, "executor: expected a place for the executor, got null"};
        const Operator* const found = simulated(op);
        const OperatorFacts& facts = operators()[static_cast<std::size_t>(op)];
        if (!exists(facts)) throw Refusal{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, text("CANN ", version_in_use().name, " has no such operator")};
        if (!found) throw Refusal{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "this operator is known but not simulated"};
        model_spend(chip().plan);
        Call call(op, arguments);
        call.validate(found->nullable);
        refuse_as_planned(call);
        auto work = std::make_shared<Work>(found->plan(call));
        auto made = std::make_unique<aclOpExecutor>(op);
        work->workspace = workspace_of(call, *work);
        made->cost = cost_of(call, *work);
        made->slots = call.take_slots();
        made->others = call.take_others();
        made->addresses.reserve(made->slots.size());
        for (const Call::Slot& slot : made->slots) made->addresses.push_back(slot.tensor ? slot.tensor->data : nullptr);
        *workspace = work->workspace;
        made->work = std::move(work);
        *executor = made.release();
        return 0;
    });
    if (code) count_refusal(name, code);
    return code;
}

namespace {

constexpr std::uintptr_t alignment = 32;

aclOpExecutor& live_executor(aclOpExecutor* executor, int op) {
    if (!executor) throw Refusal{ACLNN_ERR_PARAM_NULLPTR, "executor: expected one from phase one, got null"};
    if (!executor->is(Object::Type::executor)) {
        finding(Fault::executor_misuse, text("expected an executor that phase one gave and phase two has not used, got ", static_cast<const void*>(executor),
                                             executor->was(Object::Type::executor) ? ", which was used or destroyed" : ", which is none"), ACLNN_ERR_INNER);
        throw Refusal{ACLNN_ERR_INNER, "the executor is no longer valid"};
    }
    if (op >= 0 && executor->op != op) {
        finding(Fault::executor_misuse, text("got an executor of ", operators()[static_cast<std::size_t>(executor->op)].name), ACLNN_ERR_INNER);
        throw Refusal{ACLNN_ERR_INNER, "the executor belongs to another operator"};
    }
    return *executor;
}

// CANN's executor refers to what it was planned with: whoever destroys that before phase two lets it read freed memory.
void expect_descriptors(const aclOpExecutor& e) {
    const auto params = parameters(operators()[static_cast<std::size_t>(e.op)]);
    const auto expect = [&](const Object* object, int parameter) {
        if (object && object->is_destroyed())
            finding(Fault::object_misuse, text(params[static_cast<std::size_t>(parameter)].name, ": ", static_cast<const void*>(object),
                                               " was destroyed between the two phases; destroy it after phase two"), ACLNN_ERR_PARAM_INVALID);
    };
    for (const Call::Slot& slot : e.slots) expect(slot.tensor.get(), slot.parameter);
    for (const Call::Other& other : e.others) expect(other.object.get(), other.parameter);
}

// Gives the executor back unless it is repeatable.
struct Release {
    explicit Release(aclOpExecutor* e) : executor(e) {}
    Release(const Release&) = delete;
    Release& operator=(const Release&) = delete;
    aclOpExecutor* executor;
    ~Release() {
        if (!executor->repeatable && executor->destroy()) executor->drop();
    }
};

// Where a corrupt operator writes another value.
std::vector<std::span<std::byte>> first_elements_of_results(const aclOpExecutor& e, std::span<std::byte* const> aliases) {
    const auto params = parameters(operators()[static_cast<std::size_t>(e.op)]);
    std::vector<std::span<std::byte>> found;
    for (std::size_t i = 0; i < e.slots.size(); ++i) {
        const Call::Slot& slot = e.slots[i];
        if (!aliases[i] || params[static_cast<std::size_t>(slot.parameter)].direction == Direction::in) continue;
        found.emplace_back(aliases[i] + slot.extent.low, acl_size(slot.tensor->dtype));
    }
    return found;
}

// Zero of every dtype, bool among them, or one where it was that already.
void spoil(std::span<std::byte> element) {
    const bool zero = std::ranges::all_of(element, [](std::byte b) { return b == std::byte{}; });
    std::ranges::fill(element, std::byte{});
    if (zero) std::ranges::fill(element, std::byte{1});
}

}  // namespace

int launch(int op, void* workspace, std::uint64_t size, aclOpExecutor* executor, void* handle) {
    const char* const name = operators()[static_cast<std::size_t>(op)].name;
    // Phase two takes the executor with it, also when it fails on demand.
    std::optional<Release> release;
    if (executor && executor->is(Object::Type::executor) && executor->op == op) release.emplace(executor);
    const int code = entry(name, {{"phase", 2}, {"workspace", workspace}, {"size", size}, {"stream", handle}}, [&] {
        aclOpExecutor& e = live_executor(executor, op);
        if (size && !workspace) throw Refusal{ACLNN_ERR_PARAM_NULLPTR, text("workspace: expected ", size, " bytes of device memory, got null")};
        if (size < e.work->workspace) throw Refusal{ACLNN_ERR_PARAM_INVALID, text("workspaceSize: expected ", e.work->workspace, " as phase one gave it, got ", size)};
        expect_descriptors(e);
        const std::shared_ptr<Stream> stream = stream_of(handle);
        Task task;
        task.name = name;
        std::vector<std::byte*> aliases(e.slots.size());
        task.uses.reserve(e.slots.size() + 1);
        std::optional<RangeCheck> check_range(std::in_place);
        for (std::size_t i = 0; i < e.slots.size(); ++i) {
            const Call::Slot& slot = e.slots[i];
            const auto length = static_cast<std::size_t>(slot.extent.high - slot.extent.low);
            if (!slot.tensor || !length) continue;
            const Parameter& param = parameters(operators()[static_cast<std::size_t>(op)])[static_cast<std::size_t>(slot.parameter)];
            void* const address = e.addresses[i];
            const auto* const first = static_cast<const std::byte*>(address) + slot.extent.low;
            (*check_range)(first, length, param.name);
            if (reinterpret_cast<std::uintptr_t>(address) % alignment)
                finding(Fault::misaligned, text(param.name, ": expected an address that is a multiple of 32, got ", address, "; give the base and an offset"), ACLNN_ERR_PARAM_INVALID);
            aliases[i] = alias(address);
            if (param.direction != Direction::out) task.uses.push_back({first, length, false, slot.dense, param.name});
            if (param.direction != Direction::in) task.uses.push_back({first, length, true, slot.dense, param.name});
        }
        if (size) {
            (*check_range)(workspace, size, "workspace");
            if (reinterpret_cast<std::uintptr_t>(workspace) % alignment)
                finding(Fault::misaligned, text("workspace: expected an address that is a multiple of 32, got ", workspace), ACLNN_ERR_PARAM_INVALID);
            task.uses.push_back({workspace, size, true, true, "workspace"});
        }
        check_range.reset();
        task.cost = e.cost;
        if (config().compute) {
            std::vector<Ref<aclTensor>> kept;
            if (e.work->late_shapes)
                for (const Call::Slot& slot : e.slots) kept.push_back(slot.tensor);
            const Misbehaviour planned = misbehaviour_of(op);
            std::vector<std::span<std::byte>> spoilt;
            if (planned == Misbehaviour::corrupt) spoilt = first_elements_of_results(e, aliases);
            task.run = [planned, spoilt = std::move(spoilt), work = e.work, aliases = std::move(aliases), kept = std::move(kept), used = e.work->workspace ? alias(workspace) : nullptr] {
                if (used) scribble(used, work->workspace);
                if (planned == Misbehaviour::crash) std::abort();
                while (planned == Misbehaviour::hang) std::this_thread::sleep_for(std::chrono::hours(1));
                if (work->compute) work->compute(Run(aliases, kept));
                for (const std::span<std::byte> element : spoilt) spoil(element);
                return 0;
            };
        }
        stream->submit(std::move(task));
        return 0;
    });
    if (code) count_refusal(name, code);
    return code;
}

Array Run::operator[](const Tensor& t) const {
    return {addresses_[static_cast<std::size_t>(t.slot)] + t.view.offset, t.dtype, t.view.shape, t.view.strides};
}

void Run::set_shape(const Tensor& tensor, const Dims& shape) const {
    aclTensor& real = *tensors_[static_cast<std::size_t>(tensor.slot)].get();
    real.set(shape.data(), static_cast<std::uint64_t>(shape.size()), real.dtype, nullptr, real.offset, real.format, real.storage.data(),
             static_cast<std::uint64_t>(real.storage.size()), real.data);
}

namespace {

int set_address(const char* function, aclOpExecutor* executor, std::size_t index, Direction direction, bool any, const aclTensor* tensor, void* address) {
    return entry(function, {{"executor", executor}, {"index", index}, {"tensor", tensor}, {"addr", address}}, [&] {
        if (!executor || !tensor) throw Refusal{ACLNN_ERR_INNER_NULLPTR, "expected an executor and a tensor, got null"};
        aclOpExecutor& e = live_executor(executor, -1);
        const auto params = parameters(operators()[static_cast<std::size_t>(e.op)]);
        std::size_t place = 0;
        for (std::size_t i = 0; i < e.slots.size(); ++i) {
            const Direction is = params[static_cast<std::size_t>(e.slots[i].parameter)].direction;
            if (!any && (direction == Direction::in ? is == Direction::out : is == Direction::in)) continue;
            if (place++ != index) continue;
            if (!e.slots[i].tensor) throw Refusal{ACLNN_ERR_PARAM_INVALID, text("index: tensor ", index, " was null in phase one")};
            e.addresses[i] = address;
            return 0;
        }
        throw Refusal{ACLNN_ERR_PARAM_INVALID, text("index: expected less than ", place, ", got ", index)};
    });
}

int set_list_address(const char* function, aclOpExecutor* executor, std::size_t list, std::size_t element, Direction direction, bool any,
                     const aclTensorList* tensors, void* address) {
    return entry(function, {{"executor", executor}, {"irIndex", list}, {"relativeIndex", element}, {"addr", address}}, [&] {
        if (!executor || !tensors) throw Refusal{ACLNN_ERR_INNER_NULLPTR, "expected an executor and a list, got null"};
        aclOpExecutor& e = live_executor(executor, -1);
        const auto params = parameters(operators()[static_cast<std::size_t>(e.op)]);
        std::size_t place = 0;
        for (std::size_t p = 0; p < params.size(); ++p) {
            if (params[p].kind != Kind::tensor && params[p].kind != Kind::tensors) continue;
            const Direction is = params[p].direction;
            if (!any && (direction == Direction::in ? is == Direction::out : is == Direction::in)) continue;
            if (place++ != list) continue;
            for (std::size_t i = 0; i < e.slots.size(); ++i)
                if (e.slots[i].parameter == static_cast<int>(p) && e.slots[i].element == static_cast<int>(element) && e.slots[i].tensor) {
                    e.addresses[i] = address;
                    return 0;
                }
            break;
        }
        throw Refusal{ACLNN_ERR_PARAM_INVALID, text("irIndex and relativeIndex: expected a tensor of phase one, got ", list, " and ", element)};
    });
}

}  // namespace
}  // namespace cannsim

using namespace cannsim;

extern "C" {

int32_t aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
    return entry("aclSetAclOpExecutorRepeatable", {{"executor", executor}}, [&] {
        if (!executor) throw Refusal{ACLNN_ERR_INNER_NULLPTR, "expected an executor, got null"};
        aclOpExecutor& e = live_executor(executor, -1);
        if (!e.work->repeatable) throw Refusal{ACLNN_ERR_INNER, text(operators()[static_cast<std::size_t>(e.op)].name, " copies between host and device and cannot be repeated")};
        e.repeatable = true;
        return 0;
    });
}

int32_t aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    return entry("aclDestroyAclOpExecutor", {{"executor", executor}}, [&] {
        if (!executor) return 0;
        aclOpExecutor& e = live_executor(executor, -1);
        if (e.destroy()) e.drop();
        return 0;
    });
}

// The names with a capital letter are the same functions under their older names.
#define CANNSIM_SET(prefix)                                                                                                            \
    int32_t prefix##SetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {                         \
        return set_address("aclSetTensorAddr", executor, index, Direction::inout, true, tensor, addr);                                  \
    }                                                                                                                                   \
    int32_t prefix##SetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {                    \
        return set_address("aclSetInputTensorAddr", executor, index, Direction::in, false, tensor, addr);                               \
    }                                                                                                                                   \
    int32_t prefix##SetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {                   \
        return set_address("aclSetOutputTensorAddr", executor, index, Direction::out, false, tensor, addr);                             \
    }                                                                                                                                   \
    int32_t prefix##SetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex, aclTensorList* tensors, void* addr) { \
        return set_list_address("aclSetDynamicTensorAddr", executor, irIndex, relativeIndex, Direction::inout, true, tensors, addr);    \
    }                                                                                                                                   \
    int32_t prefix##SetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex, aclTensorList* tensors, void* addr) { \
        return set_list_address("aclSetDynamicInputTensorAddr", executor, irIndex, relativeIndex, Direction::in, false, tensors, addr); \
    }                                                                                                                                   \
    int32_t prefix##SetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex, aclTensorList* tensors, void* addr) { \
        return set_list_address("aclSetDynamicOutputTensorAddr", executor, irIndex, relativeIndex, Direction::out, false, tensors, addr); \
    }
CANNSIM_SET(acl)
CANNSIM_SET(Acl)
#undef CANNSIM_SET

}  // extern "C"
