"""What torch's own tools wrote beside launches: it says what nothing else says, and never more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

import kernelmap
from kernelmap.attribution import attribute_time
from kernelmap.attribution.records import Attribution, Origin, TorchsWord
from kernelmap.attribution.torch_notes import note_calls, notices_of_lines
from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph, CompiledProgram, SourceLine, Trace
from kernelmap.model.source import LaunchNote
from kernelmap.options import Options
from tiny import Timeline, graph, program
from traces.kineto_text import Event, api, kernel, note, op, text, write


def _line(number: int) -> SourceLine:
    return SourceLine(file="/home/user/model.py", line=number)


def _noted(trace: Trace, notes: Sequence[LaunchNote | None]) -> Trace:
    """`trace` with a note beside each launch, in order."""
    distinct = list(dict.fromkeys(each for each in notes if each is not None))
    column = trace.launches.note.copy()
    column[:] = [-1 if each is None else distinct.index(each) for each in notes]
    return replace(trace, launches=replace(trace.launches, note=column, notes=tuple(distinct)))


def _attributed(code: CompiledProgram, trace: Trace) -> Attribution:
    matched = match_launches(code, trace)
    noted = note_calls(matched.program, trace.launches, matched.matching)
    return attribute_time(noted, trace, matched.matching, Options())


def _lines(attribution: Attribution) -> dict[str, tuple[int, int | None]]:
    return {row.name: (row.time_ns + row.backward_ns, row.noted_ns) for row in attribution.lines}


def _with_lines(code: CompiledGraph, *numbers: int) -> CompiledGraph:
    calls = [
        replace(call, lines=(_line(number),))
        for call, number in zip(code.calls, numbers, strict=True)
    ]
    return replace(code, calls=tuple(calls))


TWO = graph("0_inference", "triton_poi_fused_add_0", "aten.mm")
ELEVEN, TWELVE = LaunchNote(lines=(_line(11),)), LaunchNote(lines=(_line(12),))
BOTH = LaunchNote(lines=(_line(11), _line(12)))


def test_torchs_lines_count_where_no_other_is_known() -> None:
    """With code and without, time is at torch's lines, equal parts of several, and is marked."""
    trace = _noted(Timeline().invoke(TWO).trace(), [BOTH, TWELVE])

    for code in (program(TWO), program()):
        attribution = _attributed(code, trace)
        named = {"/home/user/model.py:11": (50, 50), "/home/user/model.py:12": (150, 150)}
        assert _lines(attribution) == named
        assert attribution.torchs_word == TorchsWord(alone=2, calls=frozenset({0, 1}))


def test_our_lines_stay_and_torchs_are_held_against_them() -> None:
    """What the code's own facts name is the answer; agreement and difference are counted."""
    code = program(_with_lines(TWO, 11, 99))
    trace = _noted(Timeline().invoke(TWO).invoke(TWO).trace(), [BOTH, TWELVE, None, None])

    attribution = _attributed(code, trace)

    named = {"/home/user/model.py:11": (200, None), "/home/user/model.py:99": (200, None)}
    assert _lines(attribution) == named
    assert attribution.torchs_word == TorchsWord(agreeing=1, differing=1)
    (said,) = notices_of_lines(attribution.torchs_word)
    assert "1 agree with what was found; 1 do not, and are not counted" in said.message


def test_launches_of_one_call_with_different_lines_say_nothing() -> None:
    """Torch's handler takes some for another call then, and nobody knows which."""
    trace = Timeline().invoke(TWO).invoke(TWO).trace()
    attribution = _attributed(program(TWO), _noted(trace, [ELEVEN, TWELVE, TWELVE, TWELVE]))

    assert _lines(attribution) == {
        "(no source line known)": (200, None),
        "/home/user/model.py:12": (200, 200),
    }
    assert attribution.torchs_word.differing == 2


