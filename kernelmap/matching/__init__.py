"""Pairs launches with calls: (CompiledProgram, Trace) → Match.

In: the program and the trace. Out: for each launch a call, several candidates or a reason, with
method and confidence.
"""

from kernelmap.matching.match import STRATEGIES, Match, Strategy, match_launches, match_like

__all__ = ["STRATEGIES", "Match", "Strategy", "match_launches", "match_like"]
