"""Saved tensors and logs by command: calls, arguments and sentences; what is hostile stays text."""

from __future__ import annotations

import json
import pickle
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from debug_printer.printed_code import ADDMM, LOG, SORT, code, launches, tensor, values
from kernelmap.capture import tensors
from kernelmap.cli import main
from kernelmap.debug_printer import LeftOver, read_left_over
from kernelmap.errors import KernelmapError
from kernelmap.pages.render import markdown

ESCAPE = "\x1b[31mred\x07"


def invoke(*args: str) -> Result:
    return CliRunner().invoke(main, ["inspect", *args], env={"COLUMNS": "120"})


def saved(folder: Path, *names: str) -> Path:
    """A folder in which the printer saved files of these names, without content."""
    place = folder / "run" / "tmp"
    place.mkdir(parents=True)
    for name in names:
        (place / name).touch()
    return folder / "run"


def test_files_stand_in_the_order_of_the_code(tmp_path: Path) -> None:
    """Call by call, before and after, arguments as the statement hands them over."""
    folder = saved(
        tmp_path,
        f"aoti_torchbefore_launch_{ADDMM}_buf3_cpu.pt",
        f"aoti_torchafter_launch_{ADDMM}_buf0_cpu.pt",
        f"aoti_torchbefore_launch_{ADDMM}_buf5_cpu.pt",
        f"aoti_torchbefore_launch_{LOG}_buf1_cpu.pt",
        f"aoti_torchbefore_launch_{ADDMM}_arg0_1_cpu.pt",
        f"aoti_torchbefore_launch_{ADDMM}_buf0_cpu.pt",
    )
    left = read_left_over(code(tmp_path), saved=folder)

    assert [(e.name.calls, e.file.when, e.name.argument) for e in left.files or ()] == [
        ((0,), "before", "buf0"),
        ((0,), "before", "arg0_1"),
        ((0,), "after", "buf0"),
        ((1,), "before", "buf1"),
        ((3,), "before", "buf5"),
        ((3,), "before", "buf3"),
    ]


def test_a_choice_of_kernels_narrows_what_is_shown(tmp_path: Path) -> None:
    """--kernel leaves the files and rows of other kernels out, never the end of the log."""
    folder = saved(
        tmp_path, f"before_launch_{LOG}_buf1_cpu.pt", f"before_launch_{SORT}_buf1_cpu.pt"
    )
    log = tmp_path / "run.log"
    log.write_text("".join(values(n, w) for n in (0, 1) for w in ("before", "after")))
    left = read_left_over(code(tmp_path), saved=folder, log=log, kernels=["log"])

    assert [file.name.kernel for file in left.files or ()] == [LOG]
    assert left.log is not None
    assert {row.kernel for row in left.log.values} == {LOG}
    assert left.log.end is not None
    assert left.log.end.kernel == LOG
    assert dict(left.log.heard) == {ADDMM: 1, LOG: 1}


def test_files_of_other_code_are_reported(tmp_path: Path) -> None:
    """A kernel that the code does not call is a gap, and its files stand last."""
    folder = saved(tmp_path, "before_launch_a_0_buf0_cpu.pt", f"before_launch_{LOG}_buf1_cpu.pt")
    left = read_left_over(code(tmp_path), saved=folder)

    assert [file.name.kernel for file in left.files or ()] == [LOG, None]
    assert [(n.slug, n.gap) for n in left.notices if n.slug.startswith("printer")] == [
        ("printer-unknown-kernel", True)
    ]


def test_a_log_without_the_printer_is_an_error(tmp_path: Path) -> None:
    """Nothing said is said, with why lines may be missing."""
    log = tmp_path / "run.log"
    log.write_text("hello\n")
    with pytest.raises(KernelmapError) as error:
        read_left_over(code(tmp_path), log=log)

    assert error.value.slug == "printer-log-silent"
    assert "python -u" in error.value.hint


