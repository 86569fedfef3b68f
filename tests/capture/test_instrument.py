"""Instrumented code: every call is heard under its index, and nothing is left when it ends."""

from __future__ import annotations

import sys
import threading
import traceback
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.loaded_code import Heard, kernels, load
from kernelmap.capture.instrument import Instrumentation, instrumented
from kernelmap.capture.rewrite import Together

STRAIGHT = f"""# AOT ID: ['0_forward']
{kernels("triton_a", "triton_b")}
def call(args):
    x, = args
    args.clear()
    triton_a.run(x, stream=0)
    triton_b.run(extern_kernels.mm(x), stream=0)
    # [Provenance debug handles] triton_a:7
    triton_a.run(x, stream=0)
    return (aten.add(x),)
"""
BRANCHES = f"""
{kernels("triton_a", "triton_b")}
def true_graph_0(args):
    triton_a.run(stream=0)
    triton_b.run(stream=0)
    return args
def call(args):
    true_graph_0(args)
    if args[0]:
        true_graph_0(args)
    triton_b.run(stream=0)
"""
PARTITIONS = f"""
{kernels("triton_a", "triton_b")}
def partition_0(args):
    triton_a.run(stream=0)
def partition_1(args):
    triton_b.run(stream=0)
class Runner:
    def __init__(self, partitions):
        self.partitions = partitions
    def call(self, args):
        self.partitions[1](args)
        self.partitions[0](args)
        triton_b.run(stream=0)
runner = Runner(partitions=[partition_0, partition_1])
call = runner.call
"""


def instrumentation(*modules: ModuleType) -> tuple[Instrumentation, Heard]:
    heard = Heard()
    made = Instrumentation(heard)
    made.on()
    for module in modules:
        made.add(module)
    return made, heard


def test_every_call_is_heard_in_its_place(tmp_path: Path) -> None:
    """The begin and end of each call are heard, also of several calls in one statement."""
    ran: list[str] = []
    module = load(tmp_path, STRAIGHT, ran)
    _, heard = instrumentation(module)

    assert module.call(["x"]) == ("x",)
    calls = [event for index in range(5) for event in (str(index), f"/{index}")]
    assert heard.events == [">0_forward", *calls, "<0_forward"]
    assert ran == ["triton_a.run", "extern_kernels.mm", "triton_b.run", "triton_a.run", "aten.add"]


def test_calls_are_those_of_the_compile_side(tmp_path: Path) -> None:
    """Wrapper, handle and line of a heard call are what reading the file gives."""
    made, _ = instrumentation(load(tmp_path, STRAIGHT, []))
    (graph,) = made.graphs

    fourth = graph.calls[3]
    assert (fourth.wrapper, fourth.handle, fourth.line) == ("triton_a", 7, 11)


@pytest.mark.parametrize(("taken", "indexes"), [(True, [0, 1, 2, 3, 4]), (False, [0, 1, 4])])
def test_a_function_run_twice_has_calls_of_its_own(
    tmp_path: Path, taken: bool, indexes: list[int]
) -> None:
    """The calls of a branch count from where it was called, whether or not others ran before."""
    module = load(tmp_path, BRANCHES, [])
    _, heard = instrumentation(module)
    module.call([taken])

    assert heard.indexes() == indexes


def test_loops_repeat_their_calls(tmp_path: Path) -> None:
    """A call in a loop is the same call each time."""
    text = kernels("triton_a") + "def call(args):\n    while args.pop():\n        triton_a.run()\n"
    module = load(tmp_path, text, [])
    _, heard = instrumentation(module)
    module.call([0, 1, 1])

    assert heard.indexes() == [0, 0]


def test_wrapped_partitions_are_heard(tmp_path: Path) -> None:
    """A partition that CUDA graphs wrapped before we came is the same function inside."""
    module = load(tmp_path, PARTITIONS, [])
    module.runner.partitions = [
        lambda args, inner=inner: inner(args) for inner in module.runner.partitions
    ]
    _, heard = instrumentation(module)
    module.call([])

    assert heard.indexes() == [0, 1, 2]


