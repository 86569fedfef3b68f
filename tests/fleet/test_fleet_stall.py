"""A store that stalls or breaks off: its rank is tried again and missing, and the command ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from socket import socket
from threading import Event, Thread

import pytest

from fleet_runs import CODE, ROOT, answer, program
from kernelmap.errors import KernelmapError
from kernelmap.fleet import inputs
from kernelmap.fleet.engine import TRIES, Cluster
from kernelmap.fleet.files import list_files
from kernelmap.fleet.inputs import place_by_rank
from worlds.fleet import FleetWorld, write_fleet

pytestmark = pytest.mark.skipif(
    not find_spec("aiohttp"), reason="fsspec needs aiohttp for a store behind HTTP"
)

_RANKS, _STALLED = 4, 2
_RUN = "from kernelmap.cli import main; main()"


@dataclass
class _Store:
    """Files of a folder behind HTTP; of `stalled` the first bytes come, or status `refused`."""

    folder: Path
    stalled: str
    refused: int | None = None
    reads: list[str] = field(default_factory=list)
    ended: Event = field(default_factory=Event)
    url: str = ""

    @contextmanager
    def opened(self) -> Iterator[_Store]:
        """The store while it answers at `url`."""
        store = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                store.answer(self)

            def do_GET(self) -> None:
                store.answer(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            self.url = f"http://127.0.0.1:{server.server_address[1]}/"
            yield self
            self.ended.set()
            server.shutdown()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        name = request.path.strip("/")
        reads = request.command == "GET"
        if reads:
            self.reads.append(name)
        if name and not (self.folder / name).exists():
            request.send_error(404)
            return
        if name:
            content = (self.folder / name).read_bytes()
        else:
            content = "".join(f'<a href="{path.name}">' for path in self.folder.iterdir()).encode()
        stalls = reads and name == self.stalled
        request.send_response(self.refused if stalls and self.refused else 200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        if stalls and not self.refused:
            request.wfile.write(content[:10])
            request.wfile.flush()
            self.ended.wait()
        elif reads:
            request.wfile.write(content)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    write_fleet(folder, program(), FleetWorld(ranks=_RANKS, steps=2))
    return folder


@pytest.mark.thorough  # it waits for workers again and again
def test_a_rank_whose_store_stalls_is_missing_and_the_command_ends(
    world: Path, tmp_path: Path
) -> None:
    """Workers of the command's cluster try the rank as often as usual; the others are read."""
    pytest.importorskip("distributed", reason="the extra fleet is not installed")
    code = [word for path in CODE for word in ("--code", path)]
    options = ["--workers", "2", "--keep", str(tmp_path)]
    options += ["--format", "json", "--strict"]
    with _Store(world, f"rank_{_STALLED}.json.gz").opened() as store:
        ended = subprocess.run(  # noqa: S603 -- our own code
            [sys.executable, "-c", _RUN, "fleet", store.url, *code, *options],
            env=os.environ | {"PYTHONPATH": str(ROOT), "KERNELMAP_TIME_LIMIT": "4"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    assert ended.returncode == 1, ended.stderr
    ranks = json.loads(ended.stdout)["ranks"]
    reasons = {row["rank"]: row["reason"] for row in ranks if row["state"] == "missing"}
    assert len(ranks) == _RANKS
    assert reasons == {_STALLED: "it took longer than 4 s"}
    assert f"1 of {_RANKS} ranks are missing" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert store.reads.count(store.stalled) == TRIES


def test_without_a_cluster_a_rank_is_tried_as_often(world: Path, tmp_path: Path) -> None:
    """An answer that is an error of the store is tried again as well, and said in its words."""
    with _Store(world, f"rank_{_STALLED}.json.gz", refused=503).opened() as store:
        fleet = answer(store.url, keep=tmp_path)

    reasons = {row["rank"]: row["reason"] for row in fleet.rows["ranks"] if row["reason"]}
    assert set(reasons) == {_STALLED}
    assert "503" in str(reasons[_STALLED])
    assert (fleet.read, fleet.expected) == (_RANKS - 1, _RANKS)
    assert store.reads.count(store.stalled) == TRIES


def test_a_store_that_lists_nothing_is_an_error(world: Path) -> None:
    """Where even the names of files do not come, there is nothing to go on with."""
    with (
        _Store(world, "").opened() as store,
        pytest.raises(KernelmapError, match="it took longer") as error,
    ):
        place_by_rank([store.url], limit_s=0.5)

    assert error.value.slug == "unreadable-path"
    assert store.url in error.value.message


def test_files_that_stall_are_placed_by_their_names(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No beginning is waited for after one that stalls; the tasks that read the ranks go on."""
    never, asked = Event(), []

    def head(name: str, _size: int) -> bytes:
        asked.append(name)
        never.wait()
        return b""

    monkeypatch.setattr(inputs, "read_head", head)
    fleet = answer(world, keep=tmp_path, cluster=Cluster(workers=0, limit_s=5))
    never.set()

    assert fleet.read == _RANKS
    assert len(asked) == 1


@pytest.mark.parametrize("name", ["rank_0.json", "rank_*.json", ""])
def test_a_server_that_cannot_be_reached_is_named_so(name: str) -> None:
    """Nobody listens there: the reason is the connection, not the name of the file."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/{name}"

    with pytest.raises(KernelmapError, match=r"(?i)connect"):
        list_files(url)


def test_a_file_that_a_server_does_not_have_is_named_so(tmp_path: Path) -> None:
    """The server answers that there is none."""
    with (
        _Store(tmp_path, "").opened() as store,
        pytest.raises(KernelmapError, match="no such file"),
    ):
        list_files(f"{store.url}rank_0.json")
