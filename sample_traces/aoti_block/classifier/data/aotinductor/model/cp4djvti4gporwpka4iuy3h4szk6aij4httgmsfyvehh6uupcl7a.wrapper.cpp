
#include <torch/csrc/inductor/aoti_include/cpu.h>




















































































































































































































































































































































































































































































































































































































































































#include <torch/csrc/inductor/aoti_runtime/kernel_context_tls.h>

namespace torch::aot_inductor {
thread_local KernelContext* tls_kernel_context = nullptr;
}
extern "C"  void  cpp_fused_gelu_native_layer_norm_0(float* in_out_ptr0,
                       float* in_out_ptr1,
                       const float* in_ptr1,
                       const float* in_ptr2,
                       float* out_ptr1);
extern "C"  void  cpp_fused__softmax_1(const float* in_ptr0,
                       float* out_ptr0,
                       float* out_ptr1,
                       float* out_ptr2);
CACHE_TORCH_DTYPE(float32);
CACHE_TORCH_DEVICE(cpu);
CACHE_TORCH_LAYOUT(strided);
namespace torch::aot_inductor {
namespace {
class AOTInductorModelKernels : public AOTInductorModelKernelsBase {
  public:
    void* cpp_fused__softmax_1{nullptr};
    void* cpp_fused_gelu_native_layer_norm_0{nullptr};
};
}  // namespace



AOTInductorModel::AOTInductorModel(std::shared_ptr<ConstantMap> constants_map,
                                   std::shared_ptr<std::vector<ConstantHandle>> constants_array,
                                   const std::string& device_str,
                                   std::optional<std::string> cubin_dir)
    : AOTInductorModelBase(1,
                           1,
                           6,
                           device_str,
                           std::move(cubin_dir),
                           true) {
    inputs_info_[0].name = "arg6_1";
    constants_info_[0].name = "up_weight";
    constants_info_[0].dtype = cached_torch_dtype_float32;
    constants_info_[0].device_type = cached_torch_device_type_cpu;
    constants_info_[0].offset = 0;
    constants_info_[0].data_size = 65536;
    constants_info_[0].from_folded = false;
    constants_info_[0].type = static_cast<int32_t>(torch::aot_inductor::ConstantType::Parameter);
    constants_info_[0].shape = {256, 64};
    constants_info_[0].stride = {64, 1};
    constants_info_[0].layout = static_cast<int32_t>(cached_torch_layout_strided);
    constants_info_[0].original_fqn = "up.weight";
    constants_info_[1].name = "up_bias";
    constants_info_[1].dtype = cached_torch_dtype_float32;
    constants_info_[1].device_type = cached_torch_device_type_cpu;
    constants_info_[1].offset = 0;
    constants_info_[1].data_size = 1024;
    constants_info_[1].from_folded = false;
    constants_info_[1].type = static_cast<int32_t>(torch::aot_inductor::ConstantType::Parameter);
    constants_info_[1].shape = {256};
    constants_info_[1].stride = {1};
    constants_info_[1].layout = static_cast<int32_t>(cached_torch_layout_strided);
    constants_info_[1].original_fqn = "up.bias";
    constants_info_[2].name = "norm_weight";
    constants_info_[2].dtype = cached_torch_dtype_float32;
    constants_info_[2].device_type = cached_torch_device_type_cpu;
    constants_info_[2].offset = 0;
    constants_info_[2].data_size = 1024;
    constants_info_[2].from_folded = false;
    constants_info_[2].type = static_cast<int32_t>(torch::aot_inductor::ConstantType::Parameter);
    constants_info_[2].shape = {256};
    constants_info_[2].stride = {1};
    constants_info_[2].layout = static_cast<int32_t>(cached_torch_layout_strided);
    constants_info_[2].original_fqn = "norm.weight";
    constants_info_[3].name = "norm_bias";
    constants_info_[3].dtype = cached_torch_dtype_float32;
    constants_info_[3].device_type = cached_torch_device_type_cpu;
    constants_info_[3].offset = 0;
    constants_info_[3].data_size = 1024;
    constants_info_[3].from_folded = false;
    constants_info_[3].type = static_cast<int32_t>(torch::aot_inductor::ConstantType::Parameter);
    constants_info_[3].shape = {256};
    constants_info_[3].stride = {1};
    constants_info_[3].layout = static_cast<int32_t>(cached_torch_layout_strided);
    constants_info_[3].original_fqn = "norm.bias";
    constants_info_[4].name = "decide_weight";
    constants_info_[4].dtype = cached_torch_dtype_float32;
    constants_info_[4].device_type = cached_torch_device_type_cpu;
    constants_info_[4].offset = 0;
    constants_info_[4].data_size = 49152;
    constants_info_[4].from_folded = false;
    constants_info_[4].type = static_cast<int32_t>(torch::aot_inductor::ConstantType::Parameter);
    constants_info_[4].shape = {48, 256};
    constants_info_[4].stride = {256, 1};
    constants_info_[4].layout = static_cast<int32_t>(cached_torch_layout_strided);
    constants_info_[4].original_fqn = "decide.weight";
    constants_info_[5].name = "decide_bias";
    constants_info_[5].dtype = cached_torch_dtype_float32;
    constants_info_[5].device_type = cached_torch_device_type_cpu;
    constants_info_[5].offset = 0;
    constants_info_[5].data_size = 192;
    constants_info_[5].from_folded = false;
    constants_info_[5].type = static_cast<int32_t>(torch::aot_inductor::ConstantType::Parameter);
    constants_info_[5].shape = {48};
    constants_info_[5].stride = {1};
    constants_info_[5].layout = static_cast<int32_t>(cached_torch_layout_strided);
    constants_info_[5].original_fqn = "decide.bias";
    update_constants_map(std::move(constants_map));
    update_constants_array(std::move(constants_array));
    in_spec_ = R"([1, {"type": "builtins.tuple", "context": "null", "children_spec": [{"type": "builtins.tuple", "context": "null", "children_spec": [{"type": null, "context": null, "children_spec": []}]}, {"type": "builtins.dict", "context": "[]", "children_spec": []}]}])";
    out_spec_ = R"([1, {"type": null, "context": null, "children_spec": []}])";
    outputs_info_[0].name = "output0";
    this->kernels_ = std::make_unique<AOTInductorModelKernels>();
}

std::unordered_map<std::string, AtenTensorHandle> AOTInductorModel::const_run_impl(
    DeviceStreamType stream,
    AOTIProxyExecutorHandle proxy_executor,
    bool initialization
) {

    if (!initialization) {
        std::cerr << "[WARNING] Calling constant_folding in model, but compiled with config: "
                  << "aot_inductor.use_runtime_constant_folding=False\n";
    }
    return {};
}
} // namespace torch::aot_inductor
using namespace torch::aot_inductor;
namespace torch::aot_inductor {

void AOTInductorModel::_const_run_impl(
    std::vector<AtenTensorHandle>& output_handles,
    DeviceStreamType stream,
    AOTIProxyExecutorHandle proxy_executor
) {}

AOTI_NOINLINE static void check_input_0(
    AtenTensorHandle* input_handles
) {
    ConstantHandle arg6_1 = ConstantHandle(input_handles[0]);
    int32_t arg6_1_dtype;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_get_dtype(arg6_1, &arg6_1_dtype));