def test_a_log_of_other_code_is_reported(tmp_path: Path) -> None:
    """Kernels without a call are counted in a notice."""
    log = tmp_path / "run.log"
    log.write_text(launches(0).replace(ADDMM, "other"))
    left = read_left_over(code(tmp_path), log=log)

    assert "printer-unknown-kernel" in {notice.slug for notice in left.notices}


def test_without_torch_nothing_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--load without torch is one clear error; without --load no torch is asked for."""
    monkeypatch.setattr(tensors, "find_spec", lambda name: None if name == "torch" else name)
    folder = saved(tmp_path, f"before_launch_{LOG}_buf1_cpu.pt")
    small = str(code(tmp_path))
    refused = invoke(small, "--printed", str(folder), "--load")
    read = invoke(small, "--printed", str(folder))

    assert (refused.exit_code, read.exit_code) == (3, 0)
    assert "error: this Python has no torch" in refused.stderr
    assert "[capture]" in refused.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--load"], "--printed PATH"),
        (["--printed", "x", "--top", "3"], "--kernel"),
        (["--debug-printer", "4"], "1<=x<=3"),
        (["--printed", ""], "the path is empty"),
    ],
)
def test_wrong_options_are_wrong_usage(tmp_path: Path, options: list[str], words: str) -> None:
    """Options that do not go together exit with 2 and say which would."""
    result = invoke(str(code(tmp_path)), *options)

    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_hostile_names_stay_text(tmp_path: Path, form: str) -> None:
    """Control characters of file names and logs are shown as escapes, and Markdown as code."""
    odd = f"before_launch_{LOG}_{ESCAPE}|<b>`_cpu.pt"
    folder = saved(tmp_path, odd)
    log = tmp_path / "run.log"
    log.write_text(
        tensor(f"before_launch - {LOG} - {ESCAPE}|`<img src=x>")
        + f"[ before_launch: {ESCAPE}|`<script> ]\n"
    )
    result = invoke(
        str(code(tmp_path)), "--printed", str(folder), "--printed", str(log), "--format", form
    )

    assert result.exit_code == 0
    assert "\x1b" not in result.output
    assert "\x07" not in result.output
    assert "\\x1b[31mred" in result.output
    if form == "markdown":
        assert markdown.code_span(f"{ESCAPE}|`<img src=x>") in result.stdout
        assert markdown.code_span(odd) in result.stdout


def test_json_holds_numbers_that_json_lacks(tmp_path: Path) -> None:
    """NaN and Inf are texts; what was not printed is null; the story is in it."""
    log = tmp_path / "run.log"
    log.write_text(values(0, "after", buf0="nan", arg0_1="inf") + f"[ before_launch: {LOG} ]\n")
    result = invoke(str(code(tmp_path)), "--printed", str(log), "--format", "json")
    document = json.loads(result.stdout)

    assert (document["format"], document["version"], document["files"]) == (
        "kernelmap.printed",
        1,
        None,
    )
    assert [row["high"] for row in document["log"]["values"]] == ["nan", "inf"]
    assert document["log"]["first_bad"]["bad"] == "NaN"
    assert document["log"]["end"]["kind"] == "inside"
    assert document["log"]["end"]["calls"][0]["wrapper"] == LOG
    assert any(text.startswith("it died in call ") for text in document["log"]["story"])


class _Payload:
    """Unpickled, it would make a file."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.target,))


def opened(tmp_path: Path, content: dict[str, object]) -> LeftOver:
    """What is found in files, saved by torch or written as bytes."""
    import torch

    folder = saved(tmp_path)
    for argument, value in content.items():
        path = folder / "tmp" / f"aoti_torchbefore_launch_{LOG}_{argument}_cpu.pt"
        if isinstance(value, bytes):
            path.write_bytes(value)
        else:
            torch.save(value, path)
    return read_left_over(code(tmp_path), saved=folder, load=True)


