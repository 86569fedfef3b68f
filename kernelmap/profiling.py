"""For programs that own their torch.profiler: what its `on_trace_ready` calls → report or bundle.

The handler does nothing until a window has been recorded. Then it writes that window with the code
that ran in this process; where that fails, the program goes on and the log says why.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from itertools import count
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from kernelmap.capture.folder import require_new_folder
from kernelmap.capture.own_profiler import write_bundle
from kernelmap.capture.plan import rank_in
from kernelmap.capture.recording import rank_of_process
from kernelmap.errors import KernelmapError
from kernelmap.pipeline import correlate

if TYPE_CHECKING:
    from torch.profiler import profile

_LOG = logging.getLogger(__name__)
_REPORT = ".html"

_taken: set[Path] = set()
"""What handlers of this process have written: another window, or another handler, gets a number."""


def trace_handler(
    path: str | PathLike[str] = "report.html",
    *,
    then: Callable[[profile], object] | None = None,
    force: bool = False,
) -> Callable[[profile], None]:
    """Make a handler for `torch.profiler.profile(on_trace_ready=…)`.

    When the profiler has recorded a window, the handler writes it with the code that
    torch.compile generated in this process: as a bundle into the new folder `path`, or, where
    `path` ends in `.html`, as a report there, with its bundle beside it (`report_bundle`). Later
    windows are numbered (`report_2.html`), and each rank of a distributed program writes its own
    (`report_rank_0.html`). `then` is another handler of the same window, such as
    torch.profiler.tensorboard_trace_handler(…), called afterwards. A report and its bundle replace
    older ones; `force` has a bundle replace an older one, too.

    Raises KernelmapError where `path` cannot be written, before anything is recorded. Whatever
    fails later is logged, and the program goes on.
    """
    place = Path(path).absolute()
    is_report = place.suffix.lower() == _REPORT
    first = _place_of_window(place, rank_in(os.environ), 1)
    if first not in _taken:
        require_new_folder(_bundle_of(first), force=force or is_report)

    def write(profiler: profile) -> None:
        target = None
        try:
            target = _take_place(place, replace=force or is_report)
            _write_window(profiler, target, force=force or is_report)
        except Exception as error:  # noqa: BLE001 -- the program did not cause it, and goes on
            _LOG.warning("kernelmap did not write %s: %s", target or place, _reason(error))
        if then is not None:
            then(profiler)

    return write


def _write_window(profiler: profile, target: Path, *, force: bool) -> None:
    bundle = _bundle_of(target)
    write_bundle(profiler, bundle, force=force)
    if bundle != target:
        correlate(bundle).to_html(target)


def _reason(error: Exception) -> str:
    name = "" if isinstance(error, KernelmapError) else f"{type(error).__name__}: "
    return name + " ".join(str(error).split())


def _bundle_of(target: Path) -> Path:
    """The folder of the bundle that `target` is, or that a report at `target` is made of."""
    if target.suffix.lower() != _REPORT:
        return target
    return target.with_name(f"{target.stem}_bundle")


def _take_place(place: Path, *, replace: bool) -> Path:
    """Where the next window goes: where nothing of this process lies, nor of others, if asked."""
    rank = rank_of_process()
    for number in count(1):
        target = _place_of_window(place, rank, number)
        if target not in _taken and (replace or not os.path.lexists(target)):
            break
    _taken.add(target)
    return target


def _place_of_window(place: Path, rank: int | None, number: int) -> Path:
    """The name of a window of a rank: `report.html`, `report_2.html`, `report_rank_0_2.html`."""
    is_report = place.suffix.lower() == _REPORT
    stem, end = (place.stem, place.suffix) if is_report else (place.name, "")
    of_rank = "" if rank is None else f"_rank_{rank}"
    of_window = "" if number == 1 else f"_{number}"
    return place.with_name(f"{stem}{of_rank}{of_window}{end}")