def test_a_function_with_one_place_needs_no_call(tmp_path: Path) -> None:
    """A partition is heard when `call()` had begun before we came, or is not there at all."""
    module = load(tmp_path, PARTITIONS, [])
    _, heard = instrumentation(module)
    module.partition_0([])

    assert heard.events == ["1", "/1"]


def test_a_function_with_two_places_alone_tells_nothing(tmp_path: Path) -> None:
    """If it is unclear which call runs, none is reported."""
    ran: list[str] = []
    module = load(tmp_path, BRANCHES, ran)
    _, heard = instrumentation(module)
    module.true_graph_0([])

    assert heard.events == []
    assert ran == ["triton_a.run", "triton_b.run"]


def test_it_can_be_switched_off_and_on(tmp_path: Path) -> None:
    """What is off hears nothing; what came meanwhile is heard when it is on again."""
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    first, second = (load(folder, STRAIGHT, []) for folder in folders)
    made, heard = instrumentation(first)
    made.off()
    made.add(second)
    first.call(["x"])
    silent = heard.events[:]
    made.on()
    first.call(["x"])
    second.call(["x"])

    assert silent == []
    assert heard.indexes() == [0, 1, 2, 3, 4] * 2


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """Afterwards every function has its own code again and the module nothing more than before."""
    module = load(tmp_path, PARTITIONS, [])
    functions = [module.Runner.call, module.partition_0, module.partition_1]
    before, names = [function.__code__ for function in functions], set(vars(module))
    made, heard = instrumentation(module)
    during = [function.__code__ for function in functions]
    made.off()
    module.call([])

    assert not any(one is other for one, other in zip(before, during, strict=True))
    assert [function.__code__ for function in functions] == before
    assert set(vars(module)) == names
    assert heard.events == []


def test_a_frame_that_still_runs_ends_well(tmp_path: Path) -> None:
    """Code that is taken back while it runs finishes as it began."""
    heard = Heard()
    made = Instrumentation(heard)
    module = load(tmp_path, STRAIGHT, [], lambda name: made.off() if "mm" in name else None)
    made.add(module)
    made.on()
    module.call(["x"])

    assert heard.indexes() == [0, 1, 2, 3, 4]
    assert heard.events[-1] == "<0_forward"


def test_an_error_passes_through(tmp_path: Path) -> None:
    """What a kernel raises reaches the caller, at the line of the file, with every end heard."""

    def fail(name: str) -> None:
        if name == "extern_kernels.mm":
            raise RuntimeError(name)

    module = load(tmp_path, STRAIGHT, [], fail)
    _, heard = instrumentation(module)
    with pytest.raises(RuntimeError) as raised:
        module.call(["x"])

    assert heard.events == [">0_forward", "0", "/0", "1", "/1", "<0_forward"]
    frames = traceback.extract_tb(raised.value.__traceback__)
    assert (module.__file__, 9) in [(frame.filename, frame.lineno) for frame in frames]


def test_threads_count_for_themselves(tmp_path: Path) -> None:
    """Two threads in one graph: each hears its own indexes."""
    meet = threading.Barrier(2, timeout=20)
    module = load(tmp_path, BRANCHES, [], lambda _: meet.wait())
    heard: dict[str, list[int]] = {"one": [], "two": []}

    class ByThread(Heard):
        def enter_call(self, graph: object, call: object) -> None:
            del graph
            heard[threading.current_thread().name].append(call.index)  # type: ignore[attr-defined]

        def exit_call(self, graph: object, call: object) -> None:
            """A call that the tests do not look at."""

    made = Instrumentation(ByThread())
    made.add(module)
    made.on()
    threads = [threading.Thread(target=module.call, args=([True],), name=name) for name in heard]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert list(heard.values()) == [[0, 1, 2, 3, 4]] * 2


