"""Places to keep runs in: a folder, fsspec's memory, and an S3 server of this machine."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from examples import is_quick
from history.store import local_s3


@pytest.fixture(scope="session")
def s3_server() -> Iterator[Mapping[str, str]]:
    """The environment that leads to a server."""
    pytest.importorskip("moto", reason="moto is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    with local_s3.s3_server() as environment:
        yield environment


@pytest.fixture
def s3(s3_server: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a store in a new bucket."""
    import s3fs

    for name, value in s3_server.items():
        monkeypatch.setenv(name, value)
    bucket = f"runs-{uuid.uuid4().hex}"
    s3fs.S3FileSystem().mkdir(bucket)
    return f"s3://{bucket}/kept here"


MEMORY = [] if is_quick() else ["memory"]
"""What is kept there goes the same way as to an object store, which costs more and shows more."""


@pytest.fixture(
    params=["folder", *MEMORY, pytest.param("s3", marks=[pytest.mark.s3, pytest.mark.thorough])]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store, in each kind of place."""
    if request.param == "s3":
        return str(request.getfixturevalue("s3"))
    if request.param == "memory":
        pytest.importorskip("fsspec", reason="fsspec is not installed")
        return f"memory://{uuid.uuid4().hex}"
    return str(tmp_path / "kept here")
