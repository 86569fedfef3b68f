"""The server over real sockets: what it prints, whom it lets in, and how it ends."""

from __future__ import annotations

import http.client
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from dashboard.asking import PATIENCE, commanded
from kernelmap.cli import main
from kernelmap.dashboard.serve import serving, show_errors_on_stderr
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.history.store import Store


@pytest.fixture(scope="module")
def root(planted: Store) -> Iterator[str]:
    """Where everybody may look."""
    with commanded(planted, "--no-token") as command:
        yield command.url


def connected(url: str) -> socket.socket:
    parts = urlsplit(url)
    assert parts.hostname is not None
    return socket.create_connection((parts.hostname, parts.port or 80), timeout=PATIENCE)


def status(url: str, path: str | None = None, **headers: str) -> tuple[int, dict[str, str], str]:
    """The status, the headers and the text of one answer."""
    parts = urlsplit(url)
    asked = path if path is not None else f"{parts.path}?{parts.query}"
    assert parts.hostname is not None
    with closing(http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)) as way:
        way.request("GET", asked, headers=headers)
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


@pytest.mark.parametrize(
    ("host", "token"),
    [
        ("127.0.0.1", None),
        ("127.9.8.7", "a b&c=ü/?#%41+"),
        ("localhost", None),
        ("0.0.0.0", None),  # noqa: S104 -- what is tested
        pytest.param("::1", "a b&c=ü/?#%41+", marks=IPV6),
        pytest.param("::", None, marks=IPV6),
    ],
)
def test_the_printed_address_works(planted: Store, host: str, token: str | None) -> None:
    """As it is printed it opens the dashboard, whatever host was bound and whatever the token.

    What is printed is `url`: test_only_the_token_opens (test_browser.py) has the whole command.
    """
    server = serving(planted, host=host, port=0, token=token)
    threading.Thread(target=server.forever, daemon=True).start()
    first, headers, _ = status(server.url)
    cookie = headers["Set-Cookie"].partition(";")[0]

    assert first == 302
    assert status(server.url, path="/")[0] == 401
    assert status(server.url, path="/runs", Cookie=cookie)[0] == 200
    assert server.url.isascii()
    assert not any(char.isspace() for char in server.url)
    server.close()


def test_every_dashboard_has_a_token_of_its_own(planted: Store) -> None:
    """Each has one without being asked, and no two are equal; only `no_token` turns it off."""
    urls = []
    for _ in range(2):
        server = serving(planted, host="127.0.0.1", port=0)
        urls.append(server.url)
        server.close()
    tokens = {urlsplit(url).query for url in urls}

    assert len(tokens) == 2
    assert all(len(token) > 30 for token in tokens)


def test_ctrl_c_ends_it_in_silence(planted: Store) -> None:
    """Connections that are open are closed, nothing is said about them, and the command went well.

    The address is all that it printed.
    """
    with commanded(planted, "--no-token") as command, ExitStack() as stack:
        ways = [stack.enter_context(connected(command.url)) for _ in range(20)]
        for at, way in enumerate(ways):
            way.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"\r\n" * (at % 2))
        assert "token" not in command.url
        assert status(command.url)[0] == 200

        assert command.interrupt() == (0, "")


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


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
    ],
)
def test_half_a_request_holds_nobody_up(root: str, half: bytes) -> None:
    """A thread takes only requests that are whole: more clients than threads leave theirs open."""
    with ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(connected(root)).sendall(half)

        assert status(root)[0] == 200


@pytest.mark.parametrize("size", [70_000, 300_000_000, 10**30])
def test_a_body_has_a_limit(root: str, size: int) -> None:
    """What is too large is refused when it is announced; no page sends a body at all."""
    said = answered(f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n", root)

    assert said.startswith(b"HTTP/1.1 413 ")


def test_a_head_has_a_limit(root: str) -> None:
    """Headers without an end are refused as well."""
    said = answered("GET / HTTP/1.1\r\n" + f"X-Long: {'x' * 1000}\r\n" * 500, root)

    assert said[9:13] in (b"431 ", b"")


def answered(head: str, root: str) -> bytes:
    """What the server says to a head, or to as much of it as it takes."""
    with connected(root) as way, suppress(ConnectionError):
        way.sendall(head.encode("latin-1"))
        return way.recv(1000)
    return b""  # it has closed its side, and the answer went with it


def test_no_client_writes_to_the_owners_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    """An error while a hostile path is answered is logged in escapes, in lines of its own."""
    undo = show_errors_on_stderr()
    error = RuntimeError("\x1b]0;owned\x07\nforged \u202e line")
    path = "/\x1b]0;owned\nforged"
    logging.getLogger("waitress").error("Exception while serving %s", path, exc_info=error)
    undo()
    said = capfd.readouterr().err

    assert "RuntimeError" in said
    assert "\\x1b]0;owned" in said
    assert not [char for char in said if not char.isprintable() and char != "\n"]
    assert not any(line.startswith("forged") for line in said.splitlines())


FAILING = """
from kernelmap.dashboard.pages import PAGES

def fail(*_):
    raise RuntimeError("a secret")

PAGES["history"] = ("History", fail)
"""


def test_an_error_of_an_answer_is_told_to_the_owner_alone(planted: Store) -> None:
    """Who asked learns that there was an error; what it was goes to stderr, and it serves on."""
    with commanded(planted, "--no-token", first=FAILING) as command:
        end = time.monotonic() + PATIENCE
        while (answer := status(command.url))[0] == 200:  # until the store is read
            assert time.monotonic() < end
            time.sleep(0.05)
        runs = status(command.url, "/runs")
        _, said = command.interrupt()

    assert answer[0] == 500
    assert "secret" not in answer[2]
    assert runs[0] == 200
    assert "RuntimeError: a secret" in said


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
