"""Fingerprints of calls and graphs: equal where they compute the same, whatever they are called.

In: a CompiledProgram. Out: a fingerprint per call and per graph (prints.py).
"""

from __future__ import annotations

from kernelmap.fingerprints.prints import CallPrint, Fingerprints, fingerprints, stem

__all__ = ["CallPrint", "Fingerprints", "fingerprints", "stem"]
