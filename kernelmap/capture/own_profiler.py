"""A window of the program's own torch.profiler, and the code that ran in this process → a bundle.

No log is needed: the code and what the compiler knows of it are in memory (graphs.py). What is not:
the calls that went into CUDA graphs, which nobody listened to while they were captured.

torch writes a window once. What it wrote for us it could write for nobody else, so whoever exports
the same window later, such as another handler, gets a copy of it.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kernelmap.capture.command_line import WANTED
from kernelmap.capture.contents import finished
from kernelmap.capture.folder import first_manifest, make_folder, write_manifest
from kernelmap.capture.graphs import graphs_in_memory, log_gone, log_missing
from kernelmap.capture.plan import Plan
from kernelmap.capture.recording import process_facts
from kernelmap.capture.window import write_trace
from kernelmap.model.bundle import LOGS, PROCESS, TRACE, State
from kernelmap.whole_files import write_whole_text

if TYPE_CHECKING:
    from torch.profiler import profile

_EXPORT = "export_chrome_trace"
_GRAPH = re.compile(rb"## Call CompiledFxGraph (\w+) ##")


def write_bundle(profiler: profile, folder: Path, *, force: bool) -> None:
    """Write the window that `profiler` has just recorded into the new bundle `folder`.

    Raises KernelmapError where the folder cannot be made; `force` replaces an older bundle.
    """
    settings = {name: os.environ[name] for name in WANTED if name in os.environ}
    # Which steps are recorded, the program's own schedule says, and the trace shows.
    begun = replace(first_manifest(Plan(), None, settings), warmup=None, steps=None)
    facts = process_facts()
    with closing(make_folder(folder, begun, force=force)) as made:
        made.keep()
        place = folder / f"rank_{facts['rank'] or 0}"
        place.mkdir()
        write_trace(lambda path: _export(profiler, path), place)
        setattr(profiler, _EXPORT, _CopyOfTrace(profiler, place / TRACE))
        graphs = graphs_in_memory()
        count = log_missing(graphs or [], place / LOGS)
        count += log_gone(graphs or [], _graphs_named_in(place / TRACE), place / LOGS)
        said = {"name": place.name, "state": State.COMPLETE, **facts}
        said["graphs"] = None if graphs is None else count
        write_whole_text(place / PROCESS, json.dumps(said))
        write_manifest(folder, finished(folder, begun))


def _graphs_named_in(trace: Path) -> set[str]:
    """The keys of graphs that ran, as the profile names them."""
    with gzip.open(trace) as lines:
        return {key.decode() for line in lines for key in _GRAPH.findall(line)}


def _export(profiler: profile, path: str) -> None:
    """Write the window, also where the program has exported it before."""
    # A copy is of the window before this one.
    if isinstance(vars(profiler).get(_EXPORT), _CopyOfTrace):
        delattr(profiler, _EXPORT)
    try:
        profiler.export_chrome_trace(path)
    except RuntimeError as saved_before:
        try:  # torch 2.13 can write it again, in Python
            profiler.export_chrome_trace(path, use_python_export=True)
        except TypeError:
            raise saved_before from None
    # torch 2.14's other backend may still be writing.
    wait = getattr(profiler, "wait_for_exports", None)
    if wait is not None:
        wait()


@dataclass(frozen=True, slots=True)
class _CopyOfTrace:
    """Stands in for the method that exports: what torch cannot write again is copied."""

    profiler: profile
    trace: Path

    def __call__(self, path: str, *args: object, **kwargs: object) -> None:
        export = getattr(type(self.profiler), _EXPORT)
        try:
            export(self.profiler, path, *args, **kwargs)
        except RuntimeError:
            if not self.trace.is_file():  # the bundle has been taken away
                raise
            if str(path).endswith(".gz"):
                shutil.copyfile(self.trace, path)
            else:
                with gzip.open(self.trace) as source, Path(path).open("wb") as copy:
                    shutil.copyfileobj(source, copy)