    int32_t arg6_1_expected_dtype = aoti_torch_dtype_float32();
    if (arg6_1_expected_dtype != arg6_1_dtype) {
        std::stringstream ss;
        ss << "input_handles[0]: unmatched dtype, "
           << "expected: " << arg6_1_expected_dtype << "(at::kFloat), "
           << "but got: " << arg6_1_dtype << "\n";
        throw std::runtime_error(std::move(ss).str());
    }
    auto arg6_1_size = arg6_1.sizes();

    if (32 != arg6_1_size[0]) {
        std::stringstream ss;
        ss << "input_handles[0]: unmatched dim value at 0, "
           << "expected: 32, " << "but got: " << arg6_1_size[0]
           << "\n";
        throw std::runtime_error(std::move(ss).str());
    }

    if (64 != arg6_1_size[1]) {
        std::stringstream ss;
        ss << "input_handles[0]: unmatched dim value at 1, "
           << "expected: 64, " << "but got: " << arg6_1_size[1]
           << "\n";
        throw std::runtime_error(std::move(ss).str());
    }
    auto arg6_1_stride = arg6_1.strides();

    if (64 != arg6_1_stride[0]) {
        std::stringstream ss;
        ss << "input_handles[0]: unmatched stride value at 0, "
           << "expected: 64, " << "but got: " << arg6_1_stride[0]
           << "\n";
        throw std::runtime_error(std::move(ss).str());
    }

