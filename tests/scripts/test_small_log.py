"""A log that was made small is read as before, and names no folder of the machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from small_log import small_log

from compiler.logs import Log, graph
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledProgram, Emitted

CODE = """# AOT ID: ['0_inference']
def call(args):
    # [Provenance debug handles] extern_kernels.mm:1
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    return (buf0, )
"""
LOGS = (
    "torch_trace/inductor_provenance_jit_debug_handle_log.txt",
    "torch_trace/inductor_provenance_jit_cuda_log.txt",
    "inductor/cpu_base/torch_trace",
    "inductor/triton_mlp/torch_trace",
    "inductor/cpu_warm/tt",
)


def recorded(folder: Path) -> Path:
    """A log with one of everything that is read, and a lot that is not."""
    stack = [{"line": 3, "name": "f", "filename": 0, "loc": "return x @ x", "more": 1}]
    log = Log().event({"str": ["/secret/m.py", 0]})
    log.artifact("recompile_reasons", ["0/0: L['x'].size()[0] == 4"])
    log.event({"dynamo_start": {"stack": stack}})
    log.event({"describe_tensor": {"id": 0}})
    log.event({"describe_source": {"describer_id": 1, "id": 0, "source": "L['x']"}})
    log.artifact(
        "dynamo_graph_break_reason", "Graph break in user code at /secret/m.py:3\nReason: x"
    )
    log.event({"dynamo_output_graph": {"sizes": {}}}, graph("mm", file="/secret/m.py"))
    log.event({"inductor_post_grad_graph": {}}, graph("mm", file="/secret/m.py"))
    log.artifact("fx_graph_runnable", "import secret").code(CODE)
    log.artifact("fx_graph_cache_miss", {"key": "fab", "components": ["/secret"]})
    log.event({"dynamo_cpp_guards_str": {}}, "guards of /secret")
    metrics = {"co_name": "f", "co_filename": "/secret/m.py", "co_firstlineno": 2}
    log.event({"compilation_metrics": {**metrics, "duration_us": 9, "config": "/secret"}})
    return log.put(folder / "torch_trace.log")


def said(program: CompiledProgram) -> CompiledProgram:
    """A program without the places of its log and of the code in it.

    A small log holds no settings and variables either: they are some hundred lines for each graph.
    """
    graphs = tuple(
        replace(
            compiled,
            code=re.sub(r".*\.(log|txt)", "", compiled.code or ""),
            beside=(),
            emitted=tuple(
                Emitted(
                    compilation=replace(one.compilation, log=""), cache=one.cache, bypass=one.bypass
                )
                for one in compiled.emitted
            ),
        )
        for compiled in program.graphs
    )
    compilations = tuple(replace(compilation, log="") for compilation in program.compilations)
    return replace(program, graphs=graphs, compilations=compilations, files=(), notices=())


def test_what_is_left_out_is_not_read(tmp_path: Path) -> None:
    """Graphs, compilations, recompile and break reasons are those of the whole log."""
    path = recorded(tmp_path)
    whole = load_compiled(path)
    text = small_log(path.read_text("utf-8"), lambda text: text)
    path.write_text(text, "utf-8")
    small = load_compiled(path)

    assert small.notices == whole.notices == ()
    assert said(small) == said(whole)
    assert whole.compilations[0].failed_guards
    assert whole.compilations[0].graph_breaks
    assert "components" not in text
    assert "describe_tensor" not in text


def test_nothing_of_the_machine_is_left(tmp_path: Path) -> None:
    """Paths are replaced in lines and payloads, and the checksums fit what stands there now."""
    path = recorded(tmp_path)
    text = small_log(path.read_text("utf-8"), lambda text: text.replace("/secret", "/home"))
    path.write_text(text, "utf-8")
    small = load_compiled(path)

    assert "secret" not in text
    assert small.notices == ()
    assert str(small.compilations[0].line and small.compilations[0].line.file) == "/home/m.py"


def test_settings_are_kept_where_they_are_asked_for(tmp_path: Path) -> None:
    """The parts of the cache's keys; what is read stays the same."""
    path = recorded(tmp_path)
    whole = load_compiled(path)
    text = small_log(path.read_text("utf-8"), lambda text: text, settings=True)
    path.write_text(text, "utf-8")

    assert "components" in text
    assert said(load_compiled(path)) == said(whole)


def test_the_code_of_a_compile_id_can_be_withheld(tmp_path: Path) -> None:
    """Nothing of it stays, and of other compilations everything does."""
    log = recorded(tmp_path).read_text("utf-8")
    without = small_log(log, lambda text: text, withheld=["0/0"])

    assert "extern_kernels.mm" in log
    assert "extern_kernels.mm" not in without
    assert small_log(log, lambda text: text, withheld=["1/0"]) == small_log(log, lambda text: text)


@pytest.mark.corpus
@pytest.mark.parametrize("name", LOGS)
def test_real_logs_are_read_as_before(corpus: Path, tmp_path: Path, name: str) -> None:
    """Logs of torch 2.8 to 2.13, cold and warm."""
    path = corpus / name
    (log,) = [path] if path.is_file() else path.iterdir()
    text = log.read_text("utf-8")
    whole, small = tmp_path / "whole" / log.name, tmp_path / "small" / log.name
    for place in (whole, small):
        place.parent.mkdir()
    whole.write_text(text, "utf-8")
    small.write_text(small_log(text, lambda text: text), "utf-8")

    assert small.stat().st_size < whole.stat().st_size
    assert said(load_compiled(small)) == said(load_compiled(whole))
