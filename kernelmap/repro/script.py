"""The text of a script: what runs one call, or two neighbours, by itself.

Each part is made of what is known of the calls; the sentences and the helpers are these here. Read
`Script` from the top: that is the order in which the text stands.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.repro.configurations import LaunchPlan
from kernelmap.repro.eager_check import EagerCheck
from kernelmap.repro.kernel_text import TritonKernel
from kernelmap.repro.literals import one_line, quote_source, safe_name
from kernelmap.repro.operands import CallMemory, CallTensor
from kernelmap.repro.recorded import RecordedCall
from kernelmap.repro.script_texts import (
    CHANGE,
    COMPARE,
    MAKE_TENSOR,
    MEASURE_ON_CPU,
    MEASURE_ON_GPU,
    TRY_OTHERS,
)
from kernelmap.repro.tries import CallTries

_WIDTH = 100
_COARSE = 0.2
_TOLERANCES = {"float64": 1e-8, "float32": 1e-3, "float16": 1e-2, "bfloat16": 5e-2}
"""What rounding may change of a result, in parts of its largest value, by the type that rounds
most: eager PyTorch rounds each result, products on tensor cores round float32 to TensorFloat32."""
RESULT = "result"
"""What a library call gives back, in the check of it."""


class MadeTensor(Struct, frozen=True, kw_only=True):
    """Memory that the script makes, and what is in it.

    `below` is the number that values of an index stay below, None for any values; `ends` says that
    they are where groups of so many rows end.
    """

    memory: CallMemory
    below: int | None = None
    ends: int | None = None


class CppKernel(Struct, frozen=True, kw_only=True):
    """A C++ kernel: the types of its arguments and its source, as generated code has them."""

    name: str
    types: tuple[str, ...]
    source: str


class ScriptCall(Struct, frozen=True, kw_only=True):
    """One call in a script.

    `arguments` are its arguments as text, `views` the tensors among them that are no whole memory,
    by the variable that the script gives them. `expression` is what a library call runs, `results`
    have the wrapper's names of what it gives back, with the place of each, None of a single one.
    `check` is None where there is none, and `unchecked` says why. `written` are the names of memory
    that it writes. `tries` is what else may be measured, None of a kernel that has nothing.
    """

    title: str
    arguments: tuple[str, ...]
    views: Mapping[str, CallTensor]
    recorded: RecordedCall
    triton: TritonKernel | None = None
    cpp: CppKernel | None = None
    plan: LaunchPlan | None = None
    expression: str = ""
    check: EagerCheck | None = None
    unchecked: str = ""
    imports: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    results: tuple[tuple[int | None, str], ...] = ()
    written: tuple[str, ...] = ()
    tries: CallTries | None = None


class Script(Struct, frozen=True, kw_only=True):
    """A whole script: calls in their order, and the memory that they share.

    `origin` are sentences about the recording, for its docstring, `torch` is the version that it
    was recorded with: kernels use functions of torch's, which change.
    """

    calls: tuple[ScriptCall, ...]
    tensors: tuple[MadeTensor, ...]
    origin: tuple[str, ...]
    device: str
    torch: str | None = None
    try_others: bool = False

    @property
    def text(self) -> str:
        """The script."""
        parts = [
            self._write_docstring(),
            self._write_imports(),
            [f'DEVICE = "{self.device}"', "aten, prims = torch.ops.aten, torch.ops.prims"],
            *self._write_kernels(),
            self._write_inputs(),
            *self._write_runs(),
            *self._write_checks(),
            [(MEASURE_ON_CPU if self._is_on_cpu else MEASURE_ON_GPU).strip()],
            *self._write_tries(),
            self._write_main(),
            ['if __name__ == "__main__":', "    main()"],
        ]
        text = ""
        for part in parts:
            lines = "\n".join(part)
            # Functions stand apart by two lines, everything else by one.
            gap = "\n\n\n" if re.match(r"(def|@|# The kernel's|if __name__)", lines) else "\n\n"
            text += f"{gap if text else ''}{lines}"
        return f"{text}\n"

    @property
    def _is_on_cpu(self) -> bool:
        return self.device == "cpu"

    @property
    def _names(self) -> list[str]:
        """The variables of the tensors that are made, and of their views."""
        made = [safe_name(made.memory.name) for made in self.tensors]
        return list(dict.fromkeys([*made, *(name for call in self.calls for name in call.views)]))

    # The parts, from the top of the script to its end.

    def _write_docstring(self) -> list[str]:
        count = "one call" if len(self.calls) == 1 else "two calls"
        lines = [f'"""Runs {count} of compiled code alone.', ""]
        lines += [one_line(call.title) for call in self.calls]
        lines += ["", *map(one_line, self.origin)]
        for call in self.calls:
            lines += map(one_line, call.notes)
            if call.check is None:
                lines.append(one_line(f"Not checked: {call.title} {call.unchecked}."))
        return [*lines, '"""']

    def _write_imports(self) -> list[str]:
        lines = ["import torch"]
        for call in self.calls:
            lines += call.triton.imports if call.triton is not None else ()
            lines += call.imports
            if call.check is not None and any("= prims." in line for line in call.check.lines):
                lines.append("import torch._inductor.inductor_prims  # which are in `prims`")
        if not self._is_on_cpu:
            lines.append("from triton.testing import do_bench")
        if any(call.cpp is not None for call in self.calls):
            lines.append("from torch._inductor.async_compile import AsyncCompile")
        needs = "torch" if self._is_on_cpu else "torch with Triton, on a machine with a GPU"
        return [
            *("import math", "import sys", *(["import time"] if self._is_on_cpu else []), ""),
            *("try:", *(f"    {line}" for line in dict.fromkeys(lines))),
            "except ImportError as error:",
            f'    sys.exit(f"This script needs {needs}: {{error}}")',
        ]

    def _write_kernels(self) -> Iterator[list[str]]:
        for number, call in enumerate(self.calls, 1):
            is_new = all(
                (one.triton, one.cpp) != (call.triton, call.cpp) for one in self.calls[: number - 1]
            )
            if call.plan is not None:
                says = call.plan.says
                yield [
                    f"# The configuration: {one_line(says)}.",
                    *_list_of(f"CONFIGS_{number}", [one.text for one in call.plan.configs]),
                ]
            if self._is_tried(call) and call.tries is not None:
                tried = [f'("{one_line(one.reason)}", {one.text})' for one in call.tries.tried]
                yield [
                    "# What is tried, by the reason that roofline gives the call.",
                    *(line for said in call.tries.evidence for line in write_comment(said)),
                    *_list_of(f"TRIES_{number}", tried),
                ]
            if call.triton is not None and is_new:
                says = "# The kernel's source is that of the recording, but for the decorator."
                yield [says, call.triton.text]
            if call.cpp is not None and is_new:
                types = ", ".join(repr(kind) for kind in call.cpp.types)
                source = quote_source(call.cpp.source)
                name = safe_name(call.cpp.name)
                yield [
                    "async_compile = AsyncCompile()",
                    "# The kernel's source is that of the recording.",
                    f"{name} = async_compile.cpp_pybinding([{types}], {source})",
                    "async_compile.wait(globals())",
                ]

    def _write_inputs(self) -> list[str]:
        lines = [MAKE_TENSOR.strip(), "", "", "def make_inputs():"]
        lines += [
            '    """The memory that is worked on, and the views of it that are handed over."""'
        ]
        lines += ["    torch.manual_seed(0)"]
        for made in self.tensors:
            lines.append(f"    {safe_name(made.memory.name)} = {_make_text(made, self.device)}")
        seen: set[str] = set()
        for name, view in (pair for call in self.calls for pair in call.views.items()):
            if name not in seen:
                where = f"{view.shape}, {view.stride}, {view.offset}"
                lines.append(f"    {name} = {safe_name(view.memory)}.as_strided({where})")
            seen.add(name)
        given = [f"{name}={name}" for name in self._names]
        return [*lines, *_wrapped("    return dict(", given, ")")]

    def _write_runs(self) -> Iterator[list[str]]:
        for number, call in enumerate(self.calls, 1):
            lines = _wrapped(f"def run_{number}(", ["config", *self._names], "):")
            lines += [f'    """{one_line(call.title)}."""']
            if call.triton is not None and call.plan is not None:
                constants = [f"{name}={value!r}" for name, value in call.triton.constants.items()]
                given = [*call.arguments, *constants, "**config"]
                lines += [f"    grid = {call.plan.grid}"]
                lines += _wrapped(f"    {call.triton.name}[grid](", given, ")")
            elif call.cpp is not None:
                lines += _wrapped(f"    {safe_name(call.cpp.name)}(", [*call.arguments], ")")
            else:
                lines += [f"    return {call.expression}"]
            yield lines

    def _write_checks(self) -> Iterator[list[str]]:
        for number, call in enumerate(self.calls, 1):
            if call.check is None:
                continue
            pairs = [f'"{safe_name(name)}": {safe_name(node)}' for node, name in call.check.results]
            yield [
                *_wrapped(f"def expected_{number}(", self._names, "):"),
                '    """What the nodes of the graph compute, in eager PyTorch."""',
                *(f"    {line}" for line in call.check.lines),
                *_wrapped("    results = {", pairs, "}"),
                "    return {name: value.clone() for name, value in results.items()}",
            ]
        is_tried = [call for call in self.calls if self._is_tried(call)]
        if is_tried or any(call.check is not None for call in self.calls):
            yield [COMPARE.strip()]

    def _write_tries(self) -> Iterator[list[str]]:
        tried = [call for call in self.calls if self._is_tried(call)]
        if tried:
            yield [TRY_OTHERS.strip()]
        if any(call.expression for call in tried):
            yield [CHANGE.strip()]
        for number, call in enumerate(self.calls, 1):
            if call not in tried:
                continue
            recorded = f"CONFIGS_{number}[0]" if call.plan is not None else "{}"
            # A library call gives back what it writes.
            written = () if call.expression else tuple(map(safe_name, call.written))
            given = [f"TRIES_{number}", f"run_{number}", recorded, f"{written}"]
            given += [f"{self._tolerance}", *(["change"] if call.expression else [])]
            yield [f"def try_{number}():", *_wrapped("    return try_others(", given, ")")]

    def _is_tried(self, call: ScriptCall) -> bool:
        return self.try_others and call.tries is not None and bool(call.tries.tried)

    @property
    def _tolerance(self) -> float:
        """What a try may differ by: what rounding changes in the coarsest type of the inputs."""
        dtypes = {made.memory.dtype for made in self.tensors}
        return max((_TOLERANCES[one] for one in dtypes if one in _TOLERANCES), default=_COARSE)

    def _write_main(self) -> list[str]:
        lines = ["def main():"]
        if not self._is_on_cpu:
            lines += ["    if not torch.cuda.is_available():"]
            lines += ['        sys.exit("This call ran on a GPU, and torch finds none here.")']
        if self.torch is not None:
            recorded = one_line(self.torch)
            lines += [
                f'    print("recorded with torch {recorded}, run with torch", torch.__version__)'
            ]
        lines += ["    inputs = make_inputs()", "    right = True"]
        for number, call in enumerate(self.calls, 1):
            configs = f"CONFIGS_{number}" if call.plan is not None else "[{}]"
            first = f"{configs}[0]" if call.plan is not None else "{}"
            lines += [f'    print("{one_line(call.title)}")']
            got = "got = " if call.expression else ""
            if call.check is not None:
                lines += [f"    want = expected_{number}(**inputs)"]
                lines += [f"    {got}run_{number}({first}, **inputs)"]
                lines += [_compare_line(name, call) for _, name in call.check.results]
            elif len(self.calls) > 1:
                lines += [f"    {got}run_{number}({first}, **inputs)"]
            # What an operator gives back is handed on to the second call.
            for place, name in call.results if number < len(self.calls) else ():
                if (variable := safe_name(name)) in self._names:
                    result = "got" if place is None else f"got[{place}]"
                    lines += [f'    inputs["{variable}"].copy_({result})']
            lines += [f"    for config in {configs}:"]
            lines += [f"        measure(lambda: run_{number}(config, **inputs), config)"]
            lines += [f"    {_recorded_text(call.recorded)}"]
            if self._is_tried(call):
                lines += [f"    right &= try_{number}()"]
            for reason, why in call.tries.untried if self.try_others and call.tries else ():
                said = one_line(f"{reason}: {why}")
                lines += [f"    print({f'  not tried  {said}'!r})"]
        return [*lines, "    sys.exit(0 if right else 1)"]


