"""Logs of the debug printer: what is its own is read, whatever stands around it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debug_printer.printed_code import ADDMM, LOG, launches, tensor
from kernelmap.debug_printer.log import PrinterLog, saved_tensors
from kernelmap.errors import KernelmapError
from kernelmap.model.printed import Printed, Values, When, saved_name

LEVEL_2 = tensor(f"before_launch - {LOG} - buf1", high="inf")


def read(folder: Path, text: str | bytes) -> list[Printed]:
    path = folder / "run.log"
    path.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    return list(PrinterLog(path))


def test_launches_of_level_3(tmp_path: Path) -> None:
    """Each line is a launch that begins or has come back, with the line it stands on."""
    assert read(tmp_path, "hello\n" + launches(0)) == [
        Printed(level=3, when=When.BEFORE, line=2, kernel=ADDMM),
        Printed(level=3, when=When.AFTER, line=3, kernel=ADDMM),
    ]


def test_values_of_level_2(tmp_path: Path) -> None:
    """A title and the facts below it are one tensor; what follows the last fact is not its own."""
    (printed,) = read(tmp_path, f"{LEVEL_2}Max value: 7\nMean: 3\n")

    assert printed == Printed(
        level=2,
        when=When.BEFORE,
        line=1,
        kernel=LOG,
        argument="buf1",
        values=Values(
            elements=4,
            shape=(2, 2),
            dtype="float32",
            device="cpu",
            mean=0.5,
            low=-1.0,
            high=math.inf,
        ),
    )
    assert printed.values is not None
    assert printed.values.bad == "Inf"


def test_model_inputs_have_no_kernel(tmp_path: Path) -> None:
    """AOTInductor prints its inputs first, under a title of their own."""
    (printed,) = read(tmp_path, tensor("aoti_model_inputs - arg0_1", low="nan", high="nan"))

    assert (printed.when, printed.kernel, printed.argument) == (When.INPUT, None, "arg0_1")
    assert printed.values is not None
    assert printed.values.bad == "NaN"


def test_saved_files_of_level_1(tmp_path: Path) -> None:
    """A line that tells of a saved file gives its path, and when it was saved."""
    name = "aoti_torchafter_launch_cpp_fused_log_0_buf1_cpu.pt"
    said = f"aoti_torch_save_tensor_handle: Saved tensor to /run/tmp/{name}\n"

    assert read(tmp_path, said) == [
        Printed(level=1, when=When.AFTER, line=1, path=f"/run/tmp/{name}")
    ]
    assert saved_name(name) == (When.AFTER, "cpp_fused_log_0_buf1_cpu")


def test_values_as_a_python_wrapper_prints_them(tmp_path: Path) -> None:
    """Python wrappers have other words for the same facts."""
    (printed,) = read(
        tmp_path,
        "inductor: after_launch - extern_kernels.addmm - buf1\ntensor([[1., 2.]])\n"
        "Number of elements:  2\nSize:  torch.Size([1, 2])\nDtype:  torch.float32\n"
        "Mean:  1.5\nMin:  1.0\nMax:  2.0\nStd:  0.7\n",
    )

    assert (printed.kernel, printed.argument, printed.when) == (
        "extern_kernels.addmm",
        "buf1",
        When.AFTER,
    )
    assert printed.values == Values(
        elements=2, shape=(1, 2), dtype="float32", mean=1.5, low=1.0, high=2.0
    )


def test_a_complex_mean_tells_whether_it_is_a_number(tmp_path: Path) -> None:
    """Complex tensors have no extremes; their mean shows a NaN."""
    said = f"[  after_launch - {LOG} - buf1  ]:\nNumber of elements: 4\nMean value: (1,nan)\n"
    (printed,) = read(tmp_path, said)

    assert printed.values is not None
    assert printed.values.bad == "NaN"


def test_a_mean_that_overflows_is_no_inf(tmp_path: Path) -> None:
    """The mean of large numbers may be Inf while none of them is."""
    said = f"[  after_launch - {LOG} - b  ]:\nMean value: inf\nMin value: 0\nMax value: 3e38\n"
    (printed,) = read(tmp_path, said)

    assert printed.values is not None
    assert printed.values.bad is None


def test_scalars_are_no_tensors(tmp_path: Path) -> None:
    r"""The printer ends scalars by a backslash and an n, so the next thing shares their line."""
    said = f"[  before_launch - {LOG} - xnumel: 128  ]\\n[ before_launch: {LOG} ]\n"

    assert [(printed.level, printed.kernel) for printed in read(tmp_path, said)] == [(3, LOG)]


@pytest.mark.parametrize(
    "end", ["[", "[ ", "[ befo", "[ before_launch: cpp_fus", "[  after_launch - a"]
)
def test_a_line_that_is_cut_off_is_reported(tmp_path: Path, end: str) -> None:
    """A log that ends in the middle of the printer's line lost what came after it."""
    path = tmp_path / "run.log"
    path.write_text(launches(0) + end)
    log = PrinterLog(path)

    assert len(list(log)) == 2
    assert log.unfinished == end


