"""`on_trace_ready=kernelmap.trace_handler(…)`: what the program's own profiler recorded is kept."""

from __future__ import annotations

import gc
import gzip
import json
import logging
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import kernelmap
from kernelmap import profiling
from kernelmap.capture import graphs as graphs_logged
from kernelmap.capture import own_profiler
from kernelmap.capture.graphs import graphs_in_memory
from kernelmap.errors import KernelmapError
from kernelmap.model.bundle import LOGS, State, read_manifest

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # torch's own, as it loads itself
    # torch's word about a schedule that repeats
    pytest.mark.filterwarnings("ignore:.*Profiler clears events at the end of each cycle"),
]

Step = Callable[[], object]
torch: Any
"""Loaded when the first of these tests runs: whoever collects or leaves them out does without."""
EVENT = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 1.0, "dur": 2.0}


@pytest.fixture(scope="module", autouse=True)
def _load_torch() -> None:
    global torch  # noqa: PLW0603 -- helpers use it, too
    torch = import_module("torch")


@pytest.fixture(autouse=True)
def _outside_of_launchers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rank is known, and no handler has written anything."""
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.setattr(profiling, "_taken", set())


@pytest.fixture(scope="module")
def step() -> Iterator[Step]:
    """One call of a function that was compiled before there was a profiler."""
    from torch._inductor import config

    x = torch.randn(64, 64, requires_grad=True)
    compiled = torch.compile(lambda a: torch.nn.functional.gelu(a @ a).sum())

    def run() -> None:
        compiled(x).backward()

    with config.patch({"cpp.enable_kernel_profile": True}):
        run()
    yield run
    # Other tests of this process look for their own graphs in memory.
    torch.compiler.reset()
    gc.collect()


class Profiler:
    """Stands in for torch's: it writes a window once, as Kineto does, and then no more.

    `names` are the events of its windows; `repeatable` has it write again in Python, as torch 2.13.
    """

    def __init__(self, name: str = "aten::mm", *, repeatable: bool = False) -> None:
        self.name, self.repeatable, self.saved = name, repeatable, False

    def next_window(self, name: str) -> None:
        """Another window has been recorded."""
        self.name, self.saved = name, False

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:  # noqa: FBT002 -- as torch has it
        """Write the window; RuntimeError where it is written already."""
        if use_python_export and not self.repeatable:
            raise TypeError("an unexpected keyword")
        if self.saved and not use_python_export:
            raise RuntimeError("Trace is already saved.")
        self.saved = True
        text = json.dumps({"traceEvents": [EVENT | {"name": self.name}]})
        Path(path).write_text(text, encoding="utf-8")


def names_in(path: Path) -> list[str]:
    """The names of a trace's events."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [event["name"] for event in json.loads(text)["traceEvents"]]


def window_of(bundle: Path) -> list[str]:
    """The names of the events in a bundle of one process."""
    [trace] = bundle.glob("rank_*/trace.json.gz")
    return names_in(trace)


def code_of(bundle: Path) -> str:
    """All generated code of a bundle."""
    return "".join(path.read_text("utf-8") for path in bundle.rglob("output_code.py"))


def profiled(step: Step, handler: object, **choices: Any) -> Any:  # noqa: ANN401 -- torch is loaded late
    """A profiler of torch that has recorded two steps for `handler`."""
    with torch.profiler.profile(
        record_shapes=True,
        schedule=torch.profiler.schedule(wait=0, warmup=1, active=2, **choices),
        on_trace_ready=handler,
    ) as profiler:
        for _ in range(3 * choices.get("repeat", 1)):
            step()
            profiler.step()
    return profiler


def test_a_bundle_has_the_window_and_the_code_that_ran(tmp_path: Path, step: Step) -> None:
    """No log was asked for: forward and backward are exact, and only whole steps count."""
    profiled(step, kernelmap.trace_handler(tmp_path / "b"), repeat=1)
    manifest = read_manifest(tmp_path / "b")
    correlation = kernelmap.correlate(tmp_path / "b")

    assert (manifest.state, manifest.why, manifest.steps) == (State.COMPLETE, None, None)
    assert manifest.processes[0].torch == torch.__version__
    assert set(correlation.launches["confidence"]) == {"exact", "outside"}
    ran = correlation.calls[correlation.calls["launches"] > 0]
    # The numbers of graphs, and so their ids, depend on what this process compiled for other tests.
    kind_of_graph = {graph.id: graph.kind for graph in correlation.program.graphs}
    assert {kind_of_graph[graph] for graph in ran["graph"].dropna()} == {"forward", "backward"}
    assert ran["launches"].dropna().ge(2).all()