def _compare_line(name: str, call: ScriptCall) -> str:
    """The line that holds one result against what eager PyTorch gives."""
    variable = safe_name(name)
    got = "got" if call.expression and name == RESULT else f'inputs["{variable}"]'
    check = call.check or EagerCheck(lines=(), inputs=(), results=())
    place, tolerance = check.split.get(name), _TOLERANCES.get(check.dtype, _COARSE)
    if place is not None:  # partial sums, which a later kernel adds up
        got += f".squeeze().sum({place})"
    elif name in check.layouts:
        shape, stride = check.layouts[name]
        got += f".as_strided({shape}, {stride})"
    return f'    right &= compare("{variable}", {got}, want["{variable}"], {tolerance})'


def _list_of(name: str, items: Sequence[str]) -> list[str]:
    return [f"{name} = [", *(f"    {item}," for item in items), "]"]


def write_comment(text: str) -> list[str]:
    """A sentence in lines of a comment."""
    return textwrap.wrap(
        one_line(text),
        _WIDTH,
        initial_indent="# ",
        subsequent_indent="#   ",
        break_on_hyphens=False,
    )


def _wrapped(head: str, items: Sequence[str], tail: str) -> list[str]:
    """A call or a signature in one line, or with its items on lines of their own."""
    line = f"{head}{', '.join(items)}{tail}"
    if len(line) <= _WIDTH:
        return [line]
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    rows = [indent]
    for item in items:
        if len(rows[-1]) + len(item) + 2 > _WIDTH and rows[-1].strip():
            rows.append(indent)
        rows[-1] += f"{item}, "
    return [head, *(row.rstrip() for row in rows), f"{indent[4:]}{tail}"]


def _make_text(made: MadeTensor, device: str) -> str:
    memory = made.memory
    if made.ends is not None:
        rows, last = made.ends // max(memory.numel, 1), memory.numel + 1
        return f"torch.arange(1, {last}, device=DEVICE, dtype=torch.{memory.dtype}) * {rows}"
    options = ', device="cpu"' if memory.on_cpu and device != "cpu" else ""
    is_whole = memory.dtype.startswith(("int", "uint"))
    options += f", below={made.below}" if made.below is not None and is_whole else ""
    return f"tensor({memory.shape}, {memory.stride}, torch.{memory.dtype}{options})"


def _recorded_text(recorded: RecordedCall) -> str:
    """The line that prints what was recorded, beside the limit."""
    if recorded.time_ns is None:
        return 'print("  recorded   no time: no profile of this call was given")'
    text = f"  recorded {recorded.time_ns / 1000:10.2f} us, median of {recorded.executions}"
    text += f" on {one_line(recorded.device)}" if recorded.device else ""
    if recorded.limit_ns is not None:
        text += f"; its limit there is {recorded.limit_ns / 1000:.2f} us"
        text += f" ({recorded.bound})" if recorded.bound else ""
    return f"print({text!r})"
