"""The server over real sockets: what it prints, whom it lets in, and who holds up whom."""

from __future__ import annotations

import copy
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dashboard.asking import UPDATE, question

pytest.importorskip("dash", reason="dash is not installed")
pytest.importorskip("waitress", reason="waitress is not installed")
pytest.importorskip("duckdb", reason="duckdb is not installed")

from kernelmap.cli import main
from kernelmap.dashboard import connections, pages
from kernelmap.dashboard.connections import LARGEST_BODY, LARGEST_HEAD, MOST, Connections
from kernelmap.dashboard.serve import Serving, serving
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.store import Store

PATIENCE = 60  # seconds that a test waits for what must happen
WORKING = 503  # "It is being worked out; ask again"


@contextmanager
def served(store: Store, **how: Any) -> Iterator[str]:  # noqa: ANN401 -- what serving takes
    """The address that a dashboard prints."""
    with_place: dict[str, Any] = {"host": "127.0.0.1", "port": 0} | how
    server = serving(store, **with_place)
    with running(server):
        yield server.url


@contextmanager
def running(server: Serving | Connections) -> Iterator[None]:
    """A server that serves in a thread of its own."""
    run = server.forever if isinstance(server, Serving) else server.run
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.stop()
        thread.join(PATIENCE)
        server.close()
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def root(planted: Store) -> Iterator[str]:
    """Where everybody may look."""
    with served(planted, no_token=True) as url:
        yield url


def connected(url: str) -> socket.socket:
    parts = urlsplit(url)
    assert parts.hostname is not None
    return socket.create_connection((parts.hostname, parts.port or 80), timeout=PATIENCE)


def status(
    url: str, method: str = "GET", path: str | None = None, *, body: bytes = b"", **headers: str
) -> tuple[int, dict[str, str], str]:
    """The status, the headers and the text of one answer."""
    parts = urlsplit(url)
    asked = path if path is not None else f"{parts.path}?{parts.query}"
    assert parts.hostname is not None
    with closing(http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)) as way:
        way.request(method, asked, body or None, headers)
        answer = way.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode("utf-8", "replace")


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as tried:
            tried.bind(("::1", 0))
    except OSError:
        return False
    return True


IPV6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


@pytest.mark.sampled
@pytest.mark.parametrize("token", [None, "a b&c=ü/?#%41+"])
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.9.8.7",
        "localhost",
        "0.0.0.0",  # noqa: S104 -- what is tested
        pytest.param("::1", marks=IPV6),
        pytest.param("::", marks=IPV6),
    ],
)
def test_the_printed_address_works(planted: Store, host: str, token: str | None) -> None:
    """As it is printed it opens the dashboard, whatever host was bound and whatever the token."""
    with served(planted, host=host, token=token) as url:
        first, headers, _ = status(url)
        cookie = headers["Set-Cookie"].partition(";")[0]

        assert first == 302
        assert status(url, path="/")[0] == 401
        assert status(url, path="/", Cookie=cookie)[0] == 200
        assert url.isascii()
        assert not any(char.isspace() for char in url)


def test_every_dashboard_has_a_token_of_its_own(planted: Store) -> None:
    """Each has one without being asked, and no two are equal; only `no_token` turns it off."""
    with served(planted) as first, served(planted) as second:
        tokens = {urlsplit(url).query for url in (first, second)}

        assert len(tokens) == 2
        assert all(len(token) > 30 for token in tokens)
    with served(planted, no_token=True) as url:
        assert "token" not in url
        assert status(url)[0] == 200


@pytest.mark.parametrize("token", ["", " ", "\t", "a\nb", "\x1b[31m", "\udcff"])
def test_a_token_that_is_none_is_an_error(planted: Store, token: str) -> None:
    """An empty token, or one that no browser could send, opens nothing."""
    with pytest.raises(UsageError) as caught:
        serving(planted, host="127.0.0.1", port=0, token=token)

    assert caught.value.slug == "unusable-token"


def test_beyond_this_machine_there_is_no_way_without_a_token(planted: Store) -> None:
    """`--no-token` with a host that others reach is an error."""
    with pytest.raises(UsageError) as caught:
        serving(planted, host="0.0.0.0", port=0, no_token=True)  # noqa: S104 -- what is tested

    assert caught.value.slug == "token-needed"


@pytest.mark.parametrize("host", ["", "a..b", "a" * 70, "192.0.2.1", "\udcff", "1.2.3.4.5"])
def test_a_host_that_cannot_be_bound_is_an_error(planted: Store, host: str) -> None:
    """A host that does not exist or is not ours is an error without a traceback."""
    with pytest.raises(KernelmapError) as caught:
        serving(planted, host=host, port=0)

    assert caught.value.slug == "port-taken"


