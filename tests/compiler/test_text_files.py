"""What TORCH_LOGS text names without holding it: files of code, and single kernels."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from compiler.generated import triton, wrappers
from compiler.texts import A, B, code, message, printed, put, read
from kernelmap.compiler import load_compiled
from kernelmap.compiler.files.code_file import content_stem


def test_the_path_is_found_by_its_hash(tmp_path: Path) -> None:
    """A path whose stem is the content's hash is that code's, wherever it stands in the text."""
    forward, backward = code(), code("0_backward", B)
    paths = [f"/gone/xx/{content_stem(text)}.py" for text in (forward, backward)]
    lines = [*printed(forward), *printed(backward)]
    for path in reversed(paths):
        lines += message(f"Output code written to: {path}", compile_id="9/9")

    assert [graph.code for graph in read(put(tmp_path / "err", lines))] == paths


def test_the_path_may_come_first(tmp_path: Path) -> None:
    """Torch 2.5 names the file before it prints it."""
    lines: list[str] = []
    for at, text in enumerate((code(), code("0_backward", B))):
        lines += message(f"Output code written to: /gone/{at}.py") + printed(text)

    assert [graph.code for graph in read(put(tmp_path / "err", lines))] == [
        "/gone/0.py",
        "/gone/1.py",
    ]


def test_a_whole_file_is_read_in_place_of_a_cut_message(tmp_path: Path) -> None:
    """The named file replaces the message if its content fits its name; else the message counts."""
    text = code()
    file = tmp_path / f"{content_stem(text)}.py"
    half = text[: text.index("async_compile.wait")]
    log = put(tmp_path / "log/err", printed(half, str(file)))
    without = load_compiled(log)
    file.write_text(text + "# changed", encoding="utf-8")
    changed = load_compiled(log)
    file.write_text(text, encoding="utf-8")
    (compiled,) = read(log)

    assert [notice.slug for notice in without.notices] == ["code-without-call"]
    assert [graph.code for graph in without.graphs] == [str(file)]
    assert [(graph.calls, graph.code) for graph in changed.graphs] == [((), f"{log}:1")]
    assert (compiled.code, compiled.compile_id, wrappers(compiled)) == (str(file), "0/0", [A])


def test_paths_alone_lead_to_the_code_or_are_missed(tmp_path: Path) -> None:
    """A text that only names files gives the code of those that exist, and reports the others."""
    file = tmp_path / f"{content_stem(code())}.py"
    file.write_text(code(), encoding="utf-8")
    lines = message(f"Output code written to: {file}", compile_id="3/0")
    here = put(tmp_path / "log/a", lines)
    both = put(tmp_path / "log/b", lines + message("Output code written to: /gone/cab.py"))
    program = load_compiled(both)

    assert [(graph.code, graph.compile_id) for graph in read(here)] == [(str(file), "3/0")]
    assert [graph.compile_id for graph in program.graphs] == ["3/0"]
    assert [(notice.slug, notice.gap) for notice in program.notices] == [("code-not-here", True)]


def test_hostile_paths_are_only_missed(tmp_path: Path) -> None:
    """Paths that are too long, devices, folders and other people's files give nothing."""
    (tmp_path / "secret.py").write_text("import torch", encoding="utf-8")
    hostile = ("/" + "x" * 5000, "/dev/zero", str(tmp_path), str(tmp_path / "secret.py"), "..", "")
    lines = [line for path in hostile for line in message(f"Output code written to: {path}")]
    program = load_compiled(put(tmp_path / "log/err", lines))

    assert program.graphs == ()
    assert [notice.slug for notice in program.notices] == ["code-not-here"]


def kernel(name: str, function: str | None = None) -> str:
    """What `kernel_code` logs of a Triton kernel."""
    meta = f"{{'grid_type': 'Grid1D', 'kernel_name': '{name}'}}"
    source = triton(function or name, inductor_meta=meta)
    return "Triton Kernel:\n" + source.split("'''")[1]


def test_kernels_without_code_are_known_by_name(tmp_path: Path) -> None:
    """A single kernel's source gives its definition, on the line where it stands in the log."""
    lines = ["start", *message(kernel(A), artifact="kernel_code")]
    lines += message(kernel(B, "triton_"), artifact="kernel_code")
    path = put(tmp_path / "err", lines)
    program = load_compiled(path)
    (compiled,) = program.graphs
    first, second = compiled.kernels

    assert (first.name, first.first_line, first.category) == (A, 2, "poi")
    assert (second.name, second.function) == (B, "triton_")
    assert first.signature is not None
    assert (compiled.calls, compiled.code) == ((), str(path))
    assert [notice.slug for notice in program.notices] == ["code-without-call"]


@pytest.mark.corpus
def test_sources_of_real_kernels_say_what_their_definitions_say(
    corpus: Path, tmp_path: Path
) -> None:
    """Name, function, signature and kind of a kernel follow from its logged source alone."""
    file = next(
        (corpus / "inductor/triton_names_nounique").rglob("model__0_forward*/output_code.py")
    )
    assigned = [
        node.value
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
    ]
    sources = [
        ast.literal_eval(call.args[1])
        for call in assigned
        if ast.unparse(call.func) == "async_compile.triton"
    ]
    lines = [
        line
        for source in sources
        for line in message(f"Triton Kernel:\n{source}", artifact="kernel_code")
    ]
    (compiled,) = load_compiled(put(tmp_path / "err", lines)).graphs
    facts = ("name", "function", "backend", "category", "signature", "specialization", "meta")

    assert sources
    assert [[getattr(definition, name) for name in facts] for definition in compiled.kernels] == [
        [getattr(definition, name) for name in facts] for definition in read(file)[0].kernels
    ]


def test_kernels_of_a_printed_graph_are_not_listed_twice(tmp_path: Path) -> None:
    """Sources of kernels that the code defines add nothing, C++ sources neither."""
    lines = [*printed(code()), *message(kernel(A), artifact="kernel_code")]
    source = 'CPP+Bindings Kernel:\n\nextern "C"  void  kernel(float* x)'
    lines += message(source, artifact="kernel_code")

    assert [graph.id for graph in read(put(tmp_path / "err", lines))] == ["0_forward"]