def test_a_report_has_its_bundle_beside_it(tmp_path: Path, step: Step) -> None:
    """The commands that a report shows work, because what it is made of is kept."""
    profiled(step, kernelmap.trace_handler(tmp_path / "report.html"), repeat=1)

    assert "report_bundle" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert read_manifest(tmp_path / "report_bundle").state is State.COMPLETE
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "report_bundle"}


def test_every_window_is_kept(tmp_path: Path, step: Step) -> None:
    """Of a schedule that repeats, and of a handler that is made anew, each writes its own."""
    profiled(step, kernelmap.trace_handler(tmp_path / "b"), repeat=2)
    profiled(step, kernelmap.trace_handler(tmp_path / "b"), repeat=1)

    assert {path.name for path in tmp_path.iterdir()} == {"b", "b_2", "b_3"}
    steps = [
        {name for name in window_of(tmp_path / bundle) if name.startswith("ProfilerStep#")}
        for bundle in ("b", "b_2")
    ]
    assert steps == [{"ProfilerStep#1", "ProfilerStep#2"}, {"ProfilerStep#4", "ProfilerStep#5"}]


def test_code_that_is_loaded_and_did_not_run_stays_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: Step
) -> None:
    """An older function that is gone leaves its module loaded: it is none of this window."""
    torch.compile(lambda a: (a * 3).cos() + 1)(torch.randn(8))
    there = [graph for graph in graphs_in_memory() or [] if "cos" not in graph.source_code]
    monkeypatch.setattr(own_profiler, "graphs_in_memory", lambda: there)
    profiled(step, kernelmap.trace_handler(tmp_path / "b"), repeat=1)

    assert "cpp_fused_gelu_sum" in code_of(tmp_path / "b")
    assert "cos" not in code_of(tmp_path / "b")


def test_the_code_of_functions_that_are_gone_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: Step
) -> None:
    """After torch._dynamo.reset() no graph is in memory, but the modules that ran are."""
    monkeypatch.setattr(own_profiler, "graphs_in_memory", list)
    profiled(step, kernelmap.trace_handler(tmp_path / "b"), repeat=1)
    launches = kernelmap.correlate(tmp_path / "b").launches
    called = launches[launches["call"].notna()]

    assert len(called) > 0
    assert set(called["confidence"]) == {"exact"}
    assert (read_manifest(tmp_path / "b").processes[0].graphs or 0) >= 2  # nobody says none ran


@pytest.mark.parametrize("name", ["copy.json", "copy.json.gz"])
def test_handlers_after_ours_get_the_same_window(tmp_path: Path, name: str) -> None:
    """A window is written once by torch; who exports it later, as `then` does, gets a copy."""
    profiler = Profiler()
    handler = kernelmap.trace_handler(
        tmp_path / "b", then=lambda done: done.export_chrome_trace(str(tmp_path / name))
    )
    for window in ("first", "second"):
        profiler.next_window(window)
        handler(profiler)
        profiler.export_chrome_trace(str(tmp_path / "by_hand.json"))

        assert names_in(tmp_path / name) == names_in(tmp_path / "by_hand.json") == [window]
    assert [window_of(tmp_path / bundle) for bundle in ("b", "b_2")] == [["first"], ["second"]]


def test_handlers_of_torch_follow_ours(tmp_path: Path, step: Step) -> None:
    """TensorBoard's has the events that the bundle has."""
    follow = torch.profiler.tensorboard_trace_handler(str(tmp_path / "tb"), use_gzip=True)
    profiled(step, kernelmap.trace_handler(tmp_path / "b", then=follow), repeat=1)
    [of_torch] = (tmp_path / "tb").iterdir()

    assert names_in(of_torch) == window_of(tmp_path / "b")


