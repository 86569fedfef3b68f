"""A bundle: the folder that `kernelmap capture` writes, and the words of its manifest.

Takes a folder, gives the records of its manifest.toml. Only the standard library is used, so that
whatever writes a bundle beside a running program can share these names. Left out: digests, and
what a damaged bundle means for a result; see kernelmap/bundles.py.

    bundle/
      manifest.toml            state, settings, processes, and every file with its digest
      rank_0/                  one folder per recorded process
        trace.json.gz          the recorded steps, by torch.profiler
        torch_trace/*.log      what TORCH_TRACE wrote: code, graphs, mappings, cache keys
        code/*/output_code.py  the generated code of every graph of the log
        cuda_graphs.json       the calls that went into each captured CUDA graph
        scheduler.log.gz       with --why: what the scheduler decided on each graph
        process.json           what the process said of itself; moves into the manifest at the end
      nsys/                    the report and its SQLite, instead of trace.json.gz
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from statistics import median
from typing import Literal, TypeAlias

from msgspec import Struct

from kernelmap.errors import KernelmapError
from kernelmap.model.paths import read_bytes

FORMAT, VERSION = "kernelmap.bundle", 1
MANIFEST = "manifest.toml"
PROCESS = "process.json"
TRACE = "trace.json.gz"
CUDA_GRAPHS = "cuda_graphs.json"
SCHEDULER = "scheduler.log.gz"
LOGS, CODE, NSYS = "torch_trace", "code", "nsys"
REPORT, SQLITE = "report.nsys-rep", "report.sqlite"
PARTIAL = ".partial"  # the end of a name while its file is being written


StepClock: TypeAlias = Literal["gpu", "host"]
"""What measured steps outside of the recording: events in the GPU's stream, or the host's clock."""


class State(StrEnum):
    """How far a recording came. RECORDING is what a killed capture leaves behind."""

    RECORDING = "recording"
    COMPLETE = "complete"
    PARTIAL = "partial"


class FileKind(StrEnum):
    """What a file of a bundle holds."""

    TRACE = "trace"
    LOG = "log"
    CODE = "code"
    CUDA_GRAPHS = "cuda_graphs"
    SCHEDULER = "scheduler"
    REPORT = "report"
    OTHER = "other"


class BundleFile(Struct, frozen=True, kw_only=True):
    """A file, by its path inside the bundle (with `/`), with its size and its SHA-256 in hex."""

    path: str
    kind: FileKind
    bytes: int
    sha256: str


class CountedStep(Struct, frozen=True, kw_only=True):
    """The memory of one GPU in one recorded step, as torch's allocator counted it, in bytes.

    What was handed out to tensors when the step began, at most, and when it ended, and the most
    that was taken from the driver. `device` is torch's number of the GPU.
    """

    step: int
    device: int
    start_bytes: int
    peak_bytes: int
    end_bytes: int
    reserved_bytes: int


class ModelTensorKind(StrEnum):
    """What a program holds a tensor for, from step to step."""

    PARAMETERS = "parameters"
    BUFFERS = "module buffers"
    GRADIENTS = "gradients"
    OPTIMIZER = "optimizer state"


class ModelTensors(Struct, frozen=True, kw_only=True):
    """The tensors of one kind on one device when the recording ended, by torch's name of it."""

    device: str
    kind: ModelTensorKind
    bytes: int
    tensors: int


