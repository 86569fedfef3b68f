"""Manifests of bundles → what the processes of a fleet said of themselves, by rank."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from kernelmap.errors import KernelmapError
from kernelmap.fleet.files import fetch_file
from kernelmap.model.bundle import RecordedProcess, manifest_at


def processes_in(manifests: Iterable[str]) -> dict[int, RecordedProcess]:
    """The process of each rank that manifests, by path or URL, tell of.

    A manifest that cannot be read states nothing; the files of a rank are found without it.
    """
    stated: dict[int, RecordedProcess] = {}
    for name in manifests:
        with suppress(KernelmapError), fetch_file(name) as path:
            for process in manifest_at(path).processes:
                if process.rank is not None:
                    stated[process.rank] = process
    return stated


def complete_steps_of(process: RecordedProcess | None) -> tuple[int, int] | None:
    """The first and last step that its capture recorded whole; None where it does not say."""
    if process is None or process.first_step is None or process.last_step is None:
        return None
    return process.first_step, process.last_step
