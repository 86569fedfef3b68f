"""Recording in code: the block marks its steps, and what was compiled before it is there too."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import kernelmap
from kernelmap.capture import session as capture_session
from kernelmap.capture.plan import Plan
from kernelmap.capture.rewrite import LoadedGraph
from kernelmap.capture.session import record_session
from kernelmap.errors import KernelmapError
from kernelmap.model import WrapperCall
from kernelmap.model.bundle import State, read_manifest

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # torch's own, as it loads itself
]

Step = Callable[[], object]


torch: Any
"""Loaded when the first of these tests runs: whoever collects or leaves them out does without."""


@pytest.fixture(scope="module", autouse=True)
def _load_torch() -> None:
    global torch  # noqa: PLW0603 -- helpers use it, too
    torch = import_module("torch")


class Heard:
    """Writes down what begins; `open` counts what has not ended."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.open = 0

    def enter_graph(self, graph: LoadedGraph) -> None:  # noqa: ARG002 -- there is one
        self.begun.append("graph")
        self.open += 1

    def exit_graph(self, graph: LoadedGraph) -> None:  # noqa: ARG002 -- as above
        self.open -= 1

    def enter_call(self, graph: LoadedGraph, call: WrapperCall) -> None:  # noqa: ARG002 -- as above
        self.begun.append(call.wrapper)
        self.open += 1

    def exit_call(self, graph: LoadedGraph, call: WrapperCall) -> None:  # noqa: ARG002 -- as above
        self.open -= 1


@pytest.fixture(scope="module")
def step() -> Step:
    """One call of a function that was compiled before anybody thought of recording it."""
    from torch._inductor import config

    # What other tests of this process compiled is in memory as well, and not meant here.
    torch.compiler.reset()
    gc.collect()
    x = torch.randn(64, 64)
    compiled = torch.compile(lambda a: torch.nn.functional.gelu(a @ a).sum())
    with config.patch({"cpp.enable_kernel_profile": True}):
        compiled(x)
    return lambda: compiled(x)


def test_what_was_compiled_before_is_recorded_too(tmp_path: Path, step: Step) -> None:
    """The code comes out of memory, with the key that names it in the trace: all is exact."""
    with kernelmap.capture(tmp_path / "b", warmup=1, steps=3) as run:
        for _ in range(6):
            step()
            run.step()
    manifest = read_manifest(tmp_path / "b")
    correlation = kernelmap.correlate(tmp_path / "b")

    assert (manifest.state, manifest.command, manifest.exit_code) == (State.COMPLETE, None, None)
    assert [(p.first_step, p.last_step) for p in manifest.processes] == [(1, 3)]
    # Graphs that other tests of this process compiled may still be in memory; they did not run.
    ran = correlation.calls["call"].notna() & (correlation.calls["launches"] > 0)
    calls = correlation.calls[ran]
    assert set(correlation.launches["confidence"]) == {"exact", "outside"}
    assert set(calls["wrapper"]) == {"cpp_fused_gelu_sum_0", "extern_kernels.mm"}
    assert calls["launches"].tolist() == [3, 3]
    graphs = correlation.graphs[correlation.graphs["graph"] != "(outside compiled code)"]
    assert graphs["cache_key"].notna().all()


