"""What AOTInductor's debug printer left: the lines of a log, and a folder of saved tensors.

Level 1 tells the files it saved, level 2 the values of tensors, level 3 the launches. Anything else
in the log is passed over; several things may share a line, because other output need not end its
own. The log is read as it comes, and never as a whole. Python wrappers print values in words of
their own. Source: torch 2.13 (`shim_common.cpp`, `DebugPrinterManager`), and logs of it.
Left out: the elements that are printed of small tensors.

The files are called `<when>_launch_<kernel>_<argument>[_<device>].pt`; AOTInductor puts
`aoti_torch` before, where a folder of that name was meant, and into the folder `tmp` of the
working folder, Python wrappers into `tmp/jit_inductor`. Kernel and argument cannot be told apart
here: both hold underscores, and only the code knows the names. The files are not opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.errors import KernelmapError, unreadable
from kernelmap.model.paths import is_folder, is_regular, open_file, require_readable
from kernelmap.model.printed import Printed, Values, When, saved_name

_PLACES = (".", "tmp", "tmp/aoti_torch", "tmp/jit_inductor", "aoti_torch", "jit_inductor")
_LONGEST = 1 << 16  # bytes of a line; more cannot be a line of the printer
_DIGITS = 18
_SAID = re.compile(
    r"""\[\ (?P<launch>before|after)_launch:\ (?P<kernel>[^\]\n]+?)\ \]
    | \[\ \ (?P<when>before|after)_launch\ -\ (?P<of>\S+)\ -\ (?P<argument>.+?)\ \ \](?P<tensor>:?)
    | \[\ \ aoti_model_inputs\ -\ (?P<input>.+?)\ \ \]:
    | aoti_torch_save_tensor_handle:\ Saved\ tensor\ to\ (?P<path>.+)
    | inductor:\ (?P<python>before|after)_launch\ -\ (?P<python_of>\S+)\ -\ (?P<python_argument>.+)
    """,
    re.VERBOSE,
)
_SCALAR = re.compile(r": -?\d+$")
_HEADS = tuple(f"{mark}{when}_launch" for mark in ("[ ", "[  ") for when in ("before", "after"))
_FILE = re.compile(r"(?P<when>before|after)_launch_")
_LAST = ("Requires grad:", "Std:")
_SIZES = re.compile(r"\[([\d, ]*)\]")


class SavedTensor(Struct, frozen=True, kw_only=True):
    """A file; `named` is its name between the launch's word and the suffix."""

    path: Path
    when: When
    named: str
    size: int


def saved_tensors(path: Path) -> tuple[SavedTensor, ...]:
    """The printer's files in the folder `path`, or in the folders that it makes there, by name.

    Raises KernelmapError where there is none.
    """
    require_readable(path)
    folders = [path / place for place in _PLACES] if path.is_dir() else [path.parent]
    tensors: dict[Path, SavedTensor] = {}
    for folder in filter(is_folder, folders):
        for file in _files(folder):
            read = saved_name(file.name)
            wanted = path.is_dir() or file.name == path.name
            if read is not None and wanted and is_regular(file):
                tensors[file] = SavedTensor(
                    path=file, when=read[0], named=read[1], size=file.stat().st_size
                )
    if not tensors:
        raise KernelmapError(
            "printer-nothing-saved",
            f"{path} holds no tensor that the debug printer saved",
            "They lie in the folder `tmp` of the folder in which the model ran (level 1).",
        )
    return tuple(tensors.values())


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise unreadable(folder, error) from error


