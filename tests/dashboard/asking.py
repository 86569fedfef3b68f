"""The dashboard as a browser meets it: its application alone, in a thread, or as the command."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Struct

from children import interruptible
from kernelmap.dashboard.archive import Archive
from kernelmap.history.store import Store

if TYPE_CHECKING:
    from werkzeug.test import Client

PATIENCE = 60  # seconds that a test waits for what must happen
_COMMAND = "from kernelmap.cli import main; main()"


def _need_extra() -> None:
    for name in ("werkzeug", "waitress", "duckdb", "ruptures"):
        pytest.importorskip(name, reason=f"{name} is not installed")


def client(archive: Archive, **how: Any) -> Client:  # noqa: ANN401 -- what app takes
    """A browser before the application, without a server between them."""
    _need_extra()
    from werkzeug.test import Client

    from kernelmap.dashboard.app import make_app

    return Client(make_app(archive, **how))


@contextmanager
def served(store: Store) -> Iterator[str]:
    """The URL of a dashboard over a store, which everybody may look at."""
    _need_extra()
    from werkzeug.serving import make_server

    from kernelmap.dashboard.app import make_app

    archive = Archive(store)
    archive.watch()
    server = make_server("127.0.0.1", 0, make_app(archive), threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}/"
    finally:
        server.shutdown()
        thread.join(PATIENCE)
        server.server_close()
        archive.close()


class Command(Struct):
    """`kernelmap dashboard` in a process of its own, and the address that it printed."""

    url: str
    process: subprocess.Popen[str]

    def interrupt(self) -> tuple[int, str]:
        """Press Ctrl+C: the exit status, and what was printed since the address."""
        self.process.send_signal(signal.SIGINT)
        _, printed = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, printed


@contextmanager
def commanded(store: Store, *options: str, first: str = "") -> Iterator[Command]:
    """The command over a store, at a free port; it is ended where the test has not done so.

    `first` is Python that its process runs before it.
    """
    _need_extra()
    words = [sys.executable, "-c", f"{first}\n{_COMMAND}", "dashboard", "--port", "0", *options]
    words += ["--store", store.place.address("")]
    paths = os.pathsep.join(filter(None, sys.path))
    environment = os.environ | {"PYTHONPATH": paths}
    with subprocess.Popen(  # noqa: S603 -- ours
        words,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=interruptible,  # noqa: PLW1509 -- it sets three signals, and takes no lock
    ) as process:
        try:
            assert process.stderr is not None
            printed = process.stderr.readline()
            address = re.search(r"http\S+", printed)
            assert address is not None, printed
            yield Command(url=address[0], process=process)
        finally:
            process.terminate()