class RecordedProcess(Struct, frozen=True, kw_only=True):
    """What one process of the program said of itself.

    `first_step` to `last_step` were recorded, counted from 0; both None where none was.
    `steps_made` counts those of its life up to the end of the recording. `compiled_inside` counts
    the compilations within the recorded steps. `graphs` is how many compiled graphs it held, None
    where torch did not say. `threads` and `interop_threads` are how many threads torch used within
    an operator, and how many for operators side by side. `memory` has the recorded steps in which
    it used GPUs, None where there are none. `why` is None where nothing is missing. `before_ns` and
    `after_ns` are the times of steps before and after the recording, with no profiler on, by
    `step_clock`. `model_tensors` is what it held when the recording ended, None where that
    was not found.
    """

    name: str
    state: State
    why: str | None = None
    rank: int | None = None
    torch: str | None = None
    triton: str | None = None
    cuda: str | None = None
    rocm: str | None = None
    gpus: tuple[str, ...] = ()
    stepped_by: str | None = None
    steps_made: int | None = None
    first_step: int | None = None
    last_step: int | None = None
    compiled_inside: int | None = None
    graphs: int | None = None
    threads: int | None = None
    interop_threads: int | None = None
    memory: tuple[CountedStep, ...] | None = None
    before_ns: tuple[int, ...] = ()
    after_ns: tuple[int, ...] = ()
    step_clock: str | None = None
    model_tensors: tuple[ModelTensors, ...] | None = None

    @property
    def unprofiled_ns(self) -> int | None:
        """What a step takes without a profiler; None where none was measured.

        The smaller of the medians before and after: what disturbs a step makes it longer, be it a
        CUDA graph that is recorded before, or what a profiler leaves behind.
        """
        medians = [median(times) for times in (self.before_ns, self.after_ns) if times]
        medians = [middle for middle in medians if middle > 0]
        return round(min(medians)) if medians else None

    @property
    def recorded_steps(self) -> int:
        """How many steps were recorded whole."""
        if self.first_step is None or self.last_step is None:
            return 0
        return self.last_step - self.first_step + 1


class UnprofiledSteps(Struct, frozen=True, kw_only=True):
    """What a step takes while no profiler is on, and from how many steps that is known."""

    mean_ns: int
    before: int
    after: int


class Manifest(Struct, frozen=True, kw_only=True):
    """What a bundle says of itself; `why` is None where the state is complete.

    `command` has its secrets taken out, and is None for a recording made in code. `exit_code` is
    the program's, None while it runs or where it was not started by kernelmap. `settings` are the
    environment variables that matter to compilation, as the program saw them, and no others.
    """

    state: State
    why: str | None = None
    kernelmap: str | None = None
    started: str | None = None
    profiler: str | None = None
    command: tuple[str, ...] | None = None
    exit_code: int | None = None
    warmup: int | None = None
    steps: int | None = None
    settings: Mapping[str, str]
    processes: tuple[RecordedProcess, ...] = ()
    files: tuple[BundleFile, ...] = ()


