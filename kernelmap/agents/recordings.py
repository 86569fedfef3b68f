"""Paths under the folders that a user named → recordings that stay open between questions.

A recording is read once: what the first question took seconds for, later ones find in memory. No
path outside of the folders is read, wherever links lead, and no program is started to read one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

# The core loads memory and speed where they are asked for; a server starts before it is asked.
import kernelmap.memory
import kernelmap.speed.answers  # noqa: F401
from kernelmap.bearing import Question, find_refusals
from kernelmap.correlation import Correlation
from kernelmap.errors import UsageError, unreadable
from kernelmap.history.compare.sides.opening import side_of
from kernelmap.history.compare.sides.side import ComparedSide
from kernelmap.model import Notice
from kernelmap.model.paths import reading_only
from kernelmap.options import Options
from kernelmap.pages.memory_result import MemoryResult
from kernelmap.pipeline import correlate
from kernelmap.tables.rows import Row
from kernelmap.tables.summary import Summary

_KEPT = 4
"""Recordings that stay in memory; of a 1 GB trace one takes about as much. Chosen."""
_STEPS = re.compile(r"(\d{1,18})(?::(\d{1,18}))?")


@dataclass(frozen=True, kw_only=True)
class Recording:
    """One correlation under a short name; `anyway`: figures are given although one should not.

    The base one has neither work nor wall time, so that opening takes what the command takes.
    """

    id: str
    base: Correlation
    anyway: bool = False

    @cached_property
    def whole(self) -> Correlation:
        """The same with work, wall time and memory: nothing is read again but the code."""
        options = replace(self.base.options, work=True, wall=True, memory=True)
        return replace(self.base, options=options)

    @cached_property
    def rows(self) -> dict[tuple[str, bool], Sequence[Row]]:
        """The rows that were asked for, by the word of their table and whether with speeds."""
        return {}

    @cached_property
    def summary(self) -> Summary:
        """The window in numbers."""
        return self.base.summary

    @cached_property
    def operators(self) -> Correlation:
        """The same with the operators outside of compiled code, whose shapes are read for that."""
        return replace(self.base, options=replace(self.base.options, operators=True))

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The position of each call in the program, by its id."""
        program = self.base.program
        return {graph.call_id(call): at for at, (graph, call) in enumerate(program.calls)}

    @cached_property
    def memory(self) -> MemoryResult:
        """The memory of its graphs."""
        return self.whole.memory()

    @cached_property
    def side(self) -> ComparedSide:
        """It as one side of a comparison."""
        return side_of(self.whole, self.id)

    def refusals(self, question: Question = Question.CODE) -> tuple[Notice, ...]:
        """Why figures that answer the question mislead."""
        return find_refusals(self.base.notices, question)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What a recording was opened with."""

    paths: tuple[Path, ...]
    like: tuple[Path, ...]
    steps: tuple[int, int] | None
    anyway: bool


class Recordings:
    """The recordings that were opened, the latest in memory; others are read again when asked."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folder.resolve() for folder in folders)
        self._asked: dict[str, _Asked] = {}
        self._open: dict[str, tuple[Recording, tuple[int, ...]]] = {}
        self._reading: dict[str, _Asked] = {}

    def open(
        self,
        paths: Sequence[str],
        steps: str | None = None,
        like: Sequence[str] = (),
        *,
        anyway: bool = False,
    ) -> Recording:
        """The recording of these code and traces. Raises KernelmapError where it cannot be read."""
        if not paths:
            raise UsageError("no-trace", "no path was given", "Name a bundle, or code and a trace.")
        asked = _Asked(
            paths=tuple(map(self.place, paths)),
            like=tuple(map(self.place, like)),
            steps=_steps(steps),
            anyway=anyway,
        )
        name = next((known for known, it in self._asked.items() if it == asked), None)
        if name is None:
            name = f"r{len(self._asked) + 1}"
        # What cannot be read gets no name.
        recording = self._read(name, asked)
        self._asked[name] = asked
        return recording

    def find(self, name: str) -> Recording:
        """The recording that `open` gave that name. Raises UsageError where it gave none."""
        if name not in self._asked:
            known = ", ".join(self._asked) or "none is open"
            raise UsageError(
                "no-such-recording",
                f"there is no recording {name[:40]!r}",
                f"`open` gives a recording its name; known: {known}.",
            )
        return self._read(name, self._asked[name])

    def name_of(self, inputs: Sequence[Path], options: Options) -> str | None:
        """The name under which these inputs were opened with these options, or are just now."""
        places = {path.resolve() for path in inputs}
        for name, asked in {**self._asked, **self._reading}.items():
            chosen = (asked.steps, asked.like)
            if places == set(asked.paths) and chosen == (options.steps, options.like):
                return name
        return None

    def place(self, text: str) -> Path:
        """A path under one of the folders, relative ones as well. Raises KernelmapError."""
        given = Path(text)
        for folder in self.folders:
            try:
                real = (folder / given).resolve()
                if real.is_relative_to(folder) and real.exists():
                    return real
            except (OSError, ValueError, RuntimeError):  # a null character, a loop of links
                continue
        raise UsageError(
            "outside-of-folders",
            f"{text[:200]!r} is not in the folders that this server may read",
            "They are: " + ", ".join(str(folder) for folder in self.folders),
        )

    def _read(self, name: str, asked: _Asked) -> Recording:
        """From memory where its files are as they were, else from disk."""
        kept = self._open.pop(name, None)
        if kept is not None and kept[1] == _state(kept[0].base.files):
            self._open[name] = kept
            return kept[0]
        self._reading = {name: asked}
        with reading_only(self.folders):
            options = Options(
                steps=asked.steps, like=asked.like, work=False, wall=False, memory=False
            )
            try:
                base = correlate(*asked.paths, options=options)
            except OSError as error:
                raise unreadable(asked.paths[0], error) from error
            finally:
                self._reading = {}
        recording = Recording(id=name, base=base, anyway=asked.anyway)
        self._open[name] = (recording, _state(base.files))
        for oldest in list(self._open)[:-_KEPT]:
            del self._open[oldest]
        return recording


def _state(files: Sequence[Path]) -> tuple[int, ...]:
    """Size and time of each file, by which one sees that it was changed."""
    state: list[int] = []
    for file in dict.fromkeys(files):
        try:
            stat = file.stat()
        except OSError:
            state += (-1, -1)
            continue
        state += (stat.st_size, stat.st_mtime_ns)
    return tuple(state)


def _steps(text: str | None) -> tuple[int, int] | None:
    """`4:6` or `4` as first and last step; raises UsageError for anything else."""
    if text is None or not text.strip():
        return None
    match = _STEPS.fullmatch(text.strip())
    if match is None or int(match[2] or match[1]) < int(match[1]):
        raise UsageError(
            "not-steps", f"{text[:40]!r} names no steps", "Write one as 4, or several as 4:6."
        )
    return int(match[1]), int(match[2] or match[1])
