"""Compilations: why a frame was compiled again, where graphs broke, what the cache said."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.generated import triton, wrapper
from compiler.logs import Log
from kernelmap.compiler import load_compiled
from kernelmap.compiler.logs.compilations import failed_guard, failed_guards, graph_break, in_short
from kernelmap.model import CacheOutcome, Compilation, SourceLine

A = "triton_poi_fused_a_0"


def code(aot: str = "0_forward") -> str:
    return wrapper(triton(A), body=f"{A}.run(x, y, 64, stream=s)", aot=aot)


def strings(log: Log, *files: str) -> Log:
    """The log's string table."""
    for number, file in enumerate(files):
        log.text += f'V1121 07:06:31.9 1 t.py:1] {{"str": ["{file}", {number}]}}\n'
    return log


def start(log: Log, line: int = 23, name: str = "forward", *, file: object = 0) -> Log:
    """`dynamo_start` with the caller in line 5 of file 1, torch's own frame, and the function."""
    stack = [
        {"line": 5, "name": "<module>", "filename": 1, "loc": "model(x)"},
        {"line": 9, "name": "__call__", "filename": "/v/site-packages/torch/nn/modules/module.py"},
        {"line": line, "name": name, "filename": file},
    ]
    return log.event({"dynamo_start": {"stack": stack}})


def read(log: Log, folder: Path, name: str = "log") -> tuple[Compilation, ...]:
    return load_compiled(log.put(folder / name)).compilations


def test_a_compilation_knows_its_function_and_who_called(tmp_path: Path) -> None:
    """Numbers stand for files of the string table; frames of torch are no callers."""
    log = start(strings(Log(), "/home/me/model.py", "/home/me/train.py"))
    log.event({"dynamo_cpp_guards_str": {}}, "guards")
    log.event({"compilation_metrics": {"co_name": "forward", "duration_us": 1_500}})
    log.event({"bwd_compilation_metrics": {"entire_frame_compile_time_s": 0.25}})
    (compilation,) = read(log.code(code()), tmp_path)

    assert (compilation.compile_id, compilation.function, compilation.attempts) == (
        "0/0",
        "forward",
        1,
    )
    assert compilation.line == SourceLine(file="/home/me/model.py", line=23)
    assert compilation.caller == SourceLine(file="/home/me/train.py", line=5, code="model(x)")
    assert (compilation.compile_ns, compilation.backward_ns) == (1_500_000, 250_000_000)
    assert compilation.guards
    assert compilation.failure is None


def test_a_failed_guard_leads_to_the_next_compilation(tmp_path: Path) -> None:
    """One reason is plain text, several are a list; both belong to the next compilation."""
    log = start(strings(Log(), "m.py", "t.py")).code(code())
    log.at(0, 1, 0).artifact("recompile_reasons", "0/0: tensor 'x' size mismatch at index 0")
    start(log).code(code("1_forward"))
    reasons = ["0/1: L['n'] == 2     # y = x * n  # m.py:7 in f (HINT: …)", "0/0: tensor 'x' …"]
    start(log.at(0, 2, 0).artifact("recompile_reasons", reasons)).code(code("2_forward"))
    program = load_compiled(log.put(tmp_path / "log"))
    guards = [[(g.earlier, g.guard) for g in c.failed_guards] for c in program.compilations]

    assert guards == [
        [],
        [("0/0", "tensor 'x' size mismatch at index 0")],
        [("0/1", "L['n'] == 2"), ("0/0", "tensor 'x' …")],
    ]
    assert len({compilation.frame for compilation in program.compilations}) == 1
    assert [g.emitted[0].compilation for g in program.graphs] == list(program.compilations)


def test_attempts_are_one_compilation_and_a_reset_begins_anew(tmp_path: Path) -> None:
    """A restart goes on under the same id; the same id without a higher attempt is another."""
    log = start(strings(Log(), "m.py", "t.py"))
    text = "Graph break in user code at m.py:25\nReason: Unsupported: print\n"
    log.artifact("dynamo_graph_break_reason", text)
    log.at(0, 0, 1).code(code()).event({"compilation_metrics": {"restart_reasons": ["Again.\n x"]}})
    start(log.at(0, 0, 0)).code(code("1_forward"))
    program = load_compiled(log.put(tmp_path / "log"))
    first, second = program.compilations

    assert (first.attempts, first.restarts) == (2, ("Again.",))
    assert [(b.reason, b.line and b.line.line) for b in first.graph_breaks] == [
        ("Unsupported: print", 25)
    ]
    assert (second.compile_id, second.serial, second.attempts) == ("0/0", 1, 1)
    assert [g.emitted[0].compilation.serial for g in program.graphs] == [0, 1]
    assert program.graphs[0].compile_id == "0/0_1"


