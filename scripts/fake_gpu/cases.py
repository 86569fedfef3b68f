"""The cases: what is compiled, for which arguments, with which settings of Inductor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from fake_gpu import causes, models, traffic

Arguments = tuple[object, ...]


def normal(*size: int, grad: bool = False, half: bool = False) -> Tensor:
    """A random tensor on the default device."""
    return torch.randn(*size, requires_grad=grad, dtype=torch.half if half else torch.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`build` gives the function and its arguments; it runs where the default device is the GPU.

    `options` go to torch.compile, `config` to torch._inductor.config.
    """

    build: Callable[[], tuple[Callable[..., object], Arguments]]
    options: Mapping[str, object] = field(default_factory=dict)
    config: Mapping[str, object] = field(default_factory=dict)


def _mlp() -> tuple[Callable[..., object], Arguments]:
    return models.MLP(), (normal(8, 128, 256, grad=True),)


def _attention() -> tuple[Callable[..., object], Arguments]:
    torch.set_default_dtype(torch.half)
    try:
        return models.Attention(), (normal(8, 128, 256, grad=True, half=True),)
    finally:
        torch.set_default_dtype(torch.float32)


def _flash() -> tuple[Callable[..., object], Arguments]:
    q, k, v = (normal(2, 4, 128, 64, grad=True, half=True) for _ in range(3))
    return models.flash_attention, (q, k, v)


def _flex() -> tuple[Callable[..., object], Arguments]:
    q, k, v = (normal(2, 4, length, 64, grad=True, half=True) for length in (256, 384, 384))
    return models.flex, (q, k, v)


def _gpt() -> tuple[Callable[..., object], Arguments]:
    torch.set_default_dtype(torch.bfloat16)
    try:
        model = models.GPT()
    finally:
        torch.set_default_dtype(torch.float32)
    tokens, targets = (torch.randint(50304, (8, 512)) for _ in range(2))
    return model, (tokens, targets)


def _conv() -> tuple[Callable[..., object], Arguments]:
    return models.Conv(), (normal(8, 3, 64, 64),)


def _foreach() -> tuple[Callable[..., object], Arguments]:
    weights, gradients = ([normal(64, 64) for _ in range(6)] for _ in range(2))
    return models.foreach_step, (weights, gradients)


def _independent() -> tuple[Callable[..., object], Arguments]:
    return models.independent, (normal(1024), normal(64, 64), normal(128, 512))


def _linear_relu() -> tuple[Callable[..., object], Arguments]:
    x, weight, bias = normal(512, 256, half=True), normal(256, 1024, half=True), normal(1024)
    return models.linear_relu, (x, weight, bias.half())


def _conditional() -> tuple[Callable[..., object], Arguments]:
    return models.conditional, (torch.tensor(data=True), normal(128, 128))


def _user_kernel() -> tuple[Callable[..., object], Arguments]:
    return models.user_kernel, (normal(4096), normal(4096))


def _traffic() -> tuple[Callable[..., object], Arguments]:
    chosen = traffic.patterns()
    return traffic.traffic(chosen), tuple(
        argument for _, arguments in chosen for argument in arguments
    )


_GEMM = {"max_autotune": True, "max_autotune_gemm": True}

CASES: Mapping[str, Case] = {
    "mlp": Case(build=_mlp),
    "attn": Case(build=_attention),
    "attnflash": Case(build=_flash),
    "flex": Case(build=_flex),
    "gpt": Case(build=_gpt),
    "conv": Case(build=_conv),
    "dynamic": Case(build=_mlp, options={"dynamic": True}),
    "maxauto": Case(build=_linear_relu, config={**_GEMM, "max_autotune_gemm_backends": "TRITON"}),
    "maxauto_conv": Case(
        build=lambda: (
            torch.nn.functional.conv2d,
            (normal(8, 64, 56, 56, half=True), normal(128, 64, 3, 3, half=True)),
        ),
        config={**_GEMM, "max_autotune_conv_backends": "TRITON"},
    ),
    "maxauto_epi": Case(
        build=_linear_relu,
        config={
            "max_autotune": True,
            "max_autotune_gemm_backends": "ATEN,TRITON",
            "epilogue_fusion": True,
            "benchmark_epilogue_fusion": False,
        },
    ),
    "foreach": Case(build=_foreach),
    "combo": Case(
        build=_independent, config={"combo_kernels": True, "benchmark_combo_kernel": False}
    ),
    "usertriton": Case(build=_user_kernel),
    "autotune_usertriton": Case(build=lambda: (models.tuned_user_kernel, (normal(4096),))),
    "partition": Case(
        build=lambda: (models.with_host_step, (normal(64, 64), normal(64, 64))),
        options={"mode": "reduce-overhead"},
    ),
    "cond": Case(build=_conditional),
    "customop": Case(build=lambda: (models.custom_operator, (normal(256),))),
    "multikernel": Case(
        build=lambda: (models.softmax, (normal(128, 2048),)), config={"triton.multi_kernel": 3}
    ),
    "scan": Case(build=lambda: (models.scans, (normal(1 << 20),))),
    "annot": Case(
        build=_mlp,
        config={
            "profiler_mark_wrapper_call": True,
            "profile_bandwidth": True,
            "annotate_training": True,
        },
    ),
    "traffic": Case(build=_traffic, config={"profile_bandwidth": True}),
    **{f"cause_{name}": Case(build=build) for name, build in causes.CAUSES.items()},
    "cause_float32_template": Case(
        build=causes.CAUSES["float32_product"],
        config={**_GEMM, "max_autotune_gemm_backends": "TRITON"},
    ),
    "names_torch": Case(build=_mlp, config={"triton.descriptive_names": "torch"}),
    "names_inductor": Case(build=_mlp, config={"triton.descriptive_names": "inductor_node"}),
    "names_nounique": Case(build=_mlp, config={"triton.unique_kernel_names": False}),
}
