"""The shapes of the JSON in a TORCH_TRACE log, as far as it is used; unknown fields are skipped."""

from __future__ import annotations

import msgspec


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
    """The payload of a cache event."""

    key: str | None = None
    cache_bypass_reason: str | None = None
