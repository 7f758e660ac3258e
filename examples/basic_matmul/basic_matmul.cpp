// One shared library with two doors: a Python module, and torch.ops.AscendCTTorch.basic_matmul after torch.ops.load_library.
#include <algorithm>
#include <string>

#include <ATen/ATen.h>
#include <acl/acl_rt.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>

#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/framework/OpCommand.h"

#include "aclrtlaunch_basic_matmul_bfloat16.h"
#include "aclrtlaunch_basic_matmul_bfloat16_float32.h"
#include "aclrtlaunch_basic_matmul_float16.h"
#include "aclrtlaunch_basic_matmul_float16_float32.h"
#include "aclrtlaunch_basic_matmul_float32.h"

namespace {

using Launch = decltype(&aclrtlaunch_basic_matmul_float16);

// A kernel for each pair of types.
struct Kernel {
    at::ScalarType given, result;
    Launch launch;
};
constexpr Kernel kernels[] = {
    {at::kHalf, at::kHalf, aclrtlaunch_basic_matmul_float16},
    {at::kBFloat16, at::kBFloat16, aclrtlaunch_basic_matmul_bfloat16},
    {at::kFloat, at::kFloat, aclrtlaunch_basic_matmul_float32},
    {at::kHalf, at::kFloat, aclrtlaunch_basic_matmul_float16_float32},
    {at::kBFloat16, at::kFloat, aclrtlaunch_basic_matmul_bfloat16_float32},
};

at::ScalarType type_of(const std::string& name) {
    if (name == "float16") return at::kHalf;
    if (name == "bfloat16") return at::kBFloat16;
    if (name == "float32") return at::kFloat;
    TORCH_CHECK_VALUE(false, "basic_matmul: dtype: expected float16, bfloat16 or float32, got ", name);
}

void check(const at::Tensor& a, const at::Tensor& b) {
    TORCH_CHECK_VALUE(a.dim() == 2 && b.dim() == 2, "basic_matmul: expected two matrices, got tensors of ", a.dim(), " and ", b.dim(), " dimensions");
    TORCH_CHECK_VALUE(a.sym_size(1) == b.sym_size(0), "basic_matmul: expected as many columns of a as rows of b, got ", a.sym_size(1), " and ",
                      b.sym_size(0));
    TORCH_CHECK_TYPE(a.scalar_type() == b.scalar_type(), "basic_matmul: expected a and b of one dtype, got ", a.scalar_type(), " and ",
                     b.scalar_type(), "; convert one with .to()");
    TORCH_CHECK_VALUE(a.device() == b.device(), "basic_matmul: expected a and b on one device, got ", a.device(), " and ", b.device());
}

const Kernel& kernel_for(const at::Tensor& a, at::ScalarType result) {
    const auto found = std::find_if(std::begin(kernels), std::end(kernels),
                                    [&](const Kernel& kernel) { return kernel.given == a.scalar_type() && kernel.result == result; });
    TORCH_CHECK_TYPE(found != std::end(kernels), "basic_matmul: expected a and b of the result's dtype, or half or bfloat16 and the dtype float32, "
                     "got ", a.scalar_type(), " and ", result, "; convert them with .to()");
    return *found;
}

// A matrix as the kernels take it: one whose rows or columns have their elements side by side; a copy of any other.
struct Operand {
    at::Tensor tensor;
    uint64_t pitch;
    bool by_columns;

