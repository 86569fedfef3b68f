"""Run a Python program as Python itself would, and record it as the environment's plan says.

    python [options] -m kernelmap.capture.runner script.py args…
    python [options] -m kernelmap.capture.runner -m package.module args…
    python [options] -m kernelmap.capture.runner -c code args…

Loads the standard library only.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kernelmap.capture.arming import arm
from kernelmap.capture.python_program import run_as_python


def main(arguments: Sequence[str]) -> None:
    """Get ready to record, then run what `arguments` name."""
    arm()
    run_as_python(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