@pytest.mark.torch
def test_tensors_are_counted(tmp_path: Path) -> None:
    """Extremes and mean are those of finite elements; NaN and Inf are counted apart."""
    import torch

    odd = torch.tensor([[1.0, float("nan")], [float("-inf"), 4.0]])
    left = opened(
        tmp_path,
        {
            "odd": odd,
            "whole": torch.arange(5),
            "empty": torch.zeros(0, 3),
            "flags": torch.tensor([True, False]),
            "small": torch.tensor([1.5], dtype=torch.bfloat16),
            "complex": torch.tensor([complex(1, float("nan"))]),
            "sparse": torch.eye(3).to_sparse(),
        },
    )
    facts = {file.name.argument: file.facts for file in left.files or ()}

    def of(name: str) -> tuple[object, ...]:
        one = facts[name]
        assert one is not None
        return (one.shape, one.dtype, one.low, one.high, one.mean, one.nans, one.infs)

    assert of("odd") == ((2, 2), "float32", 1.0, 4.0, 2.5, 1, 1)
    assert of("whole") == ((5,), "int64", 0.0, 4.0, 2.0, 0, 0)
    assert of("empty") == ((0, 3), "float32", None, None, None, 0, 0)
    assert of("flags") == ((2,), "bool", 0.0, 1.0, 0.5, 0, 0)
    assert of("small") == ((1,), "bfloat16", 1.5, 1.5, 1.5, 0, 0)
    assert of("complex") == ((1,), "complex64", None, None, None, 1, 0)
    assert of("sparse") == ((3, 3), "float32", 0.0, 1.0, 1 / 3, 0, 0)


@pytest.mark.torch
def test_what_needs_unpickling_is_refused(tmp_path: Path) -> None:
    """Code in a file is not run, whatever shape the file has; each such file is named."""
    target = tmp_path / "made"
    left = opened(
        tmp_path,
        {
            "code": _Payload(target),
            "bare": pickle.dumps(_Payload(target)),
            "list": [1, 2],
            "garbage": b"no tensor at all",
            "nothing": b"",
        },
    )
    refused = {file.name.argument for file in left.files or () if file.refused is not None}
    named = [n.message for n in left.notices if n.slug == "printer-file-refused"]

    assert refused == {"code", "bare", "list", "garbage", "nothing"}
    assert all(file.facts is None for file in left.files or ())
    assert not target.exists()
    assert len(named) == len(refused)
    assert sum("was not unpickled" in message for message in named) >= 2


@pytest.mark.torch
def test_a_refused_file_does_not_hide_the_others(tmp_path: Path) -> None:
    """The table shows both, and every column is there."""
    import torch

    opened(tmp_path, {"good": torch.ones(2, 3), "odd": b"x"})
    result = invoke(
        str(tmp_path / "cabc.wrapper.cpp"), "--printed", str(tmp_path / "run"), "--load"
    )

    assert find_spec("torch") is not None
    assert result.exit_code == 0
    assert "2 x 3" in result.stdout
    assert "refused" in result.stdout
    assert "odd_cpu.pt was not loaded" in result.stderr


def test_a_log_of_two_processes_is_reported(tmp_path: Path) -> None:
    """A launch that began and never came back, in the middle of a log, is a gap."""
    log = tmp_path / "run.log"
    log.write_text(launches(0) + f"[ before_launch: {LOG} ]\n" + launches(0, 1))
    left = read_left_over(code(tmp_path), log=log)

    (notice,) = (notice for notice in left.notices if notice.slug == "printer-log-mixed")
    assert notice.gap
    assert "line 3 of the log" in notice.message


def test_arrays_on_the_stack_are_their_buffers(tmp_path: Path) -> None:
    """AOTInductor prints a copy of them; the argument is the array."""
    log = tmp_path / "run.log"
    log.write_text(tensor(f"after_launch - {LOG} - copy_arrayref_tensor_to_tensor(buf1)"))
    in_log = read_left_over(code(tmp_path), log=log).log

    assert in_log is not None
    assert [(row.argument, row.calls) for row in in_log.values] == [("buf1", (1,))]
