"""What tlparse makes of a log: the same program, from pages, from texts, or by its parts."""

from __future__ import annotations

import shutil
import subprocess
import sys
from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compiler.generated import triton, wrapper, wrappers
from compiler.logs import Log, graph
from compiler.tlparse import page, parsed
from kernelmap.compiler import is_compiled, load_compiled
from kernelmap.compiler.facts import MAPPINGS, STACKS
from kernelmap.compiler.files.code_file import page_text
from kernelmap.model import CompiledProgram

A = "triton_poi_fused_a_0"
FACTS = ("id", "compile_id", "cache_key", "calls", "kernels", "nodes")


def code(aot: str = "0_forward", op: str = "neg") -> str:
    body = f"# [Provenance debug handles] {A}:1\n{A}.run(x, y, 64, stream=s)\naten.{op}(x)"
    return wrapper(triton(A, comment="# a <b> & 'c'"), body=body, aot=aot)


def training() -> Log:
    """A forward with all its artifacts, its backward, and a second attempt of another frame."""
    frame = '  File "/home/me/m.py", line {}, in f\n    y = f(x)\n'
    log = Log().artifact("before_pre_grad_graph", graph("p", first=3))
    log.artifact("inductor_post_grad_graph", graph("neg", "add"))
    log.code(code(), "/cache/fw/cfw.py")
    log.artifact(MAPPINGS[0], {"cppCodeToPost": {f"{A}:1": ["neg"]}, "postToPre": {"neg": ["p"]}})
    log.artifact(STACKS, {f"{A}:1": [frame.format(10)]})
    log.artifact("fx_graph_cache_miss", {"key": "fforward"})
    log.artifact("inductor_post_grad_graph", graph("neg", "mul", first=20))
    log.code(code("0_backward", "cos"), "/cache/bw/cbw.py")
    log.artifact(STACKS, {f"{A}:1": [frame.format(11)]})
    log.artifact("fx_graph_cache_hit", {"key": "fbackward"})
    return log.at(1, 2, 1).code(code("1_inference", "sin"), "/cache/in/cin.py")


def facts(program: CompiledProgram) -> list[list[object]]:
    assert program.notices == ()
    return [[getattr(graph, name) for name in FACTS] for graph in program.graphs]


@pytest.mark.parametrize("plain", [False, True], ids=["pages", "texts"])
def test_the_folder_gives_the_logs_program(plain: bool, tmp_path: Path) -> None:
    """Graphs, calls, nodes, lines, keys and compile ids are those of the log, in its order."""
    log = training().put(tmp_path / "log/trace.log")
    folder = parsed(log, tmp_path / "out", plain=plain)
    of_folder = facts(load_compiled(folder))

    assert of_folder == facts(load_compiled(log))
    assert [graph_facts[1] for graph_facts in of_folder] == ["0/0", "0/0", "1/2_1"]
    assert all(Path(graph.code or "").is_file() for graph in load_compiled(folder).graphs)


def test_the_log_in_the_folder_keeps_the_codes_own_path(tmp_path: Path) -> None:
    """A page or a payload is a copy: the log beside it says where the code lies."""
    log = training().put(tmp_path / "log")
    folder = parsed(log, tmp_path / "out")
    shutil.copy(log, folder / "raw.log")
    payload = folder / "payloads" / "0a1b.txt"
    payload.parent.mkdir(exist_ok=True)
    payload.write_text(code(), encoding="utf-8")
    paths = [graph.code for graph in load_compiled(log).graphs]

    assert [graph.code for graph in load_compiled(folder).graphs] == paths


@pytest.mark.parametrize("plain", [False, True], ids=["pages", "texts"])
def test_a_log_beside_the_files_adds_nothing(plain: bool, tmp_path: Path) -> None:
    """raw.log and the files say the same, and each graph counts once."""
    log = training().put(tmp_path / "log/trace.log")
    folder = parsed(log, tmp_path / "out", plain=plain)
    shutil.copy(log, folder / "raw.log")

    assert facts(load_compiled(folder)) == facts(load_compiled(log))


def restarted() -> Log:
    """A function that was compiled again: its first attempt met a graph break."""
    log = Log((0, 1, 0)).artifact("recompile_reasons", ["0/0: L['x'] is another"])
    log.event({"dynamo_start": {"stack": [{"filename": "/m.py", "line": 3, "name": "f"}]}})
    log.artifact("dynamo_graph_break_reason", "Graph break at /m.py:4\nReason: print\n")
    return log.at(0, 1, 1).code(code(), "/cache/fw/cfw.py")


def test_compilations_count_once_however_often_they_are_given(tmp_path: Path) -> None:
    """A log, its copy in tlparse's folder, and the files there are one compilation."""
    log = restarted().put(tmp_path / "dedicated_log_torch_trace_abcdefgh.log")
    folder = parsed(log, tmp_path / "out")
    shutil.copy(log, folder / "raw.log")
    (alone,) = load_compiled(log).compilations
    program = load_compiled(folder, log)
    (again,) = program.compilations

    assert (again.function, again.attempts, len(again.failed_guards)) == ("f", 2, 1)
    assert replace(again, log="") == replace(alone, log="")
    assert [emitted.compilation for emitted in program.graphs[0].emitted] == [again]
    assert str(log) in program.files