    if (1 != arg6_1_stride[1]) {
        std::stringstream ss;
        ss << "input_handles[0]: unmatched stride value at 1, "
           << "expected: 1, " << "but got: " << arg6_1_stride[1]
           << "\n";
        throw std::runtime_error(std::move(ss).str());
    }
    int32_t arg6_1_device_type;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_type(arg6_1, &arg6_1_device_type));

    int32_t arg6_1_expected_device_type = 0;
    if (arg6_1_expected_device_type != arg6_1_device_type) {
        std::stringstream ss;
        ss << "input_handles[0]: unmatched device type, "
        << "expected: " << arg6_1_expected_device_type << "0(cpu), "
        << "but got: " << arg6_1_device_type << "\n";
        throw std::runtime_error(std::move(ss).str());
    }
}

static bool _check_aoti_runtime_check_inputs_env() {
    const static char* env_var_value = getenv("AOTI_RUNTIME_CHECK_INPUTS");
    const static bool result = env_var_value != nullptr && env_var_value[0] != '0';
    return result;
}

AOTI_NOINLINE static void __check_inputs_outputs(
    AtenTensorHandle* input_handles,
    AtenTensorHandle* output_handles) {
    if (!_check_aoti_runtime_check_inputs_env()){
        return;
    }
    check_input_0(input_handles);
}