def test_a_port_that_is_taken_is_an_error(planted: Store) -> None:
    """Two dashboards cannot have one port."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(KernelmapError) as caught:
            serving(planted, host="127.0.0.1", port=taken.getsockname()[1])

        assert caught.value.slug == "port-taken"


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@st.composite
def misshapen(draw: st.DrawFn) -> bytes:
    """A request of which one part is missing or changed; sometimes it is intact."""
    asked = question()
    at, key = draw(st.sampled_from(list(places(asked))))
    if draw(st.booleans()):
        at[key] = draw(ODD)
    else:
        del at[key]
    return json.dumps(asked).encode()


def places(value: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 -- JSON
    """Where something stands in JSON: pairs of what holds it, and the key or index."""
    keys: list[Any] = list(value) if isinstance(value, dict) else []
    if isinstance(value, list):
        keys = list(range(len(value)))
    for key in keys:
        yield value, key
        yield from places(value[key])


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(misshapen() | ODD.map(json.dumps).map(str.encode) | st.binary(max_size=20))
@example(b"[" * 60_000)
@example(b'{"output":' * 6_000)
@example(b'{"inputs":1e999}')
@example(b"9" * 5_000)
@example(b'{"output": "\\ud800"}')
@example(json.dumps(question(seen=10**400)).encode())
@example(json.dumps(question("\ud800")).encode())
@example(json.dumps(question(query="?find=%00%ff\0")).encode())
def test_what_is_posted_is_a_question_or_refused(root: str, body: bytes) -> None:
    """Whatever the shape of what is posted, it never is an error of the server."""
    answer, _, text = status(
        root, "POST", UPDATE, body=body, **{"Content-Type": "application/json"}
    )

    assert answer in (200, 400)
    assert answer == 200 or "Traceback" not in text


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_forms_can_post_is_refused(root: str, kind: str) -> None:
    """A question is JSON and says so, which no form of another site can."""
    body = json.dumps(question()).encode()

    assert status(root, "POST", UPDATE, body=body, **{"Content-Type": kind})[0] == 415


@pytest.mark.parametrize(
    "path",
    [
        "/_dash-component-suites/nothing/a.js",
        "/_dash-component-suites/dash/a.js",
        "/_dash-component-suites/dash/%2e%2e/%00",
        "/assets/%00",
        "/report/%00",
        "/report/latest~99999999999999999999999",
        "/report/..%2f..%2fetc",
        "/data/x.csv/%00",
        "/data/times.csv/run?run=%00",
        "/data/times.csv/history?branch=%ff&last=" + "9" * 5000,
        "/%ff%00%0a",
        "//evil.example/..//",
        "/" + "a/" * 5000,
        f"{UPDATE}?cacheKey=x&job=1",
    ],
)
def test_no_path_is_an_error_of_the_server(root: str, path: str) -> None:
    """Whatever is asked for by whatever method, the answer is a page or a refusal."""
    for method in ("GET", "HEAD", "POST", "PUT", "OPTIONS", "TRACE", "X"):
        assert settled(root, method, path) < 500


def settled(url: str, method: str, path: str) -> int:
    """The status of an answer, once the server no longer says that it works it out."""
    end = time.monotonic() + PATIENCE
    while (code := status(url, method, path)[0]) == WORKING:
        assert time.monotonic() < end
        time.sleep(0.02)
    return code


def answered(head: bytes, root: str, more: bytes = b"", most: int = 0) -> bytes:
    """What the server says to a head and as much of a body as it takes."""
    with connected(root) as way, suppress(ConnectionError):
        way.sendall(head)
        for _ in range(most):
            way.sendall(more)
        return way.recv(1000)
    return b""  # it has closed its side, and the answer went with it


def test_a_body_has_a_limit(root: str) -> None:
    """What is too large is refused when it is announced, or when it has come to be too much."""
    head = f"POST {UPDATE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    for size in (LARGEST_BODY + 1, 300_000_000, 10**30):
        said = answered(f"{head}Content-Length: {size}\r\n\r\n".encode(), root)

        assert said.startswith(b"HTTP/1.1 413 ")
    chunk = b"1000\r\n" + b" " * 0x1000 + b"\r\n"
    said = answered(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode(), root, chunk, 10_000)

    assert said[:13] in (b"HTTP/1.1 413 ", b"")


def test_a_head_has_a_limit(root: str) -> None:
    """Headers without an end are refused as well."""
    line = b"X-Long: " + b"x" * 1000 + b"\r\n"
    said = answered(b"GET / HTTP/1.1\r\n", root, line, LARGEST_HEAD)

    assert said[9:13] in (b"431 ", b"")


def silent(_: socket.socket) -> None:
    """Send nothing."""


def half_a_head(way: socket.socket) -> None:
    """Send no end of the headers."""
    way.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")


def half_a_body(way: socket.socket) -> None:
    """Send less than was announced."""
    head = f"POST {UPDATE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{{"
    way.sendall(head.encode())


def no_reader(way: socket.socket) -> None:
    """Ask for more than fits between the two, and take nothing of it."""
    way.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    way.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3)


STALLS = [silent, half_a_head, half_a_body, no_reader]


@contextmanager
def plain() -> Iterator[tuple[str, Connections]]:
    """A server with answers of 20 MB, and where it is."""

    def application(_: object, begin: Callable[..., object]) -> list[bytes]:
        begin("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "20000000")])
        return [b"x" * 20_000_000]

    bound = socket.create_server(("127.0.0.1", 0))
    server = Connections(application, bound)
    with running(server):
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/", server


@pytest.mark.sampled
@pytest.mark.parametrize("stall", STALLS)
def test_stalled_clients_hold_nobody_up(
    root: str, stall: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """More stalled clients than connections are kept, and another one is answered at once."""
    monkeypatch.setattr(connections, "STALLED_S", 10.0**6)
    with ExitStack() as stack:
        for _ in range(MOST + 50):
            way = stack.enter_context(connected(root))
            with suppress(ConnectionError):
                stall(way)

        assert status(root)[0] == 200


@pytest.mark.parametrize("stall", STALLS)
def test_a_stalled_client_is_let_go(
    stall: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it is that a client leaves undone, its connection ends by itself."""
    monkeypatch.setattr(connections, "STALLED_S", 0.5)
    with plain() as (url, server), connected(url) as way:
        stall(way)
        until(lambda: server.count == 1)
        until(lambda: server.count == 0)


