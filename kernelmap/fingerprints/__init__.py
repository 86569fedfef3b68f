"""What a call computes, in a form that renames leave alone; see prints.py."""

from __future__ import annotations

from kernelmap.fingerprints.prints import CallPrint, Fingerprints, fingerprints, stem

__all__ = ["CallPrint", "Fingerprints", "fingerprints", "stem"]