def test_of_what_is_no_compiled_code_torchs_lines_do_not_count() -> None:
    """An eager operator stays outside, whatever torch's handler took it for."""
    trace = Timeline().invoke(TWO).eager("aten::add").trace()
    attribution = _attributed(program(TWO), _noted(trace, [None, None, ELEVEN]))

    assert _lines(attribution)["(outside compiled code)"] == (100, None)
    assert attribution.torchs_word == TorchsWord(differing=1)


def test_labels_name_the_modules_of_replayed_kernels(tmp_path: Path) -> None:
    """Kernels that nothing else knows are in the module of their label, forward and backward."""
    graph_node = {"graph id": 7, "graph node id": 1}
    events: list[Event] = [
        op("aten::add", 0, 9, **{"External id": 1}),
        api("cudaGraphLaunch", 10, 5, 20),
        kernel("k1", 20, 5, 20, **graph_node, annotation='[{"name": "layers.0.mlp"}]'),
        kernel("k2", 30, 5, 20, **graph_node, annotation='[{"name": "layers.0"}]'),
        kernel(
            "k3",
            40,
            7,
            20,
            **graph_node,
            annotation='[{"name": "layers.0", "autograd_phase": "backward"}]',
        ),
        kernel("k4", 50, 3, 20, **graph_node),
    ]

    found = kernelmap.correlate(write(tmp_path / "trace.json", text(events)))
    rows = {row.name: row for row in found.attribution.modules}

    own = {name: (row.time_ns, row.backward_ns, row.noted_ns) for name, row in rows.items()}
    assert own["layers.0.mlp"] == (5_000, 0, 5_000)
    assert own["layers.0"] == (12_000, 7_000, 12_000)
    assert (rows["layers.0"].total_ns, rows["layers.0"].total_backward_ns) == (17_000, 7_000)
    assert rows["layers.0"].origin is not Origin.COMPILED
    assert sum(row.time_ns for row in rows.values()) == found.attribution.total_ns == 20_000
    assert found.launches["label"].dropna().tolist() == ["layers.0.mlp", "layers.0", "layers.0"]
    assert "labelled 'layers.0.mlp' while its CUDA graph was captured" in "\n".join(
        found.explain("0").evidence
    )


def _stack(*lines: int) -> list[str]:
    return [f'  File "/home/user/model.py", line {at}, in forward\n    h = f(x)\n' for at in lines]


def test_stacks_of_a_file_give_lines_without_code(tmp_path: Path) -> None:
    """A trace that torch's handler wrote has a line for every kernel with a stack, marked."""
    events = [
        note("## Call CompiledFxGraph fabc ##", 20, 480),
        op("triton_poi_fused_relu_0", 30, 40, **{"External id": 2}),
        api("cuLaunchKernel", 40, 10, 101),
        kernel("triton_poi_fused_relu_0", 60, 5, 101, stack=_stack(11)),
        op("aten::mm", 100, 60, **{"External id": 3}),
        api("cudaLaunchKernel", 120, 10, 102),
        kernel("sgemm", 140, 20, 102, stack=_stack(11)),
        op("triton_poi_fused_add_sin_1", 200, 40, **{"External id": 4}),
        api("cuLaunchKernel", 210, 10, 103),
        kernel("triton_poi_fused_add_sin_1", 230, 7.5, 103, stack=_stack(12, 12)),
    ]
    path = write(tmp_path / "trace.json", text(events, around={"uid_assigned": True}))

    found = kernelmap.correlate(path)
    lines = found.lines

    by_line = dict(zip(lines["line"], lines["time_ns"], strict=True))
    assert by_line == {11: 25_000, 12: 7_500}
    assert lines["noted_ns"].tolist() == [25_000, 7_500]
    assert found.launches["torch_lines"].tolist()[2] == ["/home/user/model.py:12"]
    assert "stacks-by-torch" in [each.slug for each in found.notices]
    assert "torch's own trace handler names /home/user/model.py:11" in "\n".join(
        found.explain("0").evidence
    )
