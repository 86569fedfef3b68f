"""A run's whole report at `/report/<id>`: the file that `kernelmap runs show -o` writes, in memory.

It is made in the background and kept packed, since Plotly in it takes megabytes. Nothing is written
anywhere. The report brings its own content security policy, which allows its scripts by their
hashes; that of the dashboard would forbid them.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.errors import KernelmapError

if TYPE_CHECKING:
    from flask import Flask, Response

PAGE = "report"
_FRAMES = "frame-ancestors 'none'"  # what a page cannot say of itself; the rest it does
_AGAIN = 1  # seconds until a browser asks again for what is being made


def packed(run_id: str, archive: Archive) -> bytes:
    """The report as gzipped HTML. Raises NotYetError, and what the store raises."""

    def work(_: object) -> bytes:
        from kernelmap.outputs.report import Content, render

        run = archive.store.open(run_id)
        return gzip.compress(render(Content(tables=run.tables)).encode(), mtime=0)

    return archive.ask((PAGE, run_id), f"making the report of run {run_id}", work)


def serve(server: Flask, archive: Archive) -> None:
    """Answer `/report/<id>`; while the report is being made, with a page that asks again."""
    from flask import Response, request

    def report(run_id: str) -> Response:
        try:
            page = packed(run_id, archive)
        except NotYetError as waiting:
            again = {"Refresh": str(_AGAIN), "Cache-Control": "no-store"}
            return Response(f"{waiting.what} …\n", mimetype="text/plain", headers=again)
        except KernelmapError as error:
            text = f"{error.message}\n{error.hint}\n"
            return Response(text, status=404, mimetype="text/plain")
        headers = {"Content-Security-Policy": _FRAMES, "Vary": "Accept-Encoding"}
        if request.accept_encodings.best_match(["gzip"]):
            headers["Content-Encoding"] = "gzip"
        else:
            page = gzip.decompress(page)
        return Response(page, mimetype="text/html", headers=headers)

    server.add_url_rule(f"/{PAGE}/<run_id>", view_func=report, methods=["GET"])
