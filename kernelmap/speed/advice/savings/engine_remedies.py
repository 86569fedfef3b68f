"""What to do about a saving where a serving engine ran: its own options instead of torch's.

The engine compiles, captures and prepares steps in code that is not its user's, so calls of torch
are advised to nobody. None where torch's advice holds for an engine's user, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from kernelmap.facts.engine_options import OPTIONS, EngineOptions
from kernelmap.model.roofline import Slug
from kernelmap.model.savings import Lever
from kernelmap.speed.advice.savings.scene import Scene

_WARMS_UP = re.compile(r"free|alloc|graph_?(?:instantiate|destroy|create)", re.IGNORECASE)
"""Memory and graphs are made before an engine serves."""
_WAITS_FOR_ALL = re.compile(r"device_?synchronize", re.IGNORECASE)


def remedy_of_engine(slug: str, scene: Scene, what: str, bound: str | None) -> str | None:
    """What to do about a saving, most of which lies in `what`.

    `bound` is what keeps calls without a reason from being faster.
    """
    options = OPTIONS.get(scene.engine or "")
    if options is None:
        return None
    if slug in {Lever.SYNCHRONIZATION, Lever.HOST_WORK} and _WARMS_UP.search(what):
        return _record_warm(scene, options)
    if slug == Lever.SYNCHRONIZATION:
        return _wait_less(scene, options, what)
    if slug == Lever.HEADROOM:
        text = _OF_BOUND.get(bound or "memory")
        return None if text is None else _with_kernels(text, options)
    return _REMEDIES[slug](scene, options) if slug in _REMEDIES else _TEXTS.get(slug)


def _let_graphs_launch(_scene: Scene, options: EngineOptions) -> str:
    return (
        f"Let the engine's CUDA graphs launch them: {options.with_graphs}. A batch above the"
        " largest captured one runs without."
    )


def _take_into_graphs(scene: Scene, options: EngineOptions) -> str:
    if not scene.has_cuda_graphs:
        return _let_graphs_launch(scene, options)
    return (
        f"They run outside of the engine's CUDA graphs: {options.outside_graphs}. What prepares"
        " inputs and samples tokens is the engine's own code."
    )


def _record_warm(scene: Scene, options: EngineOptions) -> str:
    return (
        f"{scene.engine} compiles and captures before it serves: record when requests of"
        f" every size have been served ({options.whole_steps})."
    )


def _launch_fewer_graphs(scene: Scene, _options: EngineOptions) -> str:
    return (
        f"CUDA graphs launch already. Let fewer of them do more: {scene.engine} launches one"
        " for a whole decode step where attention can be captured, and larger batches give each"
        " replay more work."
    )


def _leave_out_guards(_scene: Scene, options: EngineOptions) -> str:
    return f"Guards run where compiled code is called, not in CUDA graphs: {options.with_graphs}."


def _wait_less(scene: Scene, options: EngineOptions, what: str) -> str:
    # A step that is prepared ahead needs no value of the one before; the whole device is waited for
    # all the same.
    if options.ahead is None or _WAITS_FOR_ALL.search(what):
        return f"{scene.engine} itself waits there: another version of it may not."
    return f"{scene.engine} itself waits there: {options.ahead}."


def _shorten_python(scene: Scene, options: EngineOptions) -> str:
    if not scene.has_steps:
        marks = f" ({options.marks})" if options.marks else ""
        return (
            "No steps are marked, so the window may hold what the engine did before and between"
            f" them: record with the ranges of its steps{marks}."
        )
    if not scene.has_stacks and options.stacks:
        return (
            "Code ran that leaves no event, such as Python: a profile with stacks"
            f" ({options.stacks}) shows which function."
        )
    return _prepare_ahead(scene, options)


def _prepare_ahead(scene: Scene, options: EngineOptions) -> str:
    ahead = f"{options.ahead}, and " if options.ahead else ""
    return f"It is {scene.engine}'s own work on the host: {ahead}larger batches need fewer steps."


def _record_host_side(_scene: Scene, options: EngineOptions) -> str:
    return f"Record the host side of all launches: {options.recording}."


def _shorten_communication(_scene: Scene, options: EngineOptions) -> str:
    first = "Fewer ranks communicate less, where the model fits on them"
    more = f"; {options.collectives}" if options.collectives else ""
    return f"{first}{more}. `kernelmap fleet` says whether they wait for a slow rank."


def _with_kernels(text: str, options: EngineOptions) -> str:
    return f"{text} {options.kernels}." if options.kernels else text


_REMEDIES: Mapping[str, Callable[[Scene, EngineOptions], str]] = {
    Lever.LAUNCH_BOUND: _let_graphs_launch,
    Lever.EAGER_OPERATORS: _take_into_graphs,
    Lever.COMPILING: _record_warm,
    Lever.RECOMPILES: _record_warm,
    Lever.GRAPH_LAUNCHING: _launch_fewer_graphs,
    Lever.GUARDS: _leave_out_guards,
    Lever.HOST_WORK: _prepare_ahead,
    Lever.PYTHON: _shorten_python,
    Lever.NOT_RECORDED: _record_host_side,
    Lever.EXPOSED_COMMUNICATION: _shorten_communication,
}
_TEXTS: Mapping[str, str] = {
    Lever.GRAPH_BREAK: "Start the engine with TORCH_LOGS=graph_breaks: it lists each break with its"
    " reason. A break in the engine's own code is mended by another version of it.",
    Slug.SPLIT_REDUCTION: "A reduction in one kernel needs more parallel work: larger batches.",
    Slug.FLOAT32_PRODUCT: "Serve the model in bfloat16, or quantized.",
}
_OF_BOUND: Mapping[str, str] = {
    "memory": "Move less: a quantized model, a smaller dtype of the KV cache, or larger batches,"
    " which read the weights once for all.",
    "compute": "A quantized model has a higher limit.",
}
