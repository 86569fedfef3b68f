"""Pairs launches with calls: (CompiledProgram, Trace) → Match."""

from kernelmap.matching.match import STRATEGIES, Match, Strategy, match_launches, match_like

__all__ = ["STRATEGIES", "Match", "Strategy", "match_launches", "match_like"]