def is_bundle(folder: Path) -> bool:
    """Whether `folder` has a manifest of ours, whole or damaged."""
    path = folder / MANIFEST
    # The word of the format is looked for as text: a damaged manifest is one of a bundle as well.
    try:
        return path.is_file() and FORMAT in read_bytes(path).decode("utf-8", "replace")
    except OSError:
        return False


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a bundle. Raises KernelmapError where it is damaged or newer than this."""
    return manifest_at(folder / MANIFEST)


def manifest_at(path: Path) -> Manifest:
    """The manifest in a file, whatever its name. Raises KernelmapError as `read_manifest`."""
    try:
        table = _TomlTable(tomllib.loads(read_bytes(path).decode()))
        version = table.number_of("version")
        if version is None or version > VERSION:
            raise KernelmapError(
                "bundle-too-new",
                f"{path.parent} is a bundle of version {version}; known is {VERSION}",
                "Update kernelmap, or give the log and the trace inside it one by one.",
            )
        return _read_manifest(table)
    except (OSError, ValueError, RecursionError) as error:  # TOML's and UTF-8's are ValueErrors
        raise KernelmapError(
            "bundle-damaged",
            f"{path} cannot be read: {error}",
            "Give the log and the trace inside it one by one, or capture again.",
        ) from error


class _TomlTable(Struct, frozen=True):
    """A TOML table; a key of another type than the one asked for counts as absent."""

    values: Mapping[str, object]

    def text_of(self, key: str) -> str | None:
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def number_of(self, key: str) -> int | None:
        value = self.values.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def texts_of(self, key: str) -> tuple[str, ...] | None:
        value = self.values.get(key)
        return tuple(map(str, value)) if isinstance(value, list) else None

    def numbers_of(self, key: str) -> tuple[int, ...]:
        value = self.values.get(key)
        return tuple(each for each in value if type(each) is int) if isinstance(value, list) else ()

    def table_of(self, key: str) -> Mapping[str, object]:
        value = self.values.get(key)
        return value if isinstance(value, dict) else {}

    def tables_of(self, key: str) -> list[_TomlTable]:
        value = self.values.get(key)
        entries = value if isinstance(value, list) else []
        return [_TomlTable(entry) for entry in entries if isinstance(entry, dict)]


def _read_manifest(table: _TomlTable) -> Manifest:
    return Manifest(
        state=State(table.text_of("state") or ""),
        why=table.text_of("why"),
        kernelmap=table.text_of("kernelmap"),
        started=table.text_of("started"),
        profiler=table.text_of("profiler"),
        command=table.texts_of("command"),
        exit_code=table.number_of("exit_code"),
        warmup=table.number_of("warmup"),
        steps=table.number_of("steps"),
        settings={name: str(value) for name, value in table.table_of("settings").items()},
        processes=tuple(recorded_process(entry.values) for entry in table.tables_of("processes")),
        files=tuple(map(_read_file_entry, table.tables_of("files"))),
    )


def recorded_process(values: Mapping[str, object]) -> RecordedProcess:
    """A process from a table of the manifest or its process.json. ValueError without a state."""
    table = _TomlTable(values)
    return RecordedProcess(
        name=table.text_of("name") or "",
        state=State(table.text_of("state") or ""),
        why=table.text_of("why"),
        rank=table.number_of("rank"),
        torch=table.text_of("torch"),
        triton=table.text_of("triton"),
        cuda=table.text_of("cuda"),
        rocm=table.text_of("rocm"),
        gpus=table.texts_of("gpus") or (),
        stepped_by=table.text_of("stepped_by"),
        steps_made=table.number_of("steps_made"),
        first_step=table.number_of("first_step"),
        last_step=table.number_of("last_step"),
        compiled_inside=table.number_of("compiled_inside"),
        graphs=table.number_of("graphs"),
        threads=table.number_of("threads"),
        interop_threads=table.number_of("interop_threads"),
        before_ns=table.numbers_of("before_ns"),
        after_ns=table.numbers_of("after_ns"),
        step_clock=table.text_of("step_clock"),
        memory=tuple(_read_counted_steps(table)) or None,
        model_tensors=tuple(_read_model_tensors(table)) or None,
    )


def _read_counted_steps(table: _TomlTable) -> Iterator[CountedStep]:
    """The memory of each step; a row that lacks a number is left out."""
    for row in table.tables_of("memory"):
        numbers = {name: row.number_of(name) for name in CountedStep.__struct_fields__}
        known = {name: number for name, number in numbers.items() if number is not None}
        if len(known) == len(numbers):
            yield CountedStep(**known)


def _read_model_tensors(table: _TomlTable) -> Iterator[ModelTensors]:
    """What the process held; a row that lacks something, or is of an unknown kind, is left out."""
    for row in table.tables_of("model_tensors"):
        device, kind = row.text_of("device"), row.text_of("kind")
        size, count = row.number_of("bytes"), row.number_of("tensors")
        if None not in (device, size, count) and kind in set(ModelTensorKind):
            yield ModelTensors(
                device=device or "", kind=ModelTensorKind(kind), bytes=size or 0, tensors=count or 0
            )


def _read_file_entry(table: _TomlTable) -> BundleFile:
    kind = table.text_of("kind") or ""
    return BundleFile(
        path=table.text_of("path") or "",
        kind=FileKind(kind) if kind in set(FileKind) else FileKind.OTHER,
        bytes=table.number_of("bytes") or 0,
        sha256=table.text_of("sha256") or "",
    )
