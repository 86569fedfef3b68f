"""A TORCH_TRACE log → its events, one at a time, with their payloads.

A line is `V1121 07:06:31.925000 8844 torch/_inductor/graph.py:2745] {json}`; the lines of its
payload follow, each behind a tab, and `has_payload` is the payload's MD5. The log, which may be
packed with gzip, is read line by line, so one payload at most is held. Lines that are no event are
counted and passed over, with their payloads; a payload that differs from its checksum is counted
and used. The structs have the fields that are used; others are skipped.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from kernelmap.compiler.facts import UNREADABLE
from kernelmap.compiler.logs.runnable import RUNNABLE, read_runnable
from kernelmap.errors import unreadable
from kernelmap.model.unpacked import first_unpacked, open_unpacked

# The place of a log call: `V1121 07:06:31.925000 8844 torch/x.py:2745] {`, with a rank before it.
_PREFIX = re.compile(
    rb"(?:\[rank\d+\]: ?)?[VDIWEC]\d{4} \d\d:\d\d:\d\d(?:\.\d+)? \d+ [^\n]*?:\d+\] (?=\{)"
)
_HEAD_BYTES = 64 * 1024
_NOTHING = msgspec.Raw()
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Named(msgspec.Struct):
    """An artifact, a graph, generated code: what it is called."""

    name: str | None = None
    filename: str | None = None
    type: str | None = None


class Frame(msgspec.Struct):
    """A frame of a stack; `filename` may be a number of the log's string table."""

    line: int | None = None
    name: str | None = None
    filename: int | str | None = None
    loc: str | None = None


class Start(msgspec.Struct):
    """`dynamo_start`: the stack that led to the frame, which is the last."""

    stack: list[Frame] | None = None


class Described(msgspec.Struct):
    """`describe_source`: how Dynamo reaches an input of the graph, as a Python expression."""

    source: str | None = None


class Metrics(msgspec.Struct):
    """`compilation_metrics` and `bwd_compilation_metrics`, written when a compilation ends."""

    co_name: str | None = None
    co_filename: str | None = None
    co_firstlineno: int | None = None
    fail_type: str | None = None
    fail_reason: str | None = None
    recompile_reason: str | None = None
    restart_reasons: list[str] | None = None
    entire_frame_compile_time_s: float | None = None
    duration_us: int | None = None


class Cached(msgspec.Struct):
    """The payload of a cache event; `components` are the lines of what the key is made from."""

    key: str | None = None
    cache_bypass_reason: str | None = None
    components: msgspec.Raw = _NOTHING


class LogEvent(msgspec.Struct):
    """What the JSON of a line states, as far as it is used here.

    A log keeps one record per kind: `artifact` has a name, the others are named by their key. Raw
    fields are JSON for those who know their shape, empty where the event has none: another shape
    costs that fact, not the event.
    """

    frame_id: int | None = None
    frame_compile_id: int | None = None
    attempt: int | None = None
    compiled_autograd_id: int | None = None
    rank: int | None = None
    has_payload: str | None = None
    artifact: Named | None = None
    inductor_output_code: Named | None = None
    graph_dump: Named | None = None
    dynamo_output_graph: Named | None = None
    inductor_post_grad_graph: Named | None = None
    aot_forward_graph: Named | None = None
    aot_backward_graph: Named | None = None
    aot_inference_graph: Named | None = None
    dynamo_cpp_guards_str: Named | None = None
    string: msgspec.Raw = msgspec.field(default=_NOTHING, name="str")
    dynamo_start: msgspec.Raw = _NOTHING
    compilation_metrics: msgspec.Raw = _NOTHING
    bwd_compilation_metrics: msgspec.Raw = _NOTHING
    describe_source: msgspec.Raw = _NOTHING

    @property
    def kind(self) -> str | None:
        """The artifact's name, or the key of an event that is none; None for what is not used."""
        if self.artifact is not None:
            return self.artifact.name
        return next((key for key in _KEYS if getattr(self, key) is not None), None)

    @property
    def frame_compile(self) -> str | None:
        """`0/1`, `!0/1/2` under compiled autograd; None where no frame is compiled."""
        if self.frame_id is None or self.frame_compile_id is None:
            return None
        frame = f"{self.frame_id}/{self.frame_compile_id}"
        if self.compiled_autograd_id is None:
            return frame
        return f"!{self.compiled_autograd_id}/{frame}"

    @property
    def compile_id(self) -> str | None:
        """`0/1`, `0/1_2` for attempt 2, `!0/1/2` under compiled autograd; None outside of all."""
        frame = self.frame_compile
        if frame is not None:
            return f"{frame}_{self.attempt}" if self.attempt else frame
        return None if self.compiled_autograd_id is None else f"!{self.compiled_autograd_id}"


_KEYS = (
    "inductor_output_code",
    "graph_dump",
    "dynamo_output_graph",
    "inductor_post_grad_graph",
    "aot_forward_graph",
    "aot_backward_graph",
    "aot_inference_graph",
)


