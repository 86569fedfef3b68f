"""Reads what the compiler wrote: files → CompiledProgram."""
