"""The variables of the debug printer: names that filter, however a person spells a kernel."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from debug_printer.printed_code import ADD, ADDMM, LOG, PROXY, SORT, code
from golden_text import Golden
from kernelmap.cli import main
from kernelmap.debug_printer import settings_for_calls
from kernelmap.debug_printer.chosen import FILTER, PRINTER
from kernelmap.errors import UsageError

TOPK = "aoti_torch_cpu_topk,at::_ops::topk::call"
GELU, SOFTMAX = "cpp_fused_gelu_native_layer_norm_0", "cpp_fused__softmax_1"


@pytest.fixture
def sample(samples: Path) -> Path:
    return samples / "aoti_block"


@pytest.mark.parametrize(
    ("name", "filtered"),
    [
        (GELU, GELU),
        ("model/1", GELU),
        ("aten.gelu", GELU),
        ("gelu", GELU),
        ("aten::_softmax", SOFTMAX),
        ("aten.addmm", ADDMM),
        (ADDMM, ADDMM),
        ("aoti_torch_cpu_topk", TOPK),
        ("at::_ops::topk::call", TOPK),
        ("topk", TOPK),
        ("model/4", TOPK),
    ],
)
def test_a_name_becomes_what_the_printer_filters_by(sample: Path, name: str, filtered: str) -> None:
    """Wrappers, call ids, operators and the printer's own names lead to the printer's names."""
    printer_settings = settings_for_calls(sample, kernels=[name])

    assert dict(printer_settings.variables) == {PRINTER: "2", FILTER: filtered}


def test_several_names_are_one_list_in_program_order(sample: Path) -> None:
    """The filter holds every name once."""
    printer_settings = settings_for_calls(sample, kernels=["topk", "gelu", "model/0", "aten.addmm"])

    assert dict(printer_settings.variables)[FILTER] == f"{ADDMM},{GELU},{TOPK}"
    assert [choice.call for choice in printer_settings.chosen] == [
        "model/0",
        "model/1",
        "model/2",
        "model/4",
    ]


def test_code_with_the_printer_inside_tells_its_names(tmp_path: Path) -> None:
    """Statements of the printer state the one name that it uses."""
    printer_settings = settings_for_calls(code(tmp_path, 3), kernels=["sort"])

    assert dict(printer_settings.variables)[FILTER] == SORT


def test_without_a_choice_there_is_no_filter(sample: Path) -> None:
    """The printer then speaks of all that it can, and every call is listed."""
    printer_settings = settings_for_calls(sample)

    assert dict(printer_settings.variables) == {PRINTER: "2"}
    assert len(printer_settings.chosen) == 5
    assert printer_settings.notices == ()


@pytest.mark.parametrize("level", [1, 3])
def test_other_levels_are_not_filtered(sample: Path, level: int) -> None:
    """Only level 2 heeds the filter, so it is not set, and that is said."""
    printer_settings = settings_for_calls(sample, kernels=["gelu"], level=level)

    assert printer_settings.variables == ((PRINTER, str(level)),)
    assert [notice.slug for notice in printer_settings.notices] == ["printer-filter-unheeded"]


def test_a_filter_takes_all_calls_of_a_kernel(sample: Path) -> None:
    """The filter cannot choose one of two calls of a kernel; the notice names the other one."""
    printer_settings = settings_for_calls(sample, kernels=["model/2"])

    (notice,) = printer_settings.notices
    assert notice.slug == "printer-filter-by-name"
    assert "model/0" in notice.message


def test_the_hottest_kernels_of_a_profile(sample: Path) -> None:
    """--top counts kernels by the time of all their calls."""
    run = settings_for_calls(sample, sample / "profile.json.gz", top=1)
    every = settings_for_calls(sample, sample / "profile.json.gz", top=99)

    assert len({choice.wrapper for choice in run.chosen}) == 1
    assert {choice.call for choice in every.chosen} == {f"model/{n}" for n in range(5)}


def test_top_needs_a_profile(sample: Path) -> None:
    """Without one nothing is hot."""
    with pytest.raises(UsageError) as error:
        settings_for_calls(sample, top=1)

    assert error.value.slug == "printer-top-needs-profile"


def test_an_unknown_name_is_shown_the_nearest(sample: Path) -> None:
    """A slip of the pen is met with the names that were meant."""
    with pytest.raises(UsageError) as error:
        settings_for_calls(sample, kernels=["cpp_fused_gelu_native_layer_norm_7"])

    assert error.value.slug == "unknown-name"
    assert GELU in error.value.hint


def test_calls_that_the_printer_never_names(tmp_path: Path) -> None:
    """Alone they are an error, among others a notice."""
    small = code(tmp_path)
    with pytest.raises(UsageError) as error:
        settings_for_calls(small, kernels=[PROXY])
    printer_settings = settings_for_calls(small, kernels=[PROXY, LOG])

    assert error.value.slug == "printer-never-speaks"
    assert dict(printer_settings.variables)[FILTER] == LOG
    assert "printer-silent-call" in {notice.slug for notice in printer_settings.notices}


def test_python_wrappers_are_shown_what_works(tmp_path: Path) -> None:
    """Code that is no C++ gets the same variables, and what the printer can do there."""
    path = tmp_path / "output_code.py"
    path.write_text("def call(args):\n    extern_kernels.mm(args[0], args[1], out=args[2])\n")
    printer_settings = settings_for_calls(path, kernels=["mm"])

    assert dict(printer_settings.variables)[FILTER] == "extern_kernels.mm"
    assert [notice.slug for notice in printer_settings.notices] == ["printer-python-wrapper"]


def test_a_profile_alone_is_not_enough(samples: Path) -> None:
    """Names of calls stand in the code."""
    with pytest.raises(UsageError) as error:
        settings_for_calls(samples / "aoti_block" / "profile.json.gz")

    assert error.value.slug == "printer-needs-code"


def test_names_that_would_mean_more_to_a_shell_are_left_out(tmp_path: Path) -> None:
    """A name out of hostile code never reaches the filter; the others do."""
    path = code(tmp_path, 3)
    hostile = path.read_text("utf-8").replace(f"launch: {ADD}", "launch: x;$(touch pwned),y")
    path.write_text(hostile, encoding="utf-8")
    printer_settings = settings_for_calls(path, kernels=[LOG, ADD])

    assert dict(printer_settings.variables)[FILTER] == LOG


def invoke(*args: str) -> str:
    result = CliRunner().invoke(
        main, ["inspect", "--debug-printer", "2", *args], env={"COLUMNS": "120"}
    )

    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.skipif(shutil.which("sh") is None, reason="no POSIX shell")
def test_the_answer_is_a_script(sample: Path) -> None:
    """A shell that evaluates all of it has the variables, and nothing else happened."""
    script = invoke(str(sample), "--kernel", "topk", "--kernel", "gelu")
    done = subprocess.run(  # noqa: S603 -- our own output
        ["/bin/sh", "-c", f'{script}\nprintf %s "${FILTER}|${PRINTER}"'],
        capture_output=True,
        text=True,
        check=True,
    )

    assert (done.stdout, done.stderr) == (f"{GELU},{TOPK}|2", "")


def test_formats(sample: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is a script, JSON has all of it, Markdown the same in words."""
    document = json.loads(invoke(str(sample), "--kernel", "topk", "--format", "json"))
    text = invoke(str(sample), "--kernel", "topk", "--format", "markdown")

    monkeypatch.chdir(sample.parent)  # the script names its inputs as they were given
    golden("settings.txt", invoke(sample.name, "--kernel", "topk", "--kernel", "gelu"))
    assert document["environment"] == {PRINTER: "2", FILTER: TOPK}
    assert document["assignments"][1] == f"{FILTER}={TOPK}"
    assert f"    export {FILTER}={TOPK}" in text
    assert "| `model/4` | `aoti_torch_cpu_topk` |" in text
