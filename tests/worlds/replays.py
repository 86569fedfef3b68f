"""Graphs that are run once, captured once, and replayed from then on, as CUDA graphs are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from worlds.recorder import Recorder
from worlds.rows import Node


class Replays:
    """Runs invocations of graphs in a world with replays; remembers what was captured."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._runs: Counter[str] = Counter()
        self._captured: dict[str, tuple[int, list[Node]]] = {}

    def run(self, graph: str, invocation: int, play: Callable[[], None]) -> None:
        """One invocation of `graph`; `play` launches its calls one by one."""
        recorder = self._recorder
        if not recorder.world.capture and graph not in self._captured:
            with recorder.before_the_window():
                play()
                self._capture(graph, play)
        if recorder.world.capture and not self._runs[graph]:
            play()
        else:
            if graph not in self._captured:
                self._capture(graph, play)
            recorder.replay(*self._captured[graph], invocation)
        self._runs[graph] += 1

    def _capture(self, graph: str, play: Callable[[], None]) -> None:
        with self._recorder.capture() as nodes:
            play()
        self._captured[graph] = self._recorder.new_graph(), nodes