def test_a_client_that_sends_a_byte_now_and_then_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts is when the request is whole, not when the last byte of it came."""
    monkeypatch.setattr(connections, "STALLED_S", 0.5)
    with plain() as (url, server), connected(url) as way, suppress(ConnectionError):
        until(lambda: server.count == 1)
        half_a_head(way)
        end = time.monotonic() + PATIENCE
        while server.count:
            assert time.monotonic() < end
            way.sendall(b"x")
            time.sleep(0.05)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_slow_reader_gets_its_answer_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that reads a little now and then is not stalled, however long it takes."""
    monkeypatch.setattr(connections, "STALLED_S", 1.0)
    with plain() as (url, _), connected(url) as way:
        way.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        taken = 0
        while piece := way.recv(400_000):
            taken += len(piece)
            time.sleep(0.04)

    assert taken > 20_000_000


def test_no_client_writes_to_the_owners_terminal(
    planted: Store, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error while a hostile path is answered is logged in escapes, in lines of its own."""

    def fail(*_: object) -> None:
        raise RuntimeError("\x1b]0;owned\x07\nforged \u202e line")

    monkeypatch.setattr(pages.history, "page", fail)
    monkeypatch.setitem(pages.PAGES, "history", ("History", fail))
    with served(planted, no_token=True) as url:
        path = "/data/times.csv/history?x=%1b%5d0;owned%07%0aforged"
        code = settled(url, "GET", path)
        refused = answered(b"GET /data/times.csv/%1b%5b31m%0aforged\x1b HTTP/1.1\r\n\r\n", url)
    said = capfd.readouterr()

    assert code == 500
    assert refused
    assert "RuntimeError" in said.err
    assert "\\x1b]0;owned" in said.err
    assert not [char for char in said.err if not char.isprintable() and char != "\n"]
    assert not any(line.startswith("forged") for line in said.err.splitlines())


def test_the_end_is_quiet(planted: Store, capfd: pytest.CaptureFixture[str]) -> None:
    """Connections that are open at the end are closed, and nothing is said about them."""
    with ExitStack() as stack, served(planted, no_token=True) as url:
        ways = [stack.enter_context(connected(url)) for _ in range(40)]
        for at, way in enumerate(ways):
            STALLS[at % len(STALLS)](way)
            if at % 2:
                way.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert status(url)[0] == 200
    said = capfd.readouterr()

    assert said.err == said.out == ""


def test_a_question_has_one_shape() -> None:
    """What Dash sees is the same whatever else a browser has sent along."""
    from kernelmap.dashboard.guard import checked

    plain_question = json.dumps(question("/a", "?b")).encode()
    more = copy.deepcopy(question("/a", "?b")) | {"cancelJob": [1], "changedPropIds": 7}

    assert checked(json.dumps(more).encode()) == checked(plain_question)


@pytest.mark.parametrize(
    ("options", "variable"),
    [
        (["--token", ""], None),
        ([], ""),
        (["--token", "a", "--no-token"], None),
        (["--no-token"], "a"),
        (["--no-token", "--host", "0.0.0.0"], None),  # noqa: S104 -- what is tested
    ],
)
def test_what_would_open_more_than_was_meant_is_refused(
    tmp_path: Path, options: list[str], variable: str | None
) -> None:
    """Empty tokens, a token and none, none beyond this machine: wrong usage, and nothing starts."""
    asked = ["dashboard", "--store", str(tmp_path), "--port", "0", *options]
    answer = CliRunner().invoke(main, asked, env={"KERNELMAP_DASHBOARD_TOKEN": variable})

    assert answer.exit_code == 2
    assert "http" not in answer.output
