"""Splits the window's time: (CompiledProgram, Trace, Matching) → Attribution."""

from kernelmap.attribution.attribute import attribute
from kernelmap.attribution.records import Attribution

__all__ = ["Attribution", "attribute"]