class PrinterLog:
    """One log; iterate once over what the printer said. `unfinished` is known at its end.

    `unfinished` is a line of the printer that the log ends in: what wrote it was interrupted.
    """

    label = "the output of a program with AOTInductor's debug printer"

    def __init__(self, path: Path) -> None:
        """Raises KernelmapError where `path` cannot be read."""
        require_readable(path)
        if path.is_dir():
            raise unreadable(path, "it is a folder", "Give the file with the program's output.")
        self.path = path
        self.unfinished: str | None = None

    def __iter__(self) -> Iterator[Printed]:
        """Everything that the printer said, in its order."""
        try:
            with open_file(self.path) as log:
                yield from self._read(log)
        except OSError as error:
            raise unreadable(self.path, error) from error

    def _read(self, log: BinaryIO) -> Iterator[Printed]:
        tensor: Printed | None = None
        number = 0
        for number, text in _lines(log):
            # Lines that say nothing of the printer's may be facts of the
            # tensor whose title came before.
            lines = [printed for match in _SAID.finditer(text) for printed in _said(match, number)]
            if not lines:
                if tensor is not None:
                    tensor = _with_fact(tensor, text.strip())
                    if text.startswith(_LAST):
                        yield tensor
                        tensor = None
                continue
            if tensor is not None:
                yield tensor
            # Only the last thing on a line may go on in the next lines.
            *before, tensor = lines
            yield from before
            if tensor.level != 2:  # noqa: PLR2004 -- only values go on in the next lines
                yield tensor
                tensor = None
        if tensor is not None:
            yield tensor
        self.unfinished = self._cut_off(log)

    def _cut_off(self, log: BinaryIO) -> str | None:
        log.seek(max(0, log.tell() - _LONGEST))
        last = log.read(_LONGEST).decode("utf-8", "replace").rpartition("\n")[2]
        begun = last[last.rfind("[") :] if "[" in last else ""
        # The log was cut off in a line of the printer if its end is no whole such line but begins
        # like one, or breaks off within the beginning: `[ befo`.
        is_head = any(head.startswith(begun) or begun.startswith(head) for head in _HEADS)
        return begun if begun and is_head and not _SAID.search(begun) else None


def _lines(log: BinaryIO) -> Iterator[tuple[int, str]]:
    """Line numbers from 1 and texts; of a line that is too long, the beginning."""
    number, going_on = 0, False
    while raw := log.readline(_LONGEST):
        # Of a line that is read in several pieces only the first counts and is given.
        number += not going_on
        if not going_on:
            yield number, raw.decode("utf-8", "replace").rstrip("\r\n")
        going_on = not raw.endswith(b"\n")


def _said(match: re.Match[str], line: int) -> Iterator[Printed]:
    """What one line of the printer says; scalars are no tensors, and are left out."""
    if match["kernel"] is not None:
        yield Printed(level=3, when=When(match["launch"]), line=line, kernel=match["kernel"])
    elif match["of"] is not None:
        argument = match["argument"]
        if match["tensor"] or not _SCALAR.search(argument):
            yield _values(When(match["when"]), line, match["of"], argument)
    elif match["input"] is not None:
        yield _values(When.INPUT, line, None, match["input"])
    elif match["path"] is not None:
        when = _FILE.search(match["path"].replace("\\", "/").rpartition("/")[2])
        if when is not None:
            yield Printed(level=1, when=When(when["when"]), line=line, path=match["path"])
    else:
        argument = match["python_argument"]
        yield _values(When(match["python"]), line, match["python_of"], argument)


def _values(when: When, line: int, kernel: str | None, argument: str) -> Printed:
    return Printed(
        level=2, when=when, line=line, kernel=kernel, argument=argument.strip(), values=Values()
    )


def _with_fact(tensor: Printed, text: str) -> Printed:
    """`tensor` with what one more line states of it."""
    name, colon, value = text.partition(":")
    values, value = tensor.values or Values(), value.strip()
    if not colon or not value:
        return tensor
    match name.removesuffix(" value"):
        case "Number of elements":
            values = replace(values, elements=_whole(value))
        case "Dtype":
            values = replace(values, dtype=value.removeprefix("torch."))
        case "Device":
            values = replace(values, device=value)
        case "Size":
            values = replace(values, shape=_sizes(value))
        case "Mean":
            values = replace(values, mean=_number(value))
        case "Min":
            values = replace(values, low=_number(value))
        case "Max":
            values = replace(values, high=_number(value))
        case _:
            return tensor
    return replace(tensor, values=values)


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:  # a complex mean
        return _complex(text)


def _complex(text: str) -> float | None:
    """The worst part of `(1.5,nan)`: what it is good for is whether it is a number at all."""
    try:
        parts = [float(part) for part in text.strip("()").split(",")]
    except ValueError:
        return None
    return next((part for part in parts if part != part or abs(part) == float("inf")), parts[0])  # noqa: PLR0124 -- NaN is the only value that is not itself


def _sizes(text: str) -> tuple[int, ...] | None:
    match = _SIZES.search(text)
    if match is None:
        return None
    sizes = [_whole(size.strip()) for size in match[1].split(",") if size.strip()]
    return tuple(size for size in sizes if size is not None) if None not in sizes else None