def test_the_files_of_earlier_attempts_are_read_too(tmp_path: Path) -> None:
    """The first attempt's folder says why a compilation began and why it began again."""
    (compiled,) = load_compiled(parsed(restarted().put(tmp_path / "log"), tmp_path / "out")).graphs
    (emitted,) = compiled.emitted

    assert compiled.compile_id == "0/1_1"
    assert [failed.guard for failed in emitted.compilation.failed_guards] == ["L['x'] is another"]
    assert len(emitted.compilation.graph_breaks) == 1


def test_one_page_is_enough(tmp_path: Path) -> None:
    """A page by itself gives its code; in its folder also what stands beside it."""
    folder = parsed(training().put(tmp_path / "log"), tmp_path / "out")
    file = next((folder / "-_0_0_0").glob("*cbw*.html"))
    alone = tmp_path / "alone.html"
    shutil.copy(file, alone)
    (beside,) = load_compiled(file).graphs
    (page_only,) = load_compiled(alone).graphs

    assert (beside.id, beside.compile_id, beside.cache_key) == ("0_backward", "0/0", "fbackward")
    assert (page_only.id, page_only.compile_id, page_only.nodes) == ("0_backward", None, ())
    assert wrappers(page_only) == wrappers(beside) == [A, "aten.cos"]


@pytest.mark.parametrize("name", MAPPINGS)
@pytest.mark.parametrize("key", [A, f"{A}:1"], ids=["bare", "handle"])
def test_mappings_of_every_age_are_used(name: str, key: str, tmp_path: Path) -> None:
    """Each name that the mapping had, with handles and without, gives the call its nodes."""
    log = Log().artifact("inductor_post_grad_graph", graph("neg")).code(code())
    log.artifact(name, {key: ["neg"]})
    folder = parsed(log.put(tmp_path / "log"), tmp_path / "out")
    debug = tmp_path / "run/model__0_forward_1.0"
    debug.mkdir(parents=True)
    (debug / "output_code.py").write_text(code(), encoding="utf-8")
    (debug / f"{name}.json").write_text(f'{{"{key}": ["neg"]}}', encoding="utf-8")
    carriers = (tmp_path / "log", folder, debug)

    assert [load_compiled(carrier).graphs[0].calls[0].nodes for carrier in carriers] == [
        ("neg",)
    ] * 3


def test_what_is_damaged_costs_only_itself(tmp_path: Path) -> None:
    """A broken artifact is in a notice; a page that was cut off is read as far as it goes."""
    folder = parsed(training().put(tmp_path / "log"), tmp_path / "out") / "-_0_0_0"
    mapping = next(folder.glob(f"{MAPPINGS[0]}*.json"))
    mapping.write_text("{", encoding="utf-8")
    broken = load_compiled(folder.parent)
    mapping.unlink()
    file = next(folder.glob("*cfw*.html"))
    file.write_bytes(file.read_bytes()[:-200])
    cut = load_compiled(file)

    assert [notice.slug for notice in broken.notices] == ["log-artifact-unreadable"]
    assert str(folder) in broken.notices[0].message
    assert [call.nodes for call in broken.graphs[0].calls] == [None, None]
    assert [notice.slug for notice in cut.notices] in ([], ["code-does-not-parse"])
    assert wrappers(cut.graphs[0])[:1] == [A]


def test_other_pages_are_left_alone(tmp_path: Path) -> None:
    """Pages that show code among other things, and pages of other text, are not taken."""
    (tmp_path / "a.html").write_text(f"<!DOCTYPE html>{page(code())}", encoding="utf-8")
    (tmp_path / "b.html").write_text(page("import torch"), encoding="utf-8")
    (tmp_path / "c.html").write_bytes(b"<pre>\xff\0")

    assert not is_compiled(tmp_path)


@given(st.text(st.characters(blacklist_characters="\r", blacklist_categories=("Cs", "Cc"))))
def test_escaped_text_comes_back(text: str) -> None:
    """Whatever the code holds, its page gives it back."""
    assert page_text(f"<pre>\n<span>{escape(text)}</span></pre>") == text


@pytest.mark.parametrize("options", [(), ("--plain-text",)], ids=["pages", "texts"])
def test_the_real_program_makes_what_is_expected(options: tuple[str, ...], tmp_path: Path) -> None:
    """Where tlparse is installed, its files give the program of the log."""
    beside = Path(sys.executable).parent / "tlparse"
    program = shutil.which("tlparse") or (str(beside) if beside.is_file() else None)
    if program is None:
        pytest.skip("tlparse is not installed")
    log = training().put(tmp_path / "dedicated_log_torch_trace_abcdefgh.log")
    out = tmp_path / "out"
    command = [program, str(log), "-o", str(out), "--no-browser", *options]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 -- our own arguments
    with_log = facts(load_compiled(out))
    (out / "raw.log").unlink()
    shutil.rmtree(out / "payloads", ignore_errors=True)

    assert facts(load_compiled(out)) == with_log == facts(load_compiled(log))
