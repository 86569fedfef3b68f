"""What an editor needs of a recording: its lines and calls, and how sure the time of each is.

Small beside the recording, and nothing but plain values: a worker hands it on as JSON. All figures
are those of the tables. Only records, so that a server starts without what reads recordings.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class HowSure(Struct, frozen=True, kw_only=True):
    """Launches that belong to a call or a line for one reason: `confidence` is a word."""

    confidence: str
    why: str
    launches: int
    time_ns: int


class CallOfLines(Struct, frozen=True, kw_only=True):
    """A call and its whole time; `lines` are how many lines of source it works for."""

    call: str
    wrapper: str
    time_ns: int
    share: float | None
    launches: int
    lines: int
    evidence: tuple[HowSure, ...]


class RecordedLine(Struct, frozen=True, kw_only=True):
    """A row of the table of lines that is a line or a function; `code` is what stood there then.

    `calls` are positions in the calls of the recording, of those that ran. `evidence` is None where
    the launches were not kept.
    """

    file: str
    line: int | None
    code: str | None
    function_line: int | None
    time_ns: int
    forward_ns: int | None
    backward_ns: int
    involved_ns: int
    share: float | None
    launches: int
    bytes: int | None
    flops: int | None
    share_of_limit: float | None
    bound: str | None
    headroom_ns: int | None
    noted_ns: int | None
    calls: tuple[int, ...]
    evidence: tuple[HowSure, ...] | None

    @property
    def total_ns(self) -> int:
        """Its time, forward and backward: that of the table and of `correlate --by line`."""
        return self.time_ns + self.backward_ns

    @property
    def number(self) -> int | None:
        """The line at which it stood, from 1: of a function that where it was entered."""
        return self.function_line if self.line is None else self.line


class RecordedLines(Struct, frozen=True, kw_only=True):
    """A recording as an editor shows it.

    `again` is the command that asks for its report. `steps` are the first and the last, and
    `step_count` says by how many times are divided; None without steps. `gaps` are sentences about
    input that was lost or could not be paired. `refused` says why no figure of it is shown.
    """

    name: str
    again: str
    side: str
    devices: tuple[str, ...]
    steps: tuple[int, int] | None
    step_count: int | None
    total_ns: int
    coverage: Mapping[str, float]
    gaps: tuple[str, ...] = ()
    refused: str | None = None
    lines: tuple[RecordedLine, ...]
    calls: tuple[CallOfLines, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The files that have a line, most time first."""
        return tuple(dict.fromkeys(line.file for line in self.lines))