@pytest.mark.parametrize("end", ["", "[ before_launch: a ]", "[1, 2", "done"])
def test_other_ends_are_not_cut_off(tmp_path: Path, end: str) -> None:
    """A whole line without a newline, and other output, are no sign of lost lines."""
    path = tmp_path / "run.log"
    path.write_text(launches(0) + end)
    log = PrinterLog(path)
    list(log)

    assert log.unfinished is None


@given(noise=st.lists(st.text(alphabet=st.characters(exclude_characters="[\n\r:"))), cut=st.data())
def test_other_output_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, noise: list[str], cut: st.DataObject
) -> None:
    """Lines of others between and before the printer's leave the same launches."""
    lines = launches(0, 1, 2).splitlines()
    for text in noise:
        at = cut.draw(st.integers(0, len(lines) - 1))
        lines[at] = f"{text}\n{lines[at]}" if len(text) % 2 else text + lines[at]
    noisy = read(tmp_path_factory.mktemp("log"), "\n".join(lines))
    plain = read(tmp_path_factory.mktemp("log"), launches(0, 1, 2))

    assert [(launch.kernel, launch.when) for launch in noisy] == [
        (launch.kernel, launch.when) for launch in plain
    ]


@given(st.binary())
def test_no_bytes_break_the_reader(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever a log holds, its launches are read and its values are numbers or missing."""
    printed = read(tmp_path_factory.mktemp("log"), LEVEL_2.encode() + data + LEVEL_2.encode())

    assert printed[0].kernel == LOG
    assert all(launch.values is None or launch.values.elements != -1 for launch in printed)


def test_a_line_without_end_is_read_in_parts(tmp_path: Path) -> None:
    """A line of megabytes is none of the printer's and does not hide what follows."""
    printed = read(tmp_path, b"x" * 300_000 + b"\n" + launches(1).encode())

    assert [launch.line for launch in printed] == [2, 3]


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    """Folders and missing files end in a clear error."""
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(KernelmapError) as error:
            PrinterLog(path)

        assert error.value.slug == "unreadable-path"


def test_saved_tensors_are_found_where_the_printer_puts_them(tmp_path: Path) -> None:
    """The folder of the run, its `tmp`, and the folder of Python wrappers will do; others not."""
    names = (
        "tmp/aoti_torchbefore_launch_a_b_cpu.pt",
        "tmp/aoti_torch/after_launch_a_b_cpu.pt",
        "tmp/jit_inductor/after_launch_a_b.pt",
    )
    others = ("tmp/model.pt", "before_launch_a_b.txt", "deep/er/before_launch_a_b.pt")
    for name in (*names, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "tmp" / "before_launch_folder.pt").mkdir()

    tensors = saved_tensors(tmp_path)
    assert {saved.path.relative_to(tmp_path).as_posix() for saved in tensors} == set(names)
    assert [saved.named for saved in saved_tensors(tmp_path / names[0])] == ["a_b_cpu"]


def test_a_folder_without_tensors_is_an_error(tmp_path: Path) -> None:
    """Nothing saved is said with where to look."""
    with pytest.raises(KernelmapError) as error:
        saved_tensors(tmp_path)

    assert error.value.slug == "printer-nothing-saved"
