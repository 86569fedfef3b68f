"""Logs of real runs at every level: kernels, arguments and the last launch, as a person read them.

The golden texts were held against the logs line by line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from golden_text import Golden
from kernelmap.debug_printer import read_left_over, settings_for_calls
from kernelmap.debug_printer.chosen import FILTER
from kernelmap.debug_printer.launches import EndKind
from kernelmap.debug_printer.shown import page_of_left_over
from kernelmap.model.printed import When
from kernelmap.pages.render import terminal

pytestmark = pytest.mark.corpus
ADDMM, FUSED = "aoti_torch_cpu_addmm_out", "cpp_fused_gelu_native_layer_norm_0"
ARGUMENTS = {0: ["buf0", "arg4_1"], 1: ["buf2", "buf5", "buf3"]}
WIDTH = 120


@pytest.fixture
def folder(corpus: Path) -> Path:
    return corpus / "inductor" / "aoti_cpu"


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_log_reads_as_on_file(folder: Path, golden: Golden, level: int) -> None:
    """What the terminal shows of each level."""
    place = folder / f"lv{level}"
    left = read_left_over(place, log=place / "stdout.log")

    assert left.notices == ()
    golden(
        f"lv{level}.txt",
        terminal.render_text(page_of_left_over(left), WIDTH).plain.replace(str(folder), ""),
    )


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("code", ["lv0", "lv1", "lv2", "lv3"])
def test_arguments_belong_to_their_calls(folder: Path, level: int, code: str) -> None:
    """With the code of any level: the names of kernels and buffers are the same in all of them."""
    log = read_left_over(folder / code, log=folder / f"lv{level}" / "stdout.log").log
    assert log is not None
    rows = [row for row in log.values if row.kernel is not None]
    expected = [
        ((call,), when, argument)
        for call, arguments in ARGUMENTS.items()
        for when in (When.BEFORE, When.AFTER)
        for argument in arguments
    ]

    assert [(row.calls, row.when, row.argument) for row in rows] == expected
    assert [row.argument for row in rows if row.unset] == ["buf0", "buf2", "buf3"]
    assert log.end is not None
    assert (log.end.kind, log.end.kernel, log.end.calls) == (EndKind.COMPLETE, FUSED, (1,))


@pytest.mark.sampled
@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_log_that_is_cut_names_the_launch_before(
    folder: Path, tmp_path: Path, level: int
) -> None:
    """A log that ends behind any line of the printer ends in the launch of that line."""
    lines = (folder / f"lv{level}" / "stdout.log").read_text("utf-8").splitlines(keepends=True)
    printer_lines = [
        at for at, line in enumerate(lines) if "before_launch" in line or "after_launch" in line
    ]
    log = tmp_path / "cut.log"
    for at in printer_lines:
        for cut in (at + 1, at + 2):
            log.write_text("".join(lines[:cut]), encoding="utf-8")
            in_log = read_left_over(folder / "lv0", log=log).log
            assert in_log is not None
            assert in_log.end is not None
            said = lines[max(number for number in printer_lines if number < cut)]

            assert in_log.end.calls == ((0,) if ADDMM in said else (1,))
            assert (in_log.end.kind is EndKind.INSIDE) or "after_launch" in said


def test_the_filter_names_what_the_log_names(folder: Path) -> None:
    """What the variables ask for is what AOTInductor calls the kernels."""
    printer_settings = settings_for_calls(folder / "lv0", kernels=["aten.addmm", "gelu"])
    log = read_left_over(folder / "lv0", log=folder / "lv2" / "stdout.log").log

    assert log is not None
    assert dict(printer_settings.variables)[FILTER].split(",") == [
        kernel for kernel, _ in log.heard
    ]
