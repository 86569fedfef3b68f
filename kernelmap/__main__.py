"""The program `kernelmap`, also `python -m kernelmap`: the command line in a process of its own."""

from __future__ import annotations

import gc

from kernelmap.cli import main


def program() -> None:
    """Run the command line."""
    try:
        main()
    finally:
        # The process ends, and its memory with it: Python need not look once more through what is
        # left, and take it apart.
        gc.freeze()


if __name__ == "__main__":
    program()
