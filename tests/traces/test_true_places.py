"""What is said of eager code is true: functions, lines where they begin, forward and backward."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

import kernelmap
from kernelmap.traces.kineto.frame_names import spelled_as_in_code
from traces.test_launch_places import Event, begun, frame, host, launch, places, written

MODULE = "in <module> (train.py)"
STEP = "autograd::engine::evaluate_function: "


def test_the_line_of_a_frame_that_was_open_before_is_no_statement_of_later(tmp_path: Path) -> None:
    """The script stood in line 44 when recording began; what it launches later is not line 44's."""
    events = [*begun(44), *launch(30, 1), frame("train.py(9): f", 50, 90), *launch(60, 2)]

    assert places(written(tmp_path, events)) == [MODULE, "in f (train.py:9)"]


def test_a_function_that_began_to_record_has_no_line_either(tmp_path: Path) -> None:
    """Everything that was open stands with the line it was at, down to the profiler's own."""
    events = [
        frame("train.py(70): <module>", 0, 1000),
        frame("train.py(51): main", 1, 900),
        frame("torch/profiler/profiler.py(1128): start", 2, 8),
        *launch(30, 1),
        frame("train.py(40): step", 50, 90),
        *launch(60, 2),
    ]

    assert places(written(tmp_path, events)) == ["in main (train.py)", "in step (train.py:40)"]


def test_a_thread_that_did_not_begin_to_record_may_have_been_anywhere(tmp_path: Path) -> None:
    """Its first frames may have been open; later ones, and those behind an operator, were not."""
    first = frame("loader.py(33): work", 0, 1000, tid=2)
    inner = frame("loader.py(7): load", 10, 60, tid=2)
    again = frame("loader.py(7): load", 100, 160, tid=2)
    operator = host("aten::mul", 5, 8, tid=2)
    launches = [*launch(30, 1, tid=2), *launch(70, 2, tid=2)]

    unsure = ["in load (loader.py)", "in work (loader.py)"]
    sure = ["in load (loader.py:7)", "in work (loader.py)"]
    assert places(written(tmp_path, [first, inner, *launches])) == unsure
    assert places(written(tmp_path, [first, inner, operator, *launches])) == sure
    assert places(written(tmp_path, [first, inner, again, *launches])) == sure


def test_a_file_as_a_whole_has_no_line(tmp_path: Path) -> None:
    """A module that is imported begins at its first line, which Python 3.11 calls 0."""
    events = [*begun(3), frame("net.py(0): <module>", 20, 90), *launch(30, 1)]

    assert places(written(tmp_path, events)) == ["in <module> (net.py)"]


class Call(Struct, frozen=True):
    """A call in a simulated program: the function, its own statements, and what it calls."""

    function: int
    calls: tuple[Call, ...]


def calls(depth: int) -> st.SearchStrategy[Call]:
    inner = st.lists(calls(depth - 1), max_size=3) if depth else st.just([])
    return st.builds(Call, st.integers(0, 3), inner.map(tuple))


def run(call: Call, at: int, out: list[tuple[int, int, int]], stood: dict[int, list[int]]) -> int:
    """Run a call from `at` on: frames as (function, begin, end), and where it stood, by time."""
    row = len(out)
    out.append((call.function, at, 0))
    at += 10
    for number, inner in enumerate(call.calls):
        stood.setdefault(row, []).extend([at, first_line(call.function) + 1 + number])
        at = run(inner, at, out, stood) + 10
    out[row] = (call.function, out[row][1], at)
    return at


def first_line(function: int) -> int:
    return 100 * function + 1


def seen(call: Call, begin: int, *, by_itself: bool) -> tuple[list[Event], list[int]]:
    """Events of a recording that begins at a time, and the function of each launch in it.

    As torch writes them: frames that are open then begin then, with the line at which they stand.
    """
    ran: list[tuple[int, int, int]] = []
    stood: dict[int, list[int]] = {}
    run(call, 0, ran, stood)
    events: list[Event] = []
    launched: list[int] = []
    for row, (function, start, end) in enumerate(ran):
        if end <= begin:
            continue
        line = first_line(function)
        if start <= begin:
            past = stood.get(row, [])
            line += sum(1 for time in past[::2] if time <= begin)
        events.append(frame(f"m.py({line}): f{function}", max(start, begin), end))
        if max(start, begin) < end - 5:  # behind all that it called
            launched.append(function)
            events += launch(end - 5, len(launched))
    if by_itself:
        events.insert(0, frame("torch/profiler/profiler.py(9): start", begin, begin + 1))
    return events, launched


