"""One Dask cluster for all tests of a module that need one."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from kernelmap.fleet.local import local_cluster

_PORT_OF_DASHBOARD = 8787


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A local cluster of two processes, on a machine where Dask's usual port is taken.

    It ends with the module: one that idles to the end of all tests takes more than those on it.
    """
    pytest.importorskip("distributed", reason="the extra fleet is not installed")
    with socket.socket() as taken:
        with suppress(OSError):  # somebody else has it
            taken.bind(("", _PORT_OF_DASHBOARD))
            taken.listen()
        with local_cluster(2) as local:
            yield local
