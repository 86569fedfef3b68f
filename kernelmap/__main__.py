"""The program `kernelmap`, also `python -m kernelmap`: the command line in a process of its own."""

from __future__ import annotations

from kernelmap.cli import main


def program() -> None:
    """Run the command line."""
    main()


if __name__ == "__main__":
    program()