    explicit Operand(const at::Tensor& given) : tensor(given), pitch(0), by_columns(false) {
        if (lies_by(0)) return;
        by_columns = lies_by(1);
        if (by_columns) return;
        tensor = given.contiguous();
        lies_by(0);
    }

private:
    // Whether what has one index along `outer` lies side by side; sets the pitch.
    bool lies_by(int64_t outer) {
        const int64_t inner_size = tensor.size(1 - outer), pitch_there = tensor.size(outer) > 1 ? tensor.stride(outer) : inner_size;
        if ((inner_size > 1 && tensor.stride(1 - outer) != 1) || pitch_there < inner_size) return false;
        pitch = static_cast<uint64_t>(pitch_there);
        return true;
    }
};

uint32_t cube_cores(int32_t device) {
    int64_t count = 0;
    const aclError error = aclrtGetDeviceInfo(static_cast<uint32_t>(device), ACL_DEV_ATTR_CUBE_CORE_NUM, &count);
    TORCH_CHECK(error == 0 && count > 0, "basic_matmul: aclrtGetDeviceInfo gave ", error);
    return static_cast<uint32_t>(count);
}

at::Tensor basic_matmul_npu(const at::Tensor& a, const at::Tensor& b, const std::string& dtype) {
    check(a, b);
    const at::ScalarType result = type_of(dtype);
    const Kernel& kernel = kernel_for(a, result);
    TORCH_CHECK_VALUE(a.is_privateuseone(), "basic_matmul: expected tensors of an NPU, got tensors of ", a.device(), "; move them with .npu()");
    const c10::DeviceGuard guard(a.device());
    const Operand left(a), right(b);
    const int64_t m = a.size(0), n = b.size(1), k = a.size(1);
    TORCH_CHECK_VALUE(std::max({m, n, k}) <= UINT32_MAX, "basic_matmul: expected sides below 2^32");
    at::Tensor c = at::empty({m, n}, a.options().dtype(result));
    if (!c.numel()) return c;
    const uint64_t tiles = static_cast<uint64_t>((m + 127) / 128) * static_cast<uint64_t>((n + 255) / 256);
    const auto blocks = static_cast<uint32_t>(std::min<uint64_t>(tiles, cube_cores(a.device().index())));
    aclrtStream const stream = c10_npu::getCurrentNPUStream().stream(false);
    // torch_npu runs it in order with its own operators; what it holds lives until then.
    at_npu::native::OpCommand::RunOpApiV2("BasicMatmul", [=]() -> int {
        return static_cast<int>(kernel.launch(blocks, stream, left.tensor.data_ptr(), right.tensor.data_ptr(), c.data_ptr(), left.pitch, right.pitch,
                                              static_cast<uint32_t>(m), static_cast<uint32_t>(n), static_cast<uint32_t>(k),
                                              (left.by_columns ? 1u : 0u) | (right.by_columns ? 2u : 0u)));
    });
    return c;
}

// Shape and dtype alone: for fake tensors.
at::Tensor basic_matmul_meta(const at::Tensor& a, const at::Tensor& b, const std::string& dtype) {
    check(a, b);
    const at::ScalarType result = type_of(dtype);
    kernel_for(a, result);
    return at::empty_symint({a.sym_size(0), b.sym_size(1)}, a.options().dtype(result));
}

const char* name_of(at::ScalarType type) {
    return type == at::kHalf ? "float16" : type == at::kBFloat16 ? "bfloat16" : "float32";
}

// By torch's dispatcher: what is traced, recorded or transformed is so here, too.
at::Tensor basic_matmul(const at::Tensor& a, const at::Tensor& b, const std::string& dtype) {
    static const auto call = c10::Dispatcher::singleton()
                                 .findSchemaOrThrow("AscendCTTorch::basic_matmul", "")
                                 .typed<at::Tensor(const at::Tensor&, const at::Tensor&, const std::string&)>();
    return call.call(a, b, dtype);
}

// The gradients are products of the same kind; they have the operands' dtype, in which the result's gradient is taken.
struct Gradients : torch::autograd::Function<Gradients> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& a, const at::Tensor& b, const std::string& dtype) {
        const at::AutoDispatchBelowADInplaceOrView below;
        context->save_for_backward({a, b});
        return basic_matmul(a, b, dtype);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, const torch::autograd::variable_list& given) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &a = saved[0], &b = saved[1], dc = given[0].to(a.scalar_type());
        const std::string dtype = name_of(a.scalar_type());
        return {context->needs_input_grad(0) ? basic_matmul(dc, b.t(), dtype) : at::Tensor(),
                context->needs_input_grad(1) ? basic_matmul(a.t(), dc, dtype) : at::Tensor(), at::Tensor()};
    }
};

at::Tensor basic_matmul_recorded(const at::Tensor& a, const at::Tensor& b, const std::string& dtype) { return Gradients::apply(a, b, dtype); }

}  // namespace

TORCH_LIBRARY(AscendCTTorch, library) {
    library.def("basic_matmul(Tensor a, Tensor b, str dtype) -> Tensor", {at::Tag::pt2_compliant_tag});
    library.impl("basic_matmul", c10::DispatchKey::PrivateUse1, &basic_matmul_npu);
    library.impl("basic_matmul", c10::DispatchKey::CPU, &basic_matmul_npu);  // which refuses them
    library.impl("basic_matmul", c10::DispatchKey::Meta, &basic_matmul_meta);
    library.impl("basic_matmul", c10::DispatchKey::Autograd, &basic_matmul_recorded);
}

PYBIND11_MODULE(ascendct_torch, module) {
    module.doc() = "Matrix products by a kernel in Ascend C, for tensors of an NPU.";
    module.def("basic_matmul", &basic_matmul, "a @ b as a tensor of `dtype`: float16, bfloat16 or float32.", pybind11::arg("a"), pybind11::arg("b"),
               pybind11::arg("dtype"), pybind11::call_guard<pybind11::gil_scoped_release>());
}
