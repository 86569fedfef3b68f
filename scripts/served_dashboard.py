"""A dashboard in a process of its own, for scripts that measure it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import usage

_PROJECT = Path(__file__).resolve().parents[1]
_SERVER = "from kernelmap.cli import main; main()"


@contextmanager
def served(store: Path) -> Iterator[tuple[str, int]]:
    """A dashboard on a free port: its URL and its process."""
    command = [sys.executable, "-c", _SERVER, "dashboard", "--store", str(store), "--port", "0"]
    command.append("--no-token")
    environment = os.environ | {"PYTHONPATH": str(_PROJECT)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:  # noqa: S603 -- this project
        try:
            printed = server.stderr.readline() if server.stderr else ""
            address = re.search(r"http\S+", printed)
            if address is None:
                sys.exit(f"the server did not start: {printed}")
            yield address[0], server.pid
        finally:
            server.terminate()


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