def test_a_failed_compilation_has_no_graph_and_a_notice(tmp_path: Path) -> None:
    """What could not be compiled is kept, with its reason."""
    log = start(Log().code(code()).at(1, 0, 0), name="bad", file="m.py")
    log.event(
        {"compilation_metrics": {"fail_type": "Unsupported", "fail_reason": "print\n  Hint: no"}}
    )
    program = load_compiled(log.put(tmp_path / "log"))

    assert program.compilations[1].failure == "Unsupported: print"
    assert [(n.slug, n.gap) for n in program.notices] == [("compilation-failed", False)]
    assert "bad" in program.notices[0].message


@pytest.mark.parametrize("status", CacheOutcome)
def test_each_graph_knows_what_the_cache_said(tmp_path: Path, status: CacheOutcome) -> None:
    """The event after the code is the code's; a bypass says why."""
    payload = (
        {"key": "fkey"} if status is not CacheOutcome.BYPASS else {"cache_bypass_reason": "no"}
    )
    log = Log().code(code()).artifact(f"fx_graph_cache_{status}", payload)
    log.code(code("0_backward"))
    forward, backward = load_compiled(log.put(tmp_path / "log")).graphs

    assert (forward.emitted[0].cache, forward.emitted[0].bypass) == (
        status,
        "no" if status is CacheOutcome.BYPASS else None,
    )
    assert backward.emitted[0].cache is None


def test_code_that_several_compilations_share_names_them_all(tmp_path: Path) -> None:
    """Ranks, and equal frames under other ids, write one text: one graph, each compilation."""
    for rank in range(2):
        log = Log().event({"dynamo_start": {}, "rank": rank}).code(code())
        log.artifact("fx_graph_cache_miss", {"key": "fkey"})
        log.at(1, 0, 0).event({"dynamo_start": {}, "rank": rank}).code(code())
        log.artifact("fx_graph_cache_hit", {"key": "fkey"})
        log.put(tmp_path / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    program = load_compiled(tmp_path)
    (graph,) = program.graphs

    assert graph.compile_id is None
    assert [(e.compilation.compile_id, e.compilation.rank, e.cache) for e in graph.emitted] == [
        ("0/0", 0, "miss"),
        ("1/0", 0, "hit"),
        ("0/0", 1, "miss"),
        ("1/0", 1, "hit"),
    ]
    assert len(program.compilations) == 4


@pytest.mark.parametrize(
    "event",
    [
        {"dynamo_start": {"stack": "no list"}},
        {"compilation_metrics": [1]},
        {"str": ["only a text"]},
        {"describe_source": {"source": 1}},
    ],
)
def test_another_shape_costs_one_fact(tmp_path: Path, event: dict[str, object]) -> None:
    """A new form of an event is named, and nothing else of the log is lost."""
    program = load_compiled(Log().event(event).code(code()).put(tmp_path / "log"))

    assert [notice.slug for notice in program.notices] == ["log-artifact-unreadable"]
    assert [graph.id for graph in program.graphs] == ["0_forward"]


def test_reasons_are_said_in_short() -> None:
    """A guard's reason is its condition alone; a break's is its title with the explanation."""
    long = "4/0: n == 2        # y = x * n  # m.py:47 in item\nUser stack trace:\n  File …"
    print_ = (
        "Graph break in user code at /home/me/m.py:39\n"
        "Graph Break Reason: Encountered graph break when attempting to trace CALL: a call:\n\n"
        "Failed to trace builtin operator\n  Explanation: It cannot trace `print`.\n  Hint: no\n\n"
        'User code traceback:\n  File "/home/me/m.py", line 39, in f\n    print(x)\n\n'
        'Traceback (most recent call last):\n  File "/v/torch/_dynamo/x.py", line 1, in w\n    no\n'
    )
    break_ = graph_break(print_)

    assert failed_guard(long).guard == "n == 2"
    assert failed_guards("  ") == ()
    assert break_.reason == "Failed to trace builtin operator: It cannot trace `print`."
    assert break_.line == SourceLine(file="/home/me/m.py", line=39, code="print(x)")
    assert graph_break("something new").reason == "something new"
    assert in_short(" \n") == "no reason given"


def test_a_resumed_function_has_its_authors_name(tmp_path: Path) -> None:
    """Dynamo renames the rest of a function behind a graph break; the title undoes that."""
    (compilation,) = read(
        start(Log(), name="torch_dynamo_resume_in_step_at_39", file="m.py"), tmp_path
    )

    assert compilation.title == "step, resumed at 39"
