"""Simulated profiles of real generated code, with the truth beside them.

`simulate(program, world)` plays the calls of a CompiledProgram as a GPU machine would run them,
with eager work, autotuning and losses around them, and tells for every kernel which call it
belongs to. Nothing here is a recording.
"""

from worlds.simulate import simulate
from worlds.trace import SimulatedTrace
from worlds.world import GraphRanges, Names, Truth, World

__all__ = ["GraphRanges", "Names", "SimulatedTrace", "Truth", "World", "simulate"]
