"""Places to keep runs in: a folder, fsspec's memory, and an S3 server of this machine."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

_SECONDS = 60


@pytest.fixture(scope="session")
def s3_server() -> Iterator[Mapping[str, str]]:
    """Moto's server as a process of its own; gives the environment that leads to it."""
    pytest.importorskip("moto", reason="moto is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    environment = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with subprocess.Popen(  # noqa: S603 -- a test's server
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            _wait(environment["AWS_ENDPOINT_URL"])
            yield environment
        finally:
            server.kill()


@pytest.fixture
def s3(s3_server: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a store in a new bucket."""
    import s3fs

    for name, value in s3_server.items():
        monkeypatch.setenv(name, value)
    bucket = f"runs-{uuid.uuid4().hex}"
    s3fs.S3FileSystem().mkdir(bucket)
    return f"s3://{bucket}/kept here"


@pytest.fixture(params=["folder", "memory", pytest.param("s3", marks=pytest.mark.s3)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store, in each kind of place."""
    if request.param == "s3":
        return str(request.getfixturevalue("s3"))
    if request.param == "memory":
        pytest.importorskip("fsspec", reason="fsspec is not installed")
        return f"memory://{uuid.uuid4().hex}"
    return str(tmp_path / "kept here")


def _wait(address: str) -> None:
    """Until the server answers."""
    end = time.monotonic() + _SECONDS
    while True:
        try:
            with urlopen(address):  # noqa: S310 -- our own server
                return
        except (URLError, OSError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
