"""What inputs state of where they come from: versions of torch and what it stands on, and GPUs.

Versions stand in bundles, TORCH_TRACE logs and programs that run a graph alone, that of the driver
in profiles of torch.profiler; code states none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from kernelmap.compiler.logs.events import is_torch_trace, read_versions
from kernelmap.compiler.logs.runnable import is_runnable, read_runnable_file
from kernelmap.model.bundle import RecordedProcess, is_bundle, read_manifest
from kernelmap.model.paths import is_regular
from kernelmap.traces.kineto.driver import read_driver

_OF_PROCESS = ("torch", "triton", "cuda", "rocm")


def versions_stated(given: Sequence[Path], files: Iterable[Path]) -> Mapping[str, str]:
    """Versions by what they are of; where inputs differ, all of them in one text.

    `given` are the inputs, `files` all that was read of them. No file is read whole.
    """
    stated: dict[str, dict[str, None]] = {}
    for name, version in (*_iter_bundled(given), *_iter_read(files)):
        stated.setdefault(name, {})[version] = None
    return {name: ", ".join(versions) for name, versions in stated.items()}


def gpus_stated(given: Sequence[Path]) -> tuple[str, ...]:
    """The GPUs that captures named, each once."""
    return tuple(dict.fromkeys(gpu for process in _processes(given) for gpu in process.gpus))


def distinct_files(files: Sequence[Path]) -> list[Path]:
    """Each file once; folders and what lies inside of archives are no files."""
    # Reversed, so that of several paths to one file the first that was named stays.
    by_target = {path.resolve(): path for path in reversed(files) if is_regular(path)}
    return sorted(by_target.values(), key=str)


def _processes(given: Sequence[Path]) -> list[RecordedProcess]:
    bundles = filter(is_bundle, given)
    return [process for bundle in bundles for process in read_manifest(bundle).processes]


def _iter_bundled(given: Sequence[Path]) -> Iterator[tuple[str, str]]:
    for process in _processes(given):
        for name in _OF_PROCESS:
            version = getattr(process, name)
            if version is not None:
                yield name, version


def _iter_read(files: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for path in files:
        if is_torch_trace(path):
            yield from read_versions(path).items()
        elif is_runnable(path):
            beside = read_runnable_file(path)
            yield from beside.versions if beside else ()
        elif (driver := read_driver(path)) is not None:
            yield "driver", driver
