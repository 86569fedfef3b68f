"""Let Inductor write its code, and stop it before it would load, measure or launch anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

import torch
from torch._functorch import config as functorch_config
from torch._inductor import async_compile, codecache, compile_fx, output_code, select_algorithm
from torch._inductor.runtime import benchmarking, triton_helpers

from fake_gpu.device import always, replace


class StopRunError(Exception):
    """Raised in place of the first launch: all code is written by then."""


class StubKernel:
    """Stands where a loaded Triton kernel would; the generated module only names it."""

    precompile = staticmethod(always(None))
    run = staticmethod(always(None))


def hold() -> None:
    """Replace what needs a device."""
    functorch_config.force_non_lazy_backward_lowering = True  # else only the forward gets code
    functorch_config.enable_autograd_cache = False
    replace(async_compile.AsyncCompile, triton=always(StubKernel()), wait=always(None))
    replace(output_code.CompiledFxGraph, __call__=_stop)
    replace(codecache.CppWrapperCodeCache, load_pybinding=always(always(None)))
    replace(compile_fx, cudagraphify=lambda model, *_args, **_kwargs: model)
    replace(triton_helpers, set_driver_to_gpu=always(None))
    _no_measuring()


def compiled(function: Callable[..., object], *args: object, **options: object) -> None:
    """Compile `function` for these arguments; nothing runs."""
    with suppress(StopRunError):
        torch.compile(function, **options)(*args)


def _stop(*_: object) -> None:
    raise StopRunError


def _invented_times(*args: object, **_: object) -> dict[object, float]:
    """Times for max-autotune's choices: in order, and Triton templates ahead of libraries."""
    choices = next(arg for arg in args if isinstance(arg, (list, tuple)) and _are_choices(arg))
    return {
        choice: (0.5 if isinstance(choice, select_algorithm.TritonTemplateCaller) else 1.0)
        + position * 1e-3
        for position, choice in enumerate(choices)
    }


def _are_choices(arg: Iterable[object]) -> bool:
    first = next(iter(arg), None)
    return isinstance(first, select_algorithm.ChoiceCaller)


def _no_measuring() -> None:
    cache = select_algorithm.AlgorithmSelectorCache
    for name in ("benchmark_in_current_process", "benchmark_in_sub_process"):
        replace(cache, **{name: classmethod(_invented_times)})
    replace(cache, make_precompile_fn=always(dict))
    for benchmarker in vars(benchmarking).values():
        if isinstance(benchmarker, type) and issubclass(benchmarker, benchmarking.Benchmarker):
            for name in {"benchmark", "benchmark_gpu", "benchmark_many_gpu"} & vars(
                benchmarker
            ).keys():
                replace(benchmarker, **{name: always(1.0)})
