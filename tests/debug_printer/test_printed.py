"""What the printer said → calls: names, arguments and order; the first NaN; how a log ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from debug_printer.printed_code import ADD, ADDMM, CALLS, LOG, SORT, code, launches, tensor, values
from kernelmap.compiler import load_compiled
from kernelmap.debug_printer import LogStory, read_left_over
from kernelmap.debug_printer.launches import EndKind, PrintedLaunch, end_of, printed_launches
from kernelmap.debug_printer.names import PrinterNames, SavedName
from kernelmap.debug_printer.values import FirstBad
from kernelmap.model import Backend, CompiledProgram, Occurrence, WrapperCall
from kernelmap.model.printed import Printed, When, names_of
from tiny import graph


def program(*wrappers: str, occurrence: dict[str, Occurrence] | None = None) -> CompiledProgram:
    """A graph that calls kernels in order, as C++ without stated operands."""
    return CompiledProgram(graphs=(graph("model", *wrappers, occurrence=occurrence),))


def heard(names: Sequence[str], code: CompiledProgram) -> list[PrintedLaunch]:
    """The launches of a log of level 3 in which `names` begin and come back."""
    said = [
        Printed(level=3, when=when, line=2 * at + (when is When.AFTER) + 1, kernel=name)
        for at, name in enumerate(names)
        for when in (When.BEFORE, When.AFTER)
    ]
    return list(printed_launches(said, PrinterNames(code)))


def story(folder: Path, text: str, level: int | None = None) -> LogStory:
    """What a log of the small wrapper tells."""
    log = folder / "run.log"
    log.write_text(text, encoding="utf-8")
    log_story = read_left_over(code(folder / "code", level), log=log).log

    assert log_story is not None
    return log_story


@given(runs=st.integers(1, 4), wrappers=st.lists(st.sampled_from("abc"), min_size=1, max_size=6))
def test_whole_runs_are_placed_whole(runs: int, wrappers: list[str]) -> None:
    """However often kernels repeat in the code, launches of whole runs are its calls in order."""
    placed = heard(wrappers * runs, program(*wrappers))

    assert [launch.call for launch in placed] == list(range(len(wrappers))) * runs
    assert [launch.run for launch in placed] == [
        run for run in range(1, runs + 1) for _ in wrappers
    ]


def test_the_order_is_said_to_have_chosen() -> None:
    """A kernel with two calls is placed by order, one with a single call by its name."""
    placed = heard(["a", "b", "a"], program("a", "b", "a"))

    assert [launch.ordered for launch in placed] == [True, False, True]


def test_a_missing_launch_makes_the_next_ambiguous() -> None:
    """After a gap in the order, a launch may be any call of its name, up to a unique name."""
    placed = heard(["a", "b", "a", "c", "a", "a", "c"], program("a", "b", "a", "c"))

    assert [launch.calls for launch in placed] == [(0,), (1,), (2,), (3,), (0,), (0, 2), (3,)]


def test_calls_in_branches_are_not_placed_by_order() -> None:
    """Which branch was taken is not known, so both calls stand."""
    code = program("a", "b", "a", occurrence={"a": Occurrence.BRANCH})
    placed = heard(["a", "b"], code)

    assert [launch.calls for launch in placed] == [(0, 2), (1,)]


def test_a_loop_is_one_run() -> None:
    """The same call again in a loop begins no new run."""
    placed = heard(["a", "b", "b", "b"], program("a", "b", occurrence={"b": Occurrence.LOOP}))

    assert [(launch.call, launch.run) for launch in placed] == [(0, 1), (1, 1), (1, 1), (1, 1)]


def test_an_unknown_kernel_belongs_to_no_call() -> None:
    """A name that the code lacks has no call, and does not shift the others."""
    placed = heard(["a", "x", "b"], program("a", "b"))

    assert [launch.calls for launch in placed] == [(0,), (), (1,)]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (f"{ADDMM}_buf0_cpu", SavedName(kernel=ADDMM, argument="buf0", device="cpu", calls=(0,))),
        (
            f"{ADDMM}_buf3_cuda:1",
            SavedName(kernel=ADDMM, argument="buf3", device="cuda:1", calls=(3,)),
        ),
        (f"{ADDMM}_w_cpu", SavedName(kernel=ADDMM, argument="w", device="cpu", calls=(0, 3))),
        (f"{SORT}_buf1_cpu", SavedName(kernel=SORT, argument="buf1", device="cpu", calls=(2,))),
        (f"{LOG}_buf1", SavedName(kernel=LOG, argument="buf1", device=None, calls=(1,))),
        ("other_0_buf1_cpu", SavedName(kernel=None, argument=None, device=None, calls=())),
    ],
)
def test_names_of_files_are_taken_apart(tmp_path: Path, named: str, expected: SavedName) -> None:
    """Kernel and argument both hold underscores; the code knows which is which."""
    names = PrinterNames(load_compiled(code(tmp_path)))

    assert names.saved(named) == expected


def test_the_longer_kernel_name_wins() -> None:
    """If one kernel's name begins with another's, the file name still identifies the kernel."""
    names = PrinterNames(program("cpp_fused_a_1", "cpp_fused_a_1_b_2"))

    assert names.saved("cpp_fused_a_1_b_2_buf0_cpu").kernel == "cpp_fused_a_1_b_2"
    assert names.saved("cpp_fused_a_1_buf0_cpu").kernel == "cpp_fused_a_1"


def bad(tmp_path: Path, text: str) -> FirstBad:
    first = story(tmp_path, text).first_bad

    assert first is not None
    return first


def test_the_call_after_which_a_nan_shows_made_it(tmp_path: Path) -> None:
    """The call is named that was fine before and has a NaN after; later calls are not blamed."""
    text = tensor("aoti_model_inputs - arg0_1") + values(0, "before") + values(0, "after")
    text += values(1, "before") + values(1, "after", buf1="nan") + values(2, "before", buf1="nan")
    first = bad(tmp_path, text)

    assert (first.bad, first.calls, first.when, first.suspects) == ("NaN", (1,), When.AFTER, (1,))
    assert (first.argument, first.run) == ("buf1", 1)
    assert text.splitlines()[first.line - 1] == f"[  after_launch - {LOG} - buf1  ]:"


def test_memory_that_nobody_wrote_proves_nothing(tmp_path: Path) -> None:
    """What lies in a fresh buffer before its first call may be anything."""
    log_story = story(tmp_path, values(0, "before", buf0="nan") + values(0, "after"))

    assert log_story.first_bad is None
    assert [(row.argument, row.when, row.unset) for row in log_story.values] == [
        ("buf0", When.BEFORE, True),
        ("arg0_1", When.BEFORE, False),
        ("buf0", When.AFTER, False),
        ("arg0_1", When.AFTER, False),
    ]


def test_reused_memory_was_written(tmp_path: Path) -> None:
    """A variable that took over memory of a call before holds values, not leftovers."""
    first = bad(tmp_path, values(1, "before", buf1="inf"))

    assert (first.bad, first.calls, first.suspects) == ("Inf", (1,), (0,))


def test_a_result_that_is_not_printed_points_to_its_call(tmp_path: Path) -> None:
    """Results that a call allocates are not printed, so the next reader shows the NaN."""
    first = bad(tmp_path, values(2, "after") + values(3, "before", buf3="nan"))

    assert (first.calls, first.when, first.suspects) == ((3,), When.BEFORE, (2,))


def test_a_nan_in_the_inputs_came_in(tmp_path: Path) -> None:
    """No call is blamed for what the model was given."""
    title = "aoti_model_inputs - arg0_1"
    first = bad(tmp_path, tensor(title) + values(0, "after") + tensor(title, low="nan"))

    assert (first.when, first.calls, first.suspects, first.run) == (When.INPUT, (), (), 2)


def test_an_input_that_is_seen_late_came_in(tmp_path: Path) -> None:
    """Where the inputs were not printed, the first call that reads one shows it."""
    first = bad(tmp_path, values(0, "before", arg0_1="nan"))

    assert (first.when, first.calls, first.suspects) == (When.BEFORE, (0,), ())


def test_rows_hold_the_extremes_of_all_runs(tmp_path: Path) -> None:
    """However long a log is, an argument has one row before and one after a call."""
    text = "".join(
        values(1, when, buf1=high) for high in ("3", "9", "5") for when in ("before", "after")
    )
    log_story = story(tmp_path, text)

    assert {(row.argument, row.when) for row in log_story.values} == {
        ("buf1", When.BEFORE),
        ("buf1", When.AFTER),
    }
    assert {row.high for row in log_story.values} == {9.0}


@pytest.mark.parametrize(
    ("text", "kind", "last", "following"),
    [
        (launches(0, 1, 2, 3, 5), EndKind.COMPLETE, (5,), None),
        (launches(0, 1, 2, 3), EndKind.BETWEEN, (3,), 5),
        (launches(0, 1, 2) + f"[ before_launch: {ADDMM} ]\n", EndKind.INSIDE, (3,), 5),
        (launches(0, 1) + f"[ before_launch: {SORT} ]\nAborted\n", EndKind.INSIDE, (2,), 3),
        (launches(0, 1, 2, 3, 5, 0), EndKind.BETWEEN, (0,), 1),
        (launches(0, 1, 2, 3, 5) + "[ before_l", EndKind.BETWEEN, (5,), None),
        ("[ before_launch: x ]\n[ after_launch: x ]\n", EndKind.UNPLACED, (), None),
    ],
)
@pytest.mark.parametrize("level", [None, 3])
def test_how_a_log_ends(
    tmp_path: Path,
    level: int | None,
    text: str,
    kind: EndKind,
    last: tuple[int, ...],
    following: int | None,
) -> None:
    """Within a launch, between two, after the last: with the printer in the code or without."""
    end = story(tmp_path, text, level).end

    assert end is not None
    assert (end.kind, end.calls, end.next) == (kind, last, following)


def test_silent_calls_between_two_launches_are_named(tmp_path: Path) -> None:
    """The proxy executor prints nothing: it may be where a program died."""
    end = story(tmp_path, launches(0, 1, 2, 3), 3).end

    assert end is not None
    assert (end.silent, end.unheard) == ((4,), (5,))
    assert CALLS[4][0] is None


def test_values_that_stop_within_a_launch_are_inside(tmp_path: Path) -> None:
    """A title without values, and results that were never printed, are no return."""
    title = f"[  after_launch - {ADD} - buf6  ]:\n"
    for text in (values(5, "before"), values(5, "before") + title):
        end = story(tmp_path, text).end

        assert end is not None
        assert (end.kind, end.calls) == (EndKind.INSIDE, (5,))


def test_on_a_gpu_the_last_launch_is_not_surely_to_blame() -> None:
    """Kernels of a GPU run later than their launch: the end says so."""
    gpu = program("triton_poi_fused_a_0", "triton_poi_fused_b_1")
    cpu = CompiledProgram(
        graphs=tuple(
            replace(
                compiled, calls=tuple(replace(call, backend=Backend.CPP) for call in compiled.calls)
            )
            for compiled in gpu.graphs
        )
    )
    ends = [
        end_of(heard(["triton_poi_fused_a_0"], code)[-1], (), None, PrinterNames(code))
        for code in (gpu, cpu)
    ]

    assert [end and end.gpu for end in ends] == [True, False]


def test_python_wrappers_print_less() -> None:
    """C++ kernels and operators without `out=` have no name there; library calls and Triton do."""
    calls = [
        WrapperCall(index=0, wrapper=wrapper, backend=backend, line=1)
        for wrapper, backend in (
            ("cpp_fused_a_0", Backend.CPP),
            ("torch.ops.aten.topk.default", Backend.EXTERN),
            ("extern_kernels.mm", Backend.EXTERN),
            ("triton_poi_fused_a_0", Backend.TRITON),
        )
    ]

    assert [bool(names_of(call)) for call in calls] == [False, False, True, True]


def test_what_a_library_call_of_python_reads_was_written(tmp_path: Path) -> None:
    """Such a call is printed without the buffer that it writes, so a NaN before it counts."""
    code = tmp_path / "output_code.py"
    code.write_text("def call(args):\n    extern_kernels.mm(buf0, buf1, out=buf2)\n")
    log = tmp_path / "run.log"
    log.write_text("inductor: before_launch - extern_kernels.mm - buf0\nMin:  nan\nMax:  nan\n")
    in_log = read_left_over(code, log=log).log

    assert in_log is not None
    assert in_log.first_bad is not None
    assert (in_log.first_bad.bad, in_log.first_bad.calls) == ("NaN", (0,))
