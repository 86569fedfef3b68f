"""Start the server and keep it until it is interrupted; its errors go to stderr.

Paths and texts of errors come from whoever asks; control characters in them are shown as escapes,
so that they neither reach the owner's terminal nor make a line that nobody logged.
"""

from __future__ import annotations

import logging
import secrets
import socket
from collections.abc import Callable
from types import TracebackType
from urllib.parse import quote

from msgspec import Struct

from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.extras import FOR_SERVING, require
from kernelmap.dashboard.project import Project
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.history.store.store import Store
from kernelmap.pages.text import make_visible

Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class _Escaping(logging.Formatter):
    """A message is one line; the lines of a traceback are indented below it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 -- logging's name
        """The line."""
        record.message = make_visible(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Raised) -> str:  # noqa: N802 -- logging's name
        """The traceback."""
        lines = super().formatException(ei).split("\n")
        return "\n".join(f"  {make_visible(line)}" for line in lines)


def show_errors_on_stderr() -> Callable[[], None]:
    """Show what the server says of errors; gives the way back."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    handler.setFormatter(_Escaping("dashboard: %(message)s"))
    logger = logging.getLogger(_LOGGER)
    propagates = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False

    def undo() -> None:
        logger.removeHandler(handler)
        logger.propagate = propagates

    return undo


_BYTES = 24  # of a token that is made
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 -- not bound here: names to print
_LOGGER = "waitress"  # which says as well what went wrong in an answer
_THREADS = 16  # answers at the same time; a page that waits for its questions takes 0.9 s of one
_MOST = 500  # connections: every open page keeps one, and a browser holds up to six
_LARGEST = 64 * 1024  # bytes of a request; a page sends none but its headers, of one kB


class Serving(Struct, frozen=True, kw_only=True):
    """A server that is ready: its address for a browser, and what runs it until interrupted.

    `close` lets go of everything afterwards.
    """

    url: str
    forever: Callable[[], None]
    close: Callable[[], None]


def serving(  # noqa: PLR0913 -- what the command line can say of a server
    store: Store,
    *,
    host: str,
    port: int,
    token: str | None = None,
    no_token: bool = False,
    series: tuple[str, ...] = (),
    project: Project | None = None,
) -> Serving:
    """Bind `host` and `port` (0: a free one). Where no `token` is given, one is made.

    With `no_token` every user of this machine may look, and `host` must be this machine alone.
    `series` are the tags that tell series apart, beside branch and device; `project` says where
    commits and authors are shown.

    Raises KernelmapError where the place cannot be bound, or the extra is missing, UsageError for
    a token that cannot be used.
    """
    require(*FOR_SERVING)
    from waitress.server import create_server

    from kernelmap.dashboard.app import make_app
    from kernelmap.dashboard.guard import is_loopback

    _check_token(token)
    # Bound first: what the socket got, not what was asked for, says who can reach it.
    bound = _bound(host, port)
    place = bound.getsockname()[0]
    if no_token and not is_loopback(place):
        bound.close()
        raise UsageError(
            "token-needed",
            f"{host} is more than this machine, and there a token is needed",
            "Leave --no-token out, or bind --host 127.0.0.1.",
        )
    token = None if no_token else token or secrets.token_urlsafe(_BYTES)
    archive = Archive(store, series=series, project=project or Project())
    undo = show_errors_on_stderr()
    server = create_server(
        make_app(archive, token=token, local=is_loopback(place)),
        sockets=[bound],
        threads=_THREADS,
        connection_limit=_MOST,
        asyncore_use_poll=True,  # what else is there takes no socket beyond the 1,024th file
        max_request_body_size=_LARGEST,
        max_request_header_size=_LARGEST,
        ident=None,
    )
    archive.watch()

    def close() -> None:
        server.close()
        archive.close()
        undo()

    return Serving(url=_url(bound, token), forever=server.run, close=close)


def _check_token(token: str | None) -> None:
    if token is None or (token.strip() and token.isprintable()):
        return
    wrong = "has characters that no browser sends" if token.strip() else "is empty"
    raise UsageError(
        "unusable-token",
        f"the token {wrong}",
        "Give another --token, or none: one is made then.",
    )


def _bound(host: str, port: int) -> socket.socket:
    """A socket bound to the first address of a host, IPv4 before IPv6."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # The first address of IPv4, else the first of all.
        family, kind, protocol, _, place = min(addresses, key=lambda it: it[0] != socket.AF_INET)
        bound = socket.socket(family, kind, protocol)
        try:
            # A server that has just ended leaves its port in waiting; the next one may have it at
            # once.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(place)
            bound.listen()
        except OSError:
            bound.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is no name of a host"
        raise KernelmapError(
            "port-taken",
            f"{host}:{port} cannot be served: {reason or error}",
            "Choose another --port; 0 takes a free one.",
        ) from error
    return bound


def _url(bound: socket.socket, token: str | None) -> str:
    """The address that a browser on this machine opens; it names what is bound."""
    from kernelmap.dashboard.guard import PARAMETER

    host, port = bound.getsockname()[:2]
    # An address that stands for all of this machine's is none that a browser can open.
    host = _EVERYWHERE.get(host, host)
    # IPv6 stands in brackets.
    shown = f"[{quote(host, safe=':')}]" if ":" in host else host
    query = f"?{PARAMETER}={quote(token, safe='')}" if token else ""
    return f"http://{shown}:{port}/{query}"
