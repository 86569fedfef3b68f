"""Splits the window's time: (CompiledProgram, Trace, Matching) → Attribution."""

from kernelmap.attribution.attribute import attribute_time
from kernelmap.attribution.records import Attribution

__all__ = ["Attribution", "attribute_time"]
