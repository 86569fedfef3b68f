"""What a serving engine calls its steps: range names → engine, kind, requests, tokens.

| engine | range of a step |
|---|---|
| vLLM 0.21 | `execute_context_2(512)_generation_30(30)`: requests, in parentheses tokens |
| vLLM 0.26, detailed | `execute_32_context_0(sq0sk0…)_generation_32(sq32sk9…)`: `sq` tokens |
| vLLM, before | `execute_new_1_cached_31`: requests that are new, and all others |
| SGLang, 2026 | `step[EXTEND bs=2 toks=4096]`, `step[DECODE bs=16]`, `step[MIXED bs=2 c=1 …]` |
| ATOM, 2026 | `prefill[bs=2 tok=16384]`, `decode[bs=64 tok=64]` |
| TensorRT-LLM 1.3 | `[Executor] _forward_step 7: 2 ctx reqs, 5 gen reqs`, of NVTX |
| TensorRT-LLM, 2026 | `[Executor] _forward_step 7: 2 ctx reqs, 512 ctx tokens, 5 gen reqs` |

Where no version stands, the text is that of a recording or of the project's code of that year.
A request in vLLM's `context` has no token yet, one in `generation` has some. Of `cached` requests
no text says which they are: those of a prompt that runs in pieces are among them. A step that
checks drafted tokens (`TARGET_VERIFY`) is a kind of its own, for its work is neither that of a
decode step nor that of a prefill.

vLLM's model runner has ranges for the parts of a step, too (`gpu_model_runner: forward`); they say
neither kind nor size.
"""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from kernelmap.model.trace import StepKind, Trace


class EngineStep(Struct, frozen=True, kw_only=True):
    """What a range says of its step: None where it does not.

    `batch` is how many requests it has, `tokens` how many tokens it computes.
    """

    engine: str
    kind: StepKind | None = None
    batch: int | None = None
    tokens: int | None = None


_MOST_DIGITS = 12
"""More are no number of requests or tokens; a hostile name may have thousands."""
_NUMBER = rf"\d{{1,{_MOST_DIGITS}}}"
_VLLM = re.compile(
    rf"execute_(?:{_NUMBER}_)?context_({_NUMBER})\((?:sq)?({_NUMBER})(?:sk[a-z0-9]*)?\)"
    rf"_generation_({_NUMBER})\((?:sq)?({_NUMBER})(?:sk[a-z0-9]*)?\)"
)
_VLLM_CACHED = re.compile(rf"execute_new_({_NUMBER})_cached_({_NUMBER})")
_SGLANG = re.compile(rf"step\[([A-Z0-9_]+) bs=({_NUMBER})((?: [a-z_]+={_NUMBER})*)\]")
_ATOM = re.compile(rf"(prefill|decode)\[bs=({_NUMBER})(?: toks?=({_NUMBER}))?(?: [^\]]*)?\]")
_TRTLLM = re.compile(
    rf"\[Executor\] _forward_step(?: {_NUMBER})?: ({_NUMBER}) ctx reqs(?:, ({_NUMBER}) ctx tokens)?"
    rf", ({_NUMBER}) gen reqs"
)
_FIELD = re.compile(rf"([a-z_]+)=({_NUMBER})")
_RUNNER = "gpu_model_runner: "

_MODES = {
    # SGLang's ForwardMode. A prefill that is split over layers is one.
    "EXTEND": StepKind.PREFILL,
    "SPLIT_PREFILL": StepKind.PREFILL,
    "DECODE": StepKind.DECODE,
    "MIXED": StepKind.MIXED,
    "TARGET_VERIFY": StepKind.VERIFY,
    "DRAFT_EXTEND": StepKind.DRAFT,
    "DRAFT_EXTEND_V2": StepKind.DRAFT,
    "IDLE": StepKind.IDLE,
}


def engine_step(name: str) -> EngineStep | None:
    """What the range `name` says of the step it is, None where it is no step of an engine.

    >>> engine_step("execute_context_1(512)_generation_30(30)")
    EngineStep(engine='vLLM', kind=<StepKind.MIXED: 'mixed'>, batch=31, tokens=542)
    >>> engine_step("step[DECODE bs=16]")
    EngineStep(engine='SGLang', kind=<StepKind.DECODE: 'decode'>, batch=16, tokens=None)
    >>> engine_step("execute_new_0_cached_8").kind is None, engine_step("decode") is None
    (True, True)
    """
    # A quick filter: a trace has very many names, and few are steps.
    return _read_step(name) if name.startswith(_BEGINNINGS) else None


_BEGINNINGS = ("execute_", "step[", "prefill[", "decode[", "[Executor] _forward_step")


@cache
def _read_step(name: str) -> EngineStep | None:
    if found := _VLLM.fullmatch(name):
        context, context_tokens, generation, generation_tokens = map(int, found.groups())
        return EngineStep(
            engine="vLLM",
            kind=_kind_of_requests(context, generation),
            batch=context + generation,
            tokens=context_tokens + generation_tokens,
        )
    if found := _VLLM_CACHED.fullmatch(name):
        new, cached = map(int, found.groups())
        kind = StepKind.PREFILL if new and not cached else None
        return EngineStep(engine="vLLM", kind=kind, batch=new + cached)
    if found := _SGLANG.fullmatch(name):
        fields = {key: int(number) for key, number in _FIELD.findall(found[3])}
        tokens = fields.get("toks")
        if tokens is None and "c_sq" in fields and "g_sq" in fields:
            tokens = fields["c_sq"] + fields["g_sq"]
        return EngineStep(
            engine="SGLang", kind=_MODES.get(found[1]), batch=int(found[2]), tokens=tokens
        )
    if found := _ATOM.fullmatch(name):
        tokens = None if found[3] is None else int(found[3])
        return EngineStep(
            engine="ATOM", kind=StepKind(found[1]), batch=int(found[2]), tokens=tokens
        )
    if found := _TRTLLM.fullmatch(name):
        context, generation = int(found[1]), int(found[3])
        # How many tokens a request in generation checks at once is not said.
        tokens = int(found[2]) if found[2] is not None and not generation else None
        return EngineStep(
            engine="TensorRT-LLM",
            kind=_kind_of_requests(context, generation),
            batch=context + generation,
            tokens=tokens,
        )
    return None


def _kind_of_requests(context: int, generation: int) -> StepKind:
    if context and generation:
        return StepKind.MIXED
    if generation:
        return StepKind.DECODE
    return StepKind.PREFILL if context else StepKind.IDLE


def runner_part(name: str) -> str | None:
    """Which part of a step vLLM's model runner calls so: the runner's own word, else None.

    >>> runner_part("gpu_model_runner: forward"), runner_part("forward")
    ('forward', None)
    """
    return name.removeprefix(_RUNNER) if name.startswith(_RUNNER) else None


_NAMESPACES = {
    # Operators that an engine registers for itself; those of kernels' libraries say nothing of it.
    "vllm": "vLLM",
    "sglang": "SGLang",
    "sgl_kernel": "SGLang",
    "sgl": "SGLang",
    "trtllm": "TensorRT-LLM",
}


def find_engine(trace: Trace) -> str | None:
    """The engine that ran: by its steps, else by its own operators; None where none or several."""
    engines = {step.engine for step in trace.steps if step.engine is not None}
    if not engines:
        spaces = {name.partition("::")[0] for name in trace.ranges.names if "::" in name}
        engines = {_NAMESPACES[space] for space in spaces & _NAMESPACES.keys()}
    return engines.pop() if len(engines) == 1 else None
