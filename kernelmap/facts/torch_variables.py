"""Which environment variables change the kernels that torch runs, or how it launches them.

A log states many more: folders of caches, what is logged where, and whatever else has TORCH in its
name. Their values may be anybody's secret, so only variables of this list are ever read (torch
2.13, Triton 3.6). Left out: variables without torch, Inductor, Dynamo or Triton in their name, such
as CUDA_LAUNCH_BLOCKING, which no log states.
"""

from __future__ import annotations

_INDUCTOR = (
    "BENCHMARK_EPILOGUE_FUSION",
    "BENCHMARK_FUSION",
    "COMBO_KERNELS",
    "COMPREHENSIVE_PADDING",
    "COOPERATIVE_REDUCTIONS",
    "COORDINATE_DESCENT_TUNING",
    "CPP_WRAPPER",
    "CUDAGRAPHS",
    "DECOMPOSE_K_THRESHOLD",
    "DETERMINISTIC",
    "DISABLED_PASSES",
    "EMULATE_PRECISION_CASTS",
    "FREEZING",
    "FX_WRAPPER",
    "GRAPH_PARTITION",
    "INPLACE_PADDING",
    "KEEP_OUTPUT_STRIDE",
    "LAYOUT_OPTIMIZATION",
    "LOOP_ORDERING_AFTER_FUSION",
    "MAX_AUTOTUNE",
    "MAX_AUTOTUNE_CONV_BACKENDS",
    "MAX_AUTOTUNE_GEMM",
    "MAX_AUTOTUNE_GEMM_BACKENDS",
    "MAX_AUTOTUNE_GEMM_SEARCH_SPACE",
    "MAX_AUTOTUNE_POINTWISE",
    "MEMORY_PLANNING",
    "MIX_ORDER_REDUCTION",
    "MULTI_KERNEL",
    "NATIVE_MATMUL",
    "ONLINE_SOFTMAX",
    "PERMUTE_FUSION",
    "PERSISTENT_REDUCTIONS",
    "PROLOGUE_FUSION",
    "SHAPE_PADDING",
    "SPLIT_REDUCTIONS",
    "USE_FAST_MATH",
    "USE_STATIC_CUDA_LAUNCHER",
)

_OTHERS = (
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_HIP_ALLOC_CONF",
    "PYTORCH_NO_CUDA_MEMORY_CACHING",
    "PYTORCH_TUNABLEOP_ENABLED",
    "PYTORCH_TUNABLEOP_TUNING",
    "TORCHDYNAMO_DISABLE",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TORCH_BLAS_PREFER_CUBLASLT",
    "TORCH_BLAS_PREFER_HIPBLASLT",
    "TORCH_COMPILE_DISABLE",
    "TORCH_CUDNN_SDPA_ENABLED",
    "TORCH_CUDNN_V8_API_DISABLED",
    "TORCH_LINALG_PREFER_CUSOLVER",
    "TORCH_NCCL_AVOID_RECORD_STREAMS",
    "TORCH_NCCL_BLOCKING_WAIT",
    "TORCH_NCCL_HIGH_PRIORITY",
    "TRITON_DEFAULT_FP_FUSION",
    "TRITON_F32_DEFAULT",
    "TRITON_INTERPRET",
)

KNOWN_VARIABLES = frozenset((*(f"TORCHINDUCTOR_{name}" for name in _INDUCTOR), *_OTHERS))
"""The names that are read; no other variable of an environment is."""