@given(call=calls(3), begin=st.integers(0, 120), by_itself=st.booleans())
def test_a_line_that_is_given_is_where_the_function_begins(
    call: Call, begin: int, by_itself: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whenever recording begins, and whoever begins it: the function is right, its line or none."""
    events, launched = seen(call, begin, by_itself=by_itself)
    if not launched:
        return
    found = places(written(tmp_path_factory.mktemp("program"), events))

    assert len(found) == len(launched)
    for said, function in zip(found, launched, strict=True):
        assert said in {
            f"in f{function} (m.py:{first_line(function)})",
            f"in f{function} (m.py)",
        }


# Backward


def numbered(name: str, begin: int, end: int, number: int, tid: int = 1) -> Event:
    return host(name, begin, end, tid, args={"Sequence number": number})


def in_backward(begin: int, node: str, number: int | None, tid: int, at: int) -> list[Event]:
    """A step of autograd's backward with a launch in it."""
    args = {} if number is None else {"Sequence number": number, "Fwd thread id": 1}
    return [
        host(f"{STEP}{node}", begin, begin + 20, tid, args=args),
        host(node, begin + 1, begin + 19, tid, args=args),
        host("aten::mm", begin + 2, begin + 18, tid),
        *launch(begin + 3, at, tid),
    ]


FORWARD = [
    *begun(44),
    frame("train.py(20): head", 20, 60),
    numbered("aten::matmul", 22, 40, 7),
    numbered("aten::mm", 24, 38, 7),
    *launch(30, 1),
    numbered("aten::relu", 42, 50, 8),
]


@pytest.mark.parametrize("tid", [1, 2], ids=["CPU", "a GPU's thread"])
def test_backward_work_is_where_its_forward_was(tmp_path: Path, tid: int) -> None:
    """Not where backward() was called, on whatever thread autograd runs it."""
    events = [
        *FORWARD,
        frame("torch/_tensor.py(575): backward", 100, 200),
        *in_backward(110, "MmBackward0", 7, tid, 2),
        *launch(210, 3),
    ]
    head = "in head (train.py:20)"
    path = written(tmp_path, events)

    assert places(path) == [head, head, MODULE]
    table = kernelmap.correlate(path).lines.set_index("code")
    assert table["time_ns"].to_dict() == {"in head": 1000, "in <module>": 1000}
    assert table["backward_ns"].to_dict() == {"in head": 1000, "in <module>": 0}
    assert any("backward of Python code in head" in it for it in explained(path, "1"))


def explained(path: Path, launch_: str) -> Sequence[str]:
    return kernelmap.correlate(path).explain(launch_).evidence


def test_the_operator_that_made_the_node_is_the_last_of_its_number(tmp_path: Path) -> None:
    """One that makes no node, such as on data, notes the number of the next that does."""
    data = [frame("data.py(5): load", 10, 19), numbered("aten::mul", 12, 15, 7)]
    events = [*FORWARD[:3], *data, *FORWARD[3:], *in_backward(110, "MmBackward0", 7, 2, 2)]

    assert places(written(tmp_path, events))[1] == "in head (train.py:20)"


def test_without_its_forward_backward_work_has_no_place(tmp_path: Path) -> None:
    """Recording began too late, or several threads have operators of that number."""
    late = in_backward(110, "MmBackward0", 3, 1, 2)
    other = numbered("aten::mm", 23, 39, 7, tid=9)

    assert places(written(tmp_path, [*FORWARD, *late]))[1] is None
    two = [*FORWARD, other, *in_backward(110, "MmBackward0", 7, 1, 2)]
    assert places(written(tmp_path, two))[1] is None


def test_what_has_no_forward_is_where_backward_was_called(tmp_path: Path) -> None:
    """Gradients are added up for no operator of the forward; it is backward time all the same."""
    events = [*FORWARD, *in_backward(110, "torch::autograd::AccumulateGrad", None, 1, 2)]
    path = written(tmp_path, events)

    assert places(path)[1] == MODULE
    lines = kernelmap.correlate(path).lines.set_index("code")
    assert lines["backward_ns"].to_dict() == {"in head": 0, "in <module>": 1000}


def test_a_function_that_the_backward_runs_is_where_its_work_came_from(tmp_path: Path) -> None:
    """A hook, a backward that the user wrote, a forward that is computed again."""
    mine = frame("train.py(30): backward", 111, 129)
    events = [*FORWARD, *in_backward(110, "MineBackward", 7, 1, 2), mine]

    assert places(written(tmp_path, events))[1] == "in backward (train.py:30)"


# Files


def test_one_file_has_one_name(tmp_path: Path) -> None:
    """The profiler cuts the folder of an import from a path; the code's spelling is taken."""
    path = written(tmp_path, FORWARD)

    assert places(path, ["/home/me/train.py", "/home/me/net/a.py"]) == [
        "in head (/home/me/train.py:20)"
    ]
    assert places(path, ["/a/train.py", "/b/train.py"]) == ["in head (train.py:20)"]


def test_the_longest_name_is_the_files(tmp_path: Path) -> None:
    """Where frames have both names, the script beside it is another file."""
    events = [*FORWARD, frame("net/train.py(5): forward", 70, 80), *launch(72, 2)]

    assert places(written(tmp_path, events), ["/home/me/net/train.py"]) == [
        "in head (train.py:20)",
        "in forward (/home/me/net/train.py:5)",
    ]


FOLDERS = st.lists(st.sampled_from(["a", "b", "net"]), min_size=1, max_size=3)


@given(
    files=st.sets(FOLDERS.map("/".join).map(lambda folder: f"/{folder}/t.py"), min_size=1),
    cut=st.dictionaries(st.integers(0, 9), st.integers(1, 4)),
)
def test_a_frame_is_never_given_the_name_of_another_file(
    files: set[str], cut: dict[int, int]
) -> None:
    """Whatever folders Python imports from, of files that the code names all."""
    ordered = sorted(files)
    of: dict[str, set[str]] = {}
    for at, file in enumerate(ordered):
        parts = file.split("/")
        of.setdefault("/".join(parts[min(cut.get(at, 0), len(parts) - 1) :]), set()).add(file)

    for name, file in spelled_as_in_code(of, files).items():
        assert file in of[name]