class Damage(Struct):
    """How many lines were no event and how many payloads not whole, with the first of each."""

    lines: int = 0
    first_line: int = 0
    payloads: int = 0
    first_payload: int = 0


class LoggedEvent(Struct):
    """An event with the number of its line, counted from 1, and its payload without tabs."""

    event: LogEvent
    line: int
    payload: bytes


def is_torch_trace(path: Path) -> bool:
    """Whether the start of `path` has a line of such a log; False where it cannot be read."""
    return starts_with_event(first_unpacked(path, _HEAD_BYTES))


def starts_with_event(head: bytes) -> bool:
    """Whether the start of a file has a line of such a log."""
    return any(_PREFIX.match(line) for line in head.removeprefix(_BYTE_ORDER_MARK).split(b"\n"))


def iter_events(path: Path, damage: Damage) -> Iterator[LoggedEvent]:
    """The events of `path` in order; what is broken goes to `damage`. Raises KernelmapError."""
    decoder = msgspec.json.Decoder(LogEvent)
    # An event is given only when its payload has ended, that is at the next event or the end.
    pending: tuple[LogEvent, int] | None = None
    payload: list[bytes] = []
    number = 0
    try:
        with open_unpacked(path) as file:
            for number, line in enumerate(file, 1):
                # A line behind a tab is payload; without an event before it, it is dropped.
                if line.startswith(b"\t"):
                    payload.append(line)
                    continue
                if pending is not None:
                    yield _with_payload(*pending, payload, damage)
                payload.clear()
                pending = _parse_event(line, number, decoder, damage)
    except OSError as error:
        raise unreadable(path, error) from error
    except EOFError:  # a packed log that was cut off: what it held before is used
        damage.lines += 1
        damage.first_line = damage.first_line or number + 1
    if pending is not None:
        yield _with_payload(*pending, payload, damage)


def _parse_event(
    line: bytes, number: int, decoder: msgspec.json.Decoder[LogEvent], damage: Damage
) -> tuple[LogEvent, int] | None:
    line = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
    prefix = _PREFIX.match(line)
    if prefix is not None:
        try:
            return decoder.decode(line[prefix.end() :]), number
        except UNREADABLE:
            pass
    # Neither event nor payload: the log was cut or edited here.
    if line.strip():
        damage.lines += 1
        damage.first_line = damage.first_line or number
    return None


def _with_payload(event: LogEvent, line: int, parts: list[bytes], damage: Damage) -> LoggedEvent:
    payload = b"".join(parts)[1:].replace(b"\n\t", b"\n")
    if event.has_payload is not None and not _is_whole(payload, event.has_payload):
        damage.payloads += 1
        damage.first_payload = damage.first_payload or line
    return LoggedEvent(event, line, payload)


def _is_whole(payload: bytes, checksum: str) -> bool:
    """Whether the checksum fits, with the line ends as written or as a copy changed them."""
    # The last line's end is not part of what was hashed; copies may have changed all line ends.
    for ends in (b"\n", b"\r\n"):
        text = payload.removesuffix(ends)
        for attempt in dict.fromkeys((text, text.replace(b"\r\n", b"\n"))):
            if _hash_md5(attempt) == checksum:
                return True
    return False


def _hash_md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


class _Torch(msgspec.Struct):
    """The payload of the artifact `torch_version`."""

    pytorch_version: str | None = None


class _CompilationEvent(msgspec.Struct):
    """What `compilation_metrics` states of versions."""

    triton_version: str | None = None
    cuda_version: str | None = None


def read_versions(log: Path) -> Mapping[str, str]:
    """The versions by `torch`, `triton`, `cuda`. Raises KernelmapError for an unreadable file.

    A log states torch's at its start, the others when a compilation ends; the programs that run one
    graph alone state torch's and CUDA's, where nothing else does. Python's is left out: it changes
    no kernel. Damage of the log is reported by those who read its code.
    """
    named: dict[str, str | None] = {}
    beside: dict[str, str] = {}
    for logged in iter_events(log, Damage()):
        with contextlib.suppress(*UNREADABLE):
            if logged.event.kind == "torch_version":
                named["torch"] = msgspec.json.decode(logged.payload, type=_Torch).pytorch_version
            elif logged.event.kind == RUNNABLE and not beside:
                stated = read_runnable(logged.payload)
                beside = dict(stated.versions) if stated else {}
            elif logged.event.compilation_metrics:
                metrics = msgspec.json.decode(
                    logged.event.compilation_metrics, type=_CompilationEvent
                )
                named["triton"], named["cuda"] = (
                    metrics.triton_version,
                    metrics.cuda_version,
                )
        # All three are known: the rest of the log need not be read.
        if len(named) == len(("torch", "triton", "cuda")):
            break
    return beside | {name: version for name, version in named.items() if version}