void AOTInductorModel::run_impl(
    AtenTensorHandle*
        input_handles, // array of input AtenTensorHandle; handles
                        // are stolen; the array itself is borrowed
    AtenTensorHandle*
        output_handles, // array for writing output AtenTensorHandle; handles
                        // will be stolen by the caller; the array itself is
                        // borrowed
    DeviceStreamType stream,
    AOTIProxyExecutorHandle proxy_executor
) {
    __check_inputs_outputs(input_handles, output_handles);
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 1);
    auto arg6_1 = std::move(inputs[0]);
    [[maybe_unused]] auto& up_weight = constants_->at(0);
    [[maybe_unused]] auto& up_bias = constants_->at(1);
    [[maybe_unused]] auto& norm_weight = constants_->at(2);
    [[maybe_unused]] auto& norm_bias = constants_->at(3);
    [[maybe_unused]] auto& decide_weight = constants_->at(4);
    [[maybe_unused]] auto& decide_bias = constants_->at(5);
    inputs.clear();
    [[maybe_unused]] auto& kernels = static_cast<AOTInductorModelKernels&>(*this->kernels_.get());
    RAIIAtenRecordFunctionHandle record_inductor_wrapper_call_("inductor_wrapper_call", nullptr);
    if (_check_aoti_runtime_check_inputs_env()) { assert_size_stride(arg6_1, {32L, 64L}, {64L, 1L}, "input"); }
    static constexpr int64_t int_array_0[] = {32L, 256L};
    static constexpr int64_t int_array_1[] = {256L, 1L};
    AtenTensorHandle buf0_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(2, int_array_0, int_array_1, cached_torch_dtype_float32, cached_torch_device_type_cpu, this->device_idx_, &buf0_handle));
    RAIIAtenTensorHandle buf0(buf0_handle);
    // Topologically Sorted Source Nodes: [linear], Original ATen: [aten.t, aten.addmm]
    // [Provenance debug handles] aoti_torch_cpu_addmm_out:1
    static constexpr int64_t int_array_2[] = {64L, 256L};
    static constexpr int64_t int_array_3[] = {1L, 64L};
    {
    KernelContextGuard _ctx("aoti_torch_cpu_addmm_out", R"(
File "/home/user/classifier.py", line 25, in forward
    hidden = F.gelu(self.norm(self.up(x)))
  File "/opt/venv/lib/python3/site-packages/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)
)");
    RAIIAtenRecordFunctionHandle record_aoti_torch_cpu_addmm_out_("aoti_torch_cpu_addmm_out", nullptr);
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cpu_addmm_out(buf0, up_bias, arg6_1, wrap_with_raii_handle_if_needed(reinterpret_tensor_wrapper(up_weight, 2, int_array_2, int_array_3, 0L)), 1L, 1L));
    }
    arg6_1.reset();
    static constexpr int64_t int_array_4[] = {32L, 1L};
    static constexpr int64_t int_array_5[] = {1L, 32L};
    AtenTensorHandle buf1_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(2, int_array_4, int_array_5, cached_torch_dtype_float32, cached_torch_device_type_cpu, this->device_idx_, &buf1_handle));
    RAIIAtenTensorHandle buf1(buf1_handle);
    auto buf2 = std::move(buf1);  // reuse
    AtenTensorHandle buf3_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(2, int_array_4, int_array_5, cached_torch_dtype_float32, cached_torch_device_type_cpu, this->device_idx_, &buf3_handle));
    RAIIAtenTensorHandle buf3(buf3_handle);
    auto buf4 = std::move(buf0);  // reuse
    auto buf5 = std::move(buf4);  // reuse
    // [Provenance debug handles] cpp_fused_gelu_native_layer_norm_0:2
    {
    KernelContextGuard _ctx("cpp_fused_gelu_native_layer_norm_0", R"(
File "/home/user/classifier.py", line 25, in forward
    hidden = F.gelu(self.norm(self.up(x)))
  File "/opt/venv/lib/python3/site-packages/torch/nn/modules/normalization.py", line 228, in forward
    return F.layer_norm(

File "/home/user/classifier.py", line 25, in forward
    hidden = F.gelu(self.norm(self.up(x)))
)");
    cpp_fused_gelu_native_layer_norm_0((float*)(buf2.data_ptr()), (float*)(buf5.data_ptr()), (const float*)(norm_weight.data_ptr()), (const float*)(norm_bias.data_ptr()), (float*)(buf3.data_ptr()));
    }
    static constexpr int64_t int_array_6[] = {32L, 48L};
    static constexpr int64_t int_array_7[] = {48L, 1L};
    AtenTensorHandle buf6_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(2, int_array_6, int_array_7, cached_torch_dtype_float32, cached_torch_device_type_cpu, this->device_idx_, &buf6_handle));
    RAIIAtenTensorHandle buf6(buf6_handle);
    // Topologically Sorted Source Nodes: [gelu, linear_1], Original ATen: [aten.gelu, aten.t, aten.addmm]
    // [Provenance debug handles] aoti_torch_cpu_addmm_out:3
    static constexpr int64_t int_array_8[] = {256L, 48L};
    static constexpr int64_t int_array_9[] = {1L, 256L};
    {
    KernelContextGuard _ctx("aoti_torch_cpu_addmm_out", R"(
File "/home/user/classifier.py", line 26, in forward
    shares = torch.softmax(self.decide(hidden), -1)
  File "/opt/venv/lib/python3/site-packages/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)
)");
    RAIIAtenRecordFunctionHandle record_aoti_torch_cpu_addmm_out_("aoti_torch_cpu_addmm_out", nullptr);
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cpu_addmm_out(buf6, decide_bias, buf5, wrap_with_raii_handle_if_needed(reinterpret_tensor_wrapper(decide_weight, 2, int_array_8, int_array_9, 0L)), 1L, 1L));
    }
    buf5.reset();
    auto buf7 = std::move(buf3);  // reuse
    auto buf9 = std::move(buf2);  // reuse
    AtenTensorHandle buf10_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(2, int_array_6, int_array_7, cached_torch_dtype_float32, cached_torch_device_type_cpu, this->device_idx_, &buf10_handle));
    RAIIAtenTensorHandle buf10(buf10_handle);
    // [Provenance debug handles] cpp_fused__softmax_1:4
    {
    KernelContextGuard _ctx("cpp_fused__softmax_1", R"(
File "/home/user/classifier.py", line 26, in forward
    shares = torch.softmax(self.decide(hidden), -1)
)");
    cpp_fused__softmax_1((const float*)(buf6.data_ptr()), (float*)(buf7.data_ptr()), (float*)(buf9.data_ptr()), (float*)(buf10.data_ptr()));
    }
    buf6.reset();
    buf7.reset();
    buf9.reset();
    // Topologically Sorted Source Nodes: [softmax, topk], Original ATen: [aten._softmax, aten.topk]
    // [Provenance debug handles] aoti_torch_cpu_topk:5
    AtenTensorHandle buf12_handle;
    AtenTensorHandle buf13_handle;
    {
    KernelContextGuard _ctx("aoti_torch_cpu_topk", R"()");
    RAIIAtenRecordFunctionHandle record_aoti_torch_cpu_topk_("aoti_torch_cpu_topk", nullptr);
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cpu_topk(buf10, 3L, -1L, 1, 1, &buf12_handle, &buf13_handle));
    }
    RAIIAtenTensorHandle buf12(buf12_handle);
    RAIIAtenTensorHandle buf13(buf13_handle);
    buf10.reset();
    if (_check_aoti_runtime_check_inputs_env()) { assert_size_stride(buf12, {32L, 3L}, {3L, 1L}, "torch.ops.aten.topk.default"); }
    output_handles[0] = buf12.release();
} // AOTInductorModel::run_impl
} // namespace torch::aot_inductor