def test_several_listeners_nest(tmp_path: Path) -> None:
    """The first to hear a beginning is the last to hear the end."""
    log: list[str] = []

    class Named(Heard):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def enter_graph(self, graph: object) -> None:
            del graph
            log.append(f"{self.name} enters")

        def exit_graph(self, graph: object) -> None:
            del graph
            log.append(f"{self.name} exits")

    module = load(tmp_path, STRAIGHT, [])
    made = Instrumentation(Together((Named("a"), Named("b"))))
    made.add(module)
    made.on()
    module.call(["x"])

    assert log == ["a enters", "b enters", "b exits", "a exits"]


def test_code_that_cannot_be_marked_is_said_once(tmp_path: Path) -> None:
    """C++ wrappers and changed files are left alone, with one notice per reason."""
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for folder in folders:
        folder.mkdir()
    modules = [load(folder, "call = print\n", []) for folder in folders[:2]]
    changed = load(folders[2], STRAIGHT, [])
    Path(str(changed.__file__)).write_text(STRAIGHT.replace("stream=0", "stream=1"))
    made, heard = instrumentation(*modules, changed)
    changed.call(["x"])

    assert [(notice.slug, notice.message[:2]) for notice in made.notices] == [
        ("graph-not-instrumented", "2 "),
        ("graph-not-instrumented", "1 "),
    ]
    assert made.graphs == []
    assert heard.events == []


@pytest.mark.parametrize("importing", [True, False])
def test_what_torch_has_and_what_it_loads_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, importing: bool
) -> None:
    """Modules in torch's cache are heard, and those loaded later; its method is its own again."""
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()

    class PyCodeCache:
        modules: ClassVar[list[ModuleType]] = [load(folders[0], STRAIGHT, [])]

        @classmethod
        def load_by_key_path(cls, key: str) -> ModuleType:
            return load(folders[1], STRAIGHT, [key])

    codecache = ModuleType("torch._inductor.codecache")
    codecache.__spec__ = ModuleSpec(codecache.__name__, None)
    vars(codecache.__spec__)["_initializing"] = importing
    vars(codecache)["PyCodeCache"] = PyCodeCache
    monkeypatch.setitem(sys.modules, codecache.__name__, codecache)
    before = vars(PyCodeCache)["load_by_key_path"]
    heard = Heard()
    with instrumented(heard):
        PyCodeCache.modules[0].call(["x"])
        PyCodeCache.load_by_key_path("key").call(["x"])

    assert heard.indexes() == [0, 1, 2, 3, 4] * 2
    assert vars(PyCodeCache)["load_by_key_path"] is before


def test_a_kernels_own_file_is_no_graph(tmp_path: Path) -> None:
    """A kernel's file with a `call` that times it is neither marked nor complained of."""
    made, _ = instrumentation(load(tmp_path, f"{STRAIGHT}\nbenchmark_all_configs = print\n", []))

    assert made.graphs == []
    assert made.notices == ()


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Functions that run kernels and later functions, in any order."""
    count = draw(st.integers(1, 4))
    text = kernels("triton_a", "triton_b")
    for number in reversed(range(count)):
        callees = [f"partition_{later}([])" for later in range(number + 1, count)]
        statements = st.sampled_from(["triton_a.run()", "aten.mm(aten.add(1))", *callees])
        body = draw(st.lists(statements, max_size=4))
        name = "call" if number == 0 else f"partition_{number}"
        text += f"def {name}(args):\n    pass\n" + "".join(f"    {line}\n" for line in body)
    return text


@given(text=programs())
def test_straight_code_is_heard_from_first_to_last(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    """Whatever functions call each other, the k-th call that runs has the index k."""
    ran: list[str] = []
    module = load(tmp_path_factory.getbasetemp(), text, ran)
    made, heard = instrumentation(module)
    module.call([])

    (graph,) = made.graphs
    assert heard.indexes() == list(range(len(graph.calls)))
    assert len(ran) == len(graph.calls)
