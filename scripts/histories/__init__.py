"""Simulated histories of recordings, made of real generated code; see make_history.py."""
