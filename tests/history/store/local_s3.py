"""An S3 server of this machine: moto's, as a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

_TRIES, _SECONDS = 600, 0.1


@contextmanager
def s3_server() -> Iterator[Mapping[str, str]]:
    """Start the server; gives the environment that leads to it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    address = f"http://127.0.0.1:{port}"
    with subprocess.Popen(  # noqa: S603 -- a server for one test or script
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            _wait(address)
            yield {
                "AWS_ENDPOINT_URL": address,
                "AWS_ACCESS_KEY_ID": "nobody",
                "AWS_SECRET_ACCESS_KEY": "nothing",
                "AWS_DEFAULT_REGION": "us-east-1",
            }
        finally:
            server.kill()


def _wait(address: str) -> None:
    """Until the server answers."""
    for _ in range(_TRIES):
        try:
            with urlopen(address):  # noqa: S310 -- our own server
                return
        except (URLError, OSError):
            time.sleep(_SECONDS)
    raise RuntimeError("moto's server does not answer")
