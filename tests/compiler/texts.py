"""TORCH_LOGS text for tests: one message after another, in the manner of several versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from compiler.generated import triton, wrapper
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledGraph

A, B = "triton_poi_fused_a_0", "triton_poi_fused_b_0"

Style = Callable[[str, str, "int | None"], str]  # artifact, compile id, rank -> prefix


def glog(artifact: str, compile_id: str, rank: int | None) -> str:
    """Every line, as newer versions write it."""
    front = "" if rank is None else f"[rank{rank}]:"
    time = f"V1121 07:06:31.925000 {8844 + (rank or 0)}"
    return f"{front}{time} torch/g.py:7] [{compile_id}] [__{artifact}] "


def level(artifact: str, compile_id: str, rank: int | None) -> str:
    """Every line, torch 2.2."""
    front = "" if rank is None else f"[rank{rank}]:"
    time = "[2024-01-02 10:11:12,345]"
    return f"{front}{time} [{compile_id}] torch._inductor.graph.__{artifact}: [DEBUG] "


def cut(artifact: str, compile_id: str, _rank: int | None) -> str:
    """What remains where somebody removed the front of each line."""
    return f"torch/_inductor/graph.py:7] [{compile_id}] [__{artifact}] "


def bare(artifact: str, _compile_id: str, _rank: int | None) -> str:
    """What remains where only the artifact's mark was left."""
    return f"[__{artifact}] "


STYLES: tuple[Style, ...] = (glog, level, cut, bare)


def message(
    text: str,
    *,
    artifact: str = "output_code",
    style: Style = glog,
    compile_id: str = "0/0",
    rank: int | None = None,
    every_line: bool = True,
) -> list[str]:
    """The lines of one message; `every_line` false: a prefix on the first line only."""
    prefix = style(artifact, compile_id, rank)
    lines = text.split("\n")
    return [f"{prefix}{line}" if every_line or at == 0 else line for at, line in enumerate(lines)]


def printed(
    code: str,
    path: str | None = None,
    *,
    style: Style = glog,
    compile_id: str = "0/0",
    rank: int | None = None,
    every_line: bool = True,
) -> list[str]:
    """What `TORCH_LOGS=output_code` prints about one graph."""
    lines = message(
        f"Output code: \n{code}",
        style=style,
        compile_id=compile_id,
        rank=rank,
        every_line=every_line,
    )
    if path is not None:
        text = f"Output code written to: {path}"
        lines += message(text, style=style, compile_id=compile_id, rank=rank)
    return lines


def put(path: Path, lines: list[str], ends: str = "\n") -> Path:
    """Write the lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}{ends}" for line in lines).encode())
    return path


def code(aot: str | None = "0_forward", name: str = A) -> str:
    """Generated code that runs one kernel."""
    comment = "# Topologically Sorted Source Nodes: [n], Original ATen: [aten.neg]"
    return wrapper(triton(name), body=f"{comment}\n{name}.run(x, 64, stream=s)", aot=aot)


def read(path: Path) -> tuple[CompiledGraph, ...]:
    """The graphs of what is read without a notice."""
    program = load_compiled(path)

    assert program.notices == ()
    return program.graphs


def same(one: CompiledGraph, other: CompiledGraph) -> bool:
    """Whether two graphs have one id, the same calls and kernels."""
    return (one.id, one.calls, one.kernels) == (other.id, other.calls, other.kernels)


def from_file(folder: Path, text: str) -> CompiledGraph:
    """The graph of a text that is a file of its own."""
    path = folder / "file" / "output_code.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return read(path)[0]
