"""Start the server and keep it until it is interrupted."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.extras import FOR_SERVING, require
from kernelmap.errors import KernelmapError
from kernelmap.store.store import Store

_THREADS = 16  # a browser holds up to six connections open


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A server that is ready: its address for a browser, and what runs it until interrupted.

    `stop` ends `forever` from another thread; `close` lets go of everything after it.
    """

    url: str
    forever: Callable[[], None]
    stop: Callable[[], None]
    close: Callable[[], None]


def serving(
    store: Store, *, host: str, port: int, token: str | None = None, series: tuple[str, ...] = ()
) -> Serving:
    """Bind `host` and `port` (0: a free one). Beyond this machine a token is needed and made.

    `series` are the tags that tell series apart, beside branch and device.

    Raises KernelmapError where the place cannot be bound, or the extra is missing.
    """
    require(*FOR_SERVING)
    from waitress.server import create_server

    from kernelmap.dashboard.app import app
    from kernelmap.dashboard.guard import PARAMETER, is_loopback

    if not is_loopback(host) and token is None:
        token = secrets.token_urlsafe(24)
    archive = Archive(store, series=series)
    made = app(archive, token=token)
    try:
        server = create_server(made.server, host=host, port=port, threads=_THREADS)
    except OSError as error:
        raise KernelmapError(
            "port-taken",
            f"{host}:{port} cannot be served: {error.strerror or error}",
            "Choose another --port; 0 takes a free one.",
        ) from error
    archive.watch()

    def close() -> None:
        archive.close()
        server.close()

    shown = f"[{host}]" if ":" in host else host
    query = f"?{PARAMETER}={token}" if token else ""
    return Serving(
        url=f"http://{shown}:{server.effective_port}/{query}",
        forever=server.run,
        stop=lambda: server.trigger.pull_trigger(server.close),
        close=close,
    )
