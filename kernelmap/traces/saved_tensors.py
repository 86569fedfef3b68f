"""A folder that AOTInductor's debug printer saved tensors into → its files, unopened.

The files are called `<when>_launch_<kernel>_<argument>[_<device>].pt`; AOTInductor puts
`aoti_torch` before, where a folder of that name was meant, and into the folder `tmp` of the
working folder, Python wrappers into `tmp/jit_inductor`. Kernel and argument cannot be told apart
here: both hold underscores, and only the code knows the names. Left out: what is in the files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kernelmap.errors import KernelmapError, unreadable
from kernelmap.model.paths import is_folder, is_regular, require_readable
from kernelmap.model.printed import When, saved_name

_PLACES = (".", "tmp", "tmp/aoti_torch", "tmp/jit_inductor", "aoti_torch", "jit_inductor")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTensor:
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
    found: dict[Path, SavedTensor] = {}
    for folder in filter(is_folder, folders):
        for file in _files(folder):
            read = saved_name(file.name)
            wanted = path.is_dir() or file.name == path.name
            if read is not None and wanted and is_regular(file):
                found[file] = SavedTensor(
                    path=file, when=read[0], named=read[1], size=file.stat().st_size
                )
    if not found:
        raise KernelmapError(
            "printer-nothing-saved",
            f"{path} holds no tensor that the debug printer saved",
            "They lie in the folder `tmp` of the folder in which the model ran (level 1).",
        )
    return tuple(found.values())


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise unreadable(folder, error) from error