def test_threads_that_began_before_the_window_are_recorded(tmp_path: Path, step: Step) -> None:
    """Calls in a pool's thread are as exact as those of the thread that marks the steps."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(step).result()
        with kernelmap.capture(tmp_path / "b", warmup=1, steps=2) as run:
            for _ in range(4):
                pool.submit(step).result()
                run.step()
    launches = kernelmap.correlate(tmp_path / "b").launches

    assert (launches["confidence"] == "exact").sum() == 4


def test_a_program_may_stop_when_all_is_recorded(tmp_path: Path, step: Step) -> None:
    """`run.done` turns true with the last recorded step, and stays so."""
    done = []
    with kernelmap.capture(tmp_path / "b", warmup=1, steps=2) as run:
        for _ in range(4):
            step()
            run.step()
            done.append(run.done)

    assert done == [False, False, True, True]


def test_whoever_records_may_listen(tmp_path: Path, step: Step) -> None:
    """Listeners hear every graph and call up to the end of the window, and no longer."""
    heard = Heard()
    with record_session(
        tmp_path / "b", Plan(warmup=1, steps=2), force=False, listeners=[heard]
    ) as run:
        while not run.done:
            step()
            run.step()
        step()

    assert sorted(heard.begun) == sorted(["graph", "extern_kernels.mm", "cpp_fused_gelu_sum_0"] * 3)
    assert heard.open == 0
    confidences = set(kernelmap.correlate(tmp_path / "b").launches["confidence"])
    assert confidences == {"exact", "outside"}


def test_a_block_that_raises_keeps_what_it_has(tmp_path: Path, step: Step) -> None:
    """The exception goes on its way; the bundle has the steps before it and says that it ended."""

    def program() -> None:
        with kernelmap.capture(tmp_path / "b", warmup=1, steps=4) as run:
            for left in (3, 2, 1, 0):
                step()
                assert 1 / left
                run.step()

    with pytest.raises(ZeroDivisionError):
        program()
    manifest = read_manifest(tmp_path / "b")

    assert manifest.state is State.PARTIAL
    assert "the block raised after 2 of 4 recorded steps" in str(manifest.why)
    assert len(kernelmap.correlate(tmp_path / "b").launches) > 0


def test_a_profiler_of_the_program_s_own_goes_first(tmp_path: Path, step: Step) -> None:
    """Recording waits for it, and says so if it never ends."""
    with (
        torch.profiler.profile() as profiler,
        kernelmap.capture(tmp_path / "b", warmup=1, steps=1) as run,
    ):
        for _ in range(3):
            step()
            run.step()
    why = str(read_manifest(tmp_path / "b").why)

    assert "its own profiler ran in 3 of them" in why
    assert any("CompiledFxGraph" in event.name for event in profiler.events())


def test_a_failure_of_ours_is_not_the_program_s(
    tmp_path: Path, step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk ends the recording, and the program goes on."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("torch.profiler.profile.export_chrome_trace", full)
    with kernelmap.capture(tmp_path / "b", warmup=1, steps=1) as run:
        for _ in range(4):
            step()
            run.step()

    assert "No space left on device" in str(read_manifest(tmp_path / "b").why)


def test_a_failure_of_ours_ends_the_profiler(
    tmp_path: Path, step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is recorded no more costs no more."""

    def broken(_: object) -> None:
        raise RuntimeError("CUPTI says no")

    with kernelmap.capture(tmp_path / "b", warmup=0, steps=3) as run:
        step()
        monkeypatch.setattr("torch.profiler.profile.step", broken)
        run.step()
        still_on = torch.autograd._profiler_enabled()  # noqa: SLF001 -- nothing public tells

    assert not still_on
    assert "CUPTI says no" in str(read_manifest(tmp_path / "b").why)


def test_an_older_bundle_stays_without_force(tmp_path: Path) -> None:
    """The block is not entered."""
    (tmp_path / "b").mkdir()

    with pytest.raises(KernelmapError) as raised, kernelmap.capture(tmp_path / "b"):
        pytest.fail("entered")
    assert raised.value.slug == "bundle-exists"


@pytest.mark.parametrize("raises", [True, False])
def test_a_bundle_that_cannot_be_finished_hides_no_error_of_the_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raises: bool
) -> None:
    """What the block raised is what comes out of it; without that, what is wrong with the place."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(capture_session, "finished", fail)
    expected = ZeroDivisionError if raises else KernelmapError
    with pytest.raises(expected) as raised, record_session(tmp_path / "b", Plan(), force=False):
        assert 1 / (not raises)

    assert raises or "No space left" in str(raised.value)