def test_ours_may_follow_where_torch_can_write_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A window that the program has exported is written in Python; an older torch cannot do it."""
    for repeatable in (True, False):
        profiler: Any = Profiler(repeatable=repeatable)
        profiler.export_chrome_trace(str(tmp_path / "own.json"))
        kernelmap.trace_handler(tmp_path / f"b_{repeatable}")(profiler)

    assert window_of(tmp_path / "b_True") == ["aten::mm"]
    [said] = caplog.messages
    assert "b_False" in said
    assert "Trace is already saved." in said


def test_ranks_write_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process of a launcher names its files by its rank."""
    for rank in ("0", "3"):
        monkeypatch.setenv("RANK", rank)
        kernelmap.trace_handler(tmp_path / "b")(Profiler())

    assert {path.name for path in tmp_path.iterdir()} == {"b_rank_0", "b_rank_3"}
    assert [p.rank for p in read_manifest(tmp_path / "b_rank_3").processes] == [3]
    assert (tmp_path / "b_rank_3" / "rank_3" / "trace.json.gz").is_file()


def test_a_failure_of_ours_is_not_the_program_s(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged, the other handler is called, and what the folder has says it is not whole."""

    class Broken(Profiler):
        def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:  # noqa: ARG002, FBT002 -- as torch has it
            raise OSError(28, "No space left on device")

    called: list[object] = []
    kernelmap.trace_handler(tmp_path / "b", then=called.append)(Broken())

    assert len(called) == 1
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "No space left on device" in caplog.text
    assert read_manifest(tmp_path / "b").state is State.RECORDING


def test_a_report_that_cannot_be_made_leaves_its_bundle(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was recorded is never lost."""

    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(profiling, "correlate", fail)
    kernelmap.trace_handler(tmp_path / "report.html")(Profiler())

    assert read_manifest(tmp_path / "report_bundle").state is State.COMPLETE
    assert "MemoryError" in caplog.text


def test_what_another_handler_raises_is_the_program_s(tmp_path: Path) -> None:
    """`then` is the program's own: its error goes on its way, and our files are there."""

    def refuse(_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        kernelmap.trace_handler(tmp_path / "b", then=refuse)(Profiler())
    assert window_of(tmp_path / "b") == ["aten::mm"]


def test_an_older_bundle_is_kept_unless_asked(tmp_path: Path) -> None:
    """It is said before anything runs. A report replaces an older one, as -o does."""
    for path in ("b", "report.html"):
        kernelmap.trace_handler(tmp_path / path)(Profiler("old"))
    profiling._taken.clear()  # noqa: SLF001 -- another process

    with pytest.raises(KernelmapError, match="exists"):
        kernelmap.trace_handler(tmp_path / "b")
    kernelmap.trace_handler(tmp_path / "b", force=True)(Profiler("new"))
    kernelmap.trace_handler(tmp_path / "report.html")(Profiler("new"))
    assert window_of(tmp_path / "b") == window_of(tmp_path / "report_bundle") == ["new"]


def test_a_folder_that_is_missing_is_said_at_once(tmp_path: Path) -> None:
    """A program that trains for days learns on its first second that nothing could be written."""
    with pytest.raises(KernelmapError, match="does not exist"):
        kernelmap.trace_handler(tmp_path / "nowhere" / "report.html")


def test_a_handler_touches_nothing_before_a_window_ends(tmp_path: Path) -> None:
    """Making one loads neither pandas nor torch's compiler, and writes nothing."""
    loaded = set(sys.modules)
    kernelmap.trace_handler(tmp_path / "report.html")

    assert not {"pandas", "torch._inductor.codecache"} & (set(sys.modules) - loaded)
    assert list(tmp_path.iterdir()) == []


def test_the_user_s_own_log_hears_nothing_of_it(tmp_path: Path, step: Step) -> None:
    """It has each graph already, as compiled: a second time would be a second compilation."""
    own = tmp_path / "own"
    with graphs_logged.logging_into(own):
        profiled(step, kernelmap.trace_handler(tmp_path / "b"), repeat=1)

    logged = "".join(path.read_text("utf-8") for path in own.glob("*.log"))
    assert "inductor_output_code" not in logged
    [log] = (tmp_path / "b" / "rank_0" / LOGS).iterdir()
    assert log.read_text("utf-8").count('"inductor_output_code"') >= 2
