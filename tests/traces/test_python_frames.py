"""Python frames of a Kineto trace: those that say whose work lies below them, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap.facts.frames import FrameRole, frame_role
from kernelmap.traces.assemble import assemble_trace
from kernelmap.traces.kineto.reader import KinetoReader
from traces.kineto_text import LAYOUTS, Event, frame, note, op, pair, text, write

STEM = "c" + "ab2" * 17
CODE = f"/cache/ab/{STEM}.py(88): call"
COPY = "torch/_inductor/utils.py(3041): copy_misaligned_inputs"


def events() -> list[Event]:
    """An operator below a copy, one below code, and a hundred frames that say nothing."""
    idle = [frame(f"train.py({line}): step", 1, 900) for line in range(100)]
    return [
        *idle,
        frame("train.py(7): call", 2, 890),
        note("## Call CompiledFxGraph f ##", 5, 800),
        frame(COPY, 10, 90),
        *idle,
        op("aten::clone", 20, 40),
        frame(CODE, 150, 600),
        *pair(2),
        *idle,
    ]


@pytest.mark.parametrize("block", [300, 1 << 20])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_frames_that_have_a_role_are_read_in_every_layout(
    layout: str, block: int, tmp_path: Path
) -> None:
    """The innermost of them around each range is known; frames of the user's code are not kept."""
    path = write(tmp_path / "trace.json", text(events(), layout))
    trace = assemble_trace(KinetoReader(block=block).read(path))

    assert trace.frames is not None
    rows, around = trace.frames.rows, trace.frames.around.tolist()
    assert [rows.name_of(at) for at in range(len(rows))] == [COPY, CODE]
    nearest = {
        trace.ranges.name_of(at): rows.name_of(frame_) if frame_ >= 0 else None
        for at, frame_ in enumerate(around)
    }
    assert nearest == {"## Call CompiledFxGraph f ##": None, "aten::clone": COPY, "aten::mm": CODE}


def test_a_trace_without_such_frames_has_none(tmp_path: Path) -> None:
    """Frames that say nothing leave no trace, and make no process of their own."""
    path = write(tmp_path / "trace.json", text([*pair(), frame("train.py(3): f", 1, 9)]))
    trace = assemble_trace(KinetoReader().read(path))

    assert trace.frames is None
    assert len(trace.processes) == 1


def test_frames_of_two_sources_stay_with_their_own(tmp_path: Path) -> None:
    """Ranges of each rank lie below the frames of that rank."""
    paths = [write(tmp_path / f"{rank}.json", text(events())) for rank in range(2)]
    trace = assemble_trace(*(KinetoReader().read(path) for path in paths))

    assert trace.frames is not None
    for at, frame_ in enumerate(trace.frames.around.tolist()):
        if frame_ >= 0:
            assert trace.frames.rows.process[frame_] == trace.ranges.process[at]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (CODE, FrameRole.CODE),
        (f"C:\\cache\\{STEM}.py(9): partition_12", FrameRole.CODE),
        (f"/cache/{STEM}.py(9): <module>", FrameRole.NONE),
        (f"/cache/{STEM}.py(9): benchmark_compiled_module", FrameRole.NONE),
        ("model.py(9): call", FrameRole.NONE),
        (
            "torch/_inductor/cudagraph_trees.py(1): _copy_inputs_and_remove_from_src",
            FrameRole.COPY,
        ),
        ("torch/_inductor/cudagraph_trees.py(1): run", FrameRole.AROUND),
        ("torch/_inductor/utils.py(3013): run", FrameRole.NONE),
        (
            "/v/torch/_inductor/runtime/triton_heuristics.py(5): benchmark_all_configs",
            FrameRole.BENCHMARK,
        ),
        ("mine/torch_inductor/utils.py(1): copy_misaligned_inputs", FrameRole.NONE),
    ],
)
def test_a_frame_has_the_role_of_its_file_and_function(name: str, expected: FrameRole) -> None:
    """Only generated files and torch's own say something, whatever a user calls a function."""
    assert frame_role(name) is expected
