"""Reads what the GPU did: files → Trace."""
