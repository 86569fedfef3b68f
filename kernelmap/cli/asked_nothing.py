"""`kernelmap` without a word: where recordings lie here, what can be asked of the newest of them.

And a path without a command: it means the most likely question, which lines take the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from kernelmap.commands import command, input_word
from kernelmap.errors import KernelmapError

_MANIFEST = "manifest.toml"  # as model/bundle.py calls it, which brings numpy
_ENTRIES = 1_000  # of a folder: whoever keeps more in one place knows what to ask
QUESTION = ("correlate", "--by", "line")
"""What a path alone asks."""
_QUESTIONS = (
    (("correlate", "--by", "line"), (), "which source lines take the time"),
    (("doctor",), (), "what to change first, and what the recording lacks"),
    (("correlate", "--by", "wall"), (), "where the time of a step goes, and why the GPU is idle"),
    (("memory",), (), "who holds the bytes at the peak of memory"),
    (("correlate",), ("--open",), "all of it as one page in the browser"),
)


def is_input(word: str) -> bool:
    """Whether a word in the place of a command is a file or a folder that is there, or a pipe."""
    try:
        return word == "-" or Path(word).exists()
    except (OSError, ValueError):  # nobody may look there, or no file can have such a name
        return False


def bundles_here(folder: Path) -> list[Path]:
    """The bundle that a folder is, else the bundles in it, the newest first."""
    # Most folders have none, and then nothing is loaded to say so.
    if not (folder / _MANIFEST).exists() and not any(folder.glob(f"*/{_MANIFEST}")):
        return []
    from kernelmap.model.bundle import is_bundle

    if is_bundle(folder):
        return [Path()]
    found = [each for each in _folders_in(folder) if is_bundle(each)]
    found.sort(key=lambda each: (each / _MANIFEST).stat().st_mtime, reverse=True)
    return [each.relative_to(folder) for each in found]


def _folders_in(folder: Path) -> Iterator[Path]:
    try:
        yield from filter(Path.is_dir, islice(folder.iterdir(), _ENTRIES))
    except OSError:
        return


def say_what_to_ask(bundles: Sequence[Path], folder: Path) -> str:
    """The newest bundle, and the commands that make sense of it, ready to be copied."""
    newest, *others = bundles
    lines = [
        (command(*words, input_word(newest), *behind), text) for words, behind, text in _QUESTIONS
    ]
    width = max(len(line) for line, _ in lines)
    also = [f"Also here: {', '.join(map(str, others[:_SHOWN]))}{_more(len(others))}", ""]
    # What a bundle says of itself is an input, and so is the name of its folder.
    from kernelmap.pages.text import make_visible

    text = [
        f"The recording {newest}: {_about(folder / newest)}",
        "",
        *(f"  {line:{width}}  {meaning}" for line, meaning in lines),
        "",
        *(also if others else ()),
        "All commands: kernelmap --help",
    ]
    return "".join(f"{make_visible(line)}\n" for line in text)


_SHOWN = 3  # other recordings that are named


def _more(count: int) -> str:
    return f" and {count - _SHOWN:,} more" if count > _SHOWN else ""


def _about(bundle: Path) -> str:
    """When it was recorded, by what, on which devices."""
    from kernelmap.model.bundle import read_manifest
    from kernelmap.model.notices import format_count

    try:
        manifest = read_manifest(bundle)
    except KernelmapError as error:
        return error.message
    gpus = dict.fromkeys(gpu for process in manifest.processes for gpu in process.gpus)
    versions = dict.fromkeys(process.torch for process in manifest.processes if process.torch)
    parts = [
        (manifest.started or "")[:16].replace("T", " "),
        ", ".join(gpus),
        ", ".join(f"torch {version}" for version in versions),
        format_count(len(manifest.processes), "process") if len(manifest.processes) > 1 else "",
        "" if manifest.why is None else manifest.why,
    ]
    return " · ".join(filter(None, parts)) or "a bundle"
