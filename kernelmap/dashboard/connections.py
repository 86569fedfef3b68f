"""The connections of the server: waitress over one bound socket, where no client holds up another.

waitress gives a thread only to requests that have arrived whole, but it keeps connections that
never send one, and stops accepting at its limit. Here a client that keeps the server waiting is let
go of after a while, and at the limit the one that has waited longest makes room for a new one.
Raises nothing of its own; `close` ends all connections, also those that are being answered.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server

STALLED_S = 20.0
"""Seconds in which a client must send its next request, or take some of its answer."""
SLOWEST_S = 600.0
"""Seconds in which an answer must have been taken whole."""
MOST = 256
"""Connections that are kept open; a browser holds up to six."""
LARGEST_BODY = LARGEST_HEAD = 64 * 1024
"""Bytes of a request; what the dashboard's own pages send is a few kB."""

_THREADS = 16
_TURN_S = 0.5  # between two looks for clients that wait
_NEVER_FULL = 1 << 40  # bytes of answers: a thread hands its answer over and never waits
_PARTING_S = 2  # that requests have at the end


class _Channel(HTTPChannel):  # type: ignore[misc] # waitress has no types
    """One connection, which remembers since when it is the client's turn."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 -- waitress' arguments, passed on
        super().__init__(*arguments, **named)
        self.since = time.monotonic()

    def service(self) -> None:
        """Answer one request."""
        super().service()
        self.since = time.monotonic()

    def stalled(self) -> bool:
        """Whether the client has kept the server waiting for too long."""
        waited = time.monotonic() - self.since
        if not self.total_outbufs_len:
            return waited > STALLED_S
        return waited > SLOWEST_S or time.time() - self.last_activity > STALLED_S

    def let_go(self) -> None:
        """End the connection now; an answer that was not taken is lost."""
        self.will_close = True
        self.handle_close()


class Connections:
    """A server over a socket that is bound; `run` serves until `stop`, `close` ends everything."""

    def __init__(self, application: Callable[..., Any], bound: socket.socket) -> None:
        self._map: dict[int, Any] = {}
        self._stopping = threading.Event()
        self._server = create_server(
            application,
            map=self._map,
            sockets=[bound],
            threads=_THREADS,
            max_request_body_size=LARGEST_BODY,
            max_request_header_size=LARGEST_HEAD,
            outbuf_high_watermark=_NEVER_FULL,
            connection_limit=2 * MOST,
            channel_timeout=int(SLOWEST_S),  # ours come first
            asyncore_use_poll=True,
            log_socket_errors=False,  # a client that is gone is no error
            ident=None,
        )
        self._server.channel_class = _Channel

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._server.active_channels)

    def run(self) -> None:
        """Serve in this thread until `stop` is called in another one."""
        while not self._stopping.is_set():
            self._make_room()
            wasyncore.loop(timeout=_TURN_S, use_poll=True, map=self._map, count=1)

    def stop(self) -> None:
        """Let `run` return."""
        self._stopping.set()
        self._server.pull_trigger()

    def close(self) -> None:
        """End all connections and stop listening; `run` must have returned."""
        self._stopping.set()
        for channel in list(self._server.active_channels.values()):
            channel.let_go()
        self._server.task_dispatcher.shutdown(timeout=_PARTING_S)
        self._server.close()  # last: until here, what ends may still wake the loop

    def _make_room(self) -> None:
        """Let go of stalled clients, and for a new one of those whose turn it is longest."""
        channels = list(self._server.active_channels.values())
        surplus = len(channels) - (MOST - 1)
        waiting = [channel for channel in channels if not channel.requests]
        waiting.sort(key=lambda channel: (channel.total_outbufs_len > 0, channel.since))
        for at, channel in enumerate(waiting):
            if at < surplus or channel.stalled():
                channel.let_go()
