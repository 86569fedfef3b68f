"""Splits the window's time: (CompiledProgram, Trace, Matching) → Attribution."""
