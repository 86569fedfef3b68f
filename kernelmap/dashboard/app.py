"""The Dash app: one callback, from the URL to the page, and routes to data and whole reports.

The URL is the whole state; every choice is a link. A tick asks again while something is being
worked out, and whenever the store has changed; a page that would look the same is not sent.

A run's whole report at `/report/<id>` is the file that `kernelmap runs show -o` writes. It is made
in the background and kept packed, since Plotly in it takes megabytes; nothing is written anywhere.
It brings its own content security policy, which allows its scripts by their hashes: that of the
dashboard would forbid them.
"""

from __future__ import annotations

import gzip
import hashlib
from http import HTTPStatus
from typing import Any, TypeAlias

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.exceptions import DependencyException
from flask import Flask, Response, redirect, request
from flask.typing import ResponseReturnValue
from plotly.utils import PlotlyJSONEncoder

from kernelmap.dashboard import components, guard
from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.guard import OUTPUTS
from kernelmap.dashboard.pages import PAGES, missing
from kernelmap.dashboard.pages import page as page_of
from kernelmap.errors import KernelmapError
from kernelmap.outputs.csv import MIMETYPES, written
from kernelmap.outputs.html import STATIC
from kernelmap.present.address import REPORT, address
from kernelmap.present.page import Page, section_of

Json: TypeAlias = Any  # what Dash passes to and from the browser

_SOON, _LATER = 700, 3000  # ms between two ticks, while something is worked out and else


def app(archive: Archive, *, token: str | None = None, local: bool = True) -> Dash:
    """The app over an archive, which somebody keeps looking; the rest as guard.py wants it."""
    made = Dash(
        __name__,
        title="kernelmap",
        update_title="",
        assets_folder=str(STATIC),
        serve_locally=True,
        compress=False,
        add_log_handler=False,
        suppress_callback_exceptions=True,
    )
    made.index_string = made.index_string.replace("<html>", '<html lang="en">')
    made.layout = _layout()
    _answer_urls(made, archive)
    _serve_data(made, archive)
    _serve_reports(made.server, archive)
    _serve_icon(made.server)
    _say_missing(made.server, archive)
    guard.protect(made.server, token=token, script_hashes=made.csp_hashes(), local=local)
    made.server.register_error_handler(DependencyException, _no_such_file)
    return made


def _no_such_file(_: Exception) -> Response:
    """The answer to a path below Dash's files where there is none."""
    return Response("There is no such file.\n", status=404, mimetype="text/plain")


def _layout() -> Json:
    return html.Div(
        [
            dcc.Location(id="url", refresh="callback-nav"),
            dcc.Interval(id="tick", interval=_LATER),
            dcc.Store(id="seen"),
            html.Header(
                [
                    dcc.Link("kernelmap", href="/", className="brand"),
                    html.Nav(id="bar"),
                    html.Button("?", id="keys", title="Keys (?)", type="button"),
                    html.Button("◐", id="theme", title="Light or dark (t)", type="button"),
                ],
                id="top",
            ),
            html.Main(id="page", tabIndex="-1"),
        ]
    )


def _answer_urls(made: Dash, archive: Archive) -> None:
    @made.callback(
        *(Output(name, key) for name, key in OUTPUTS),
        Input("url", "pathname"),
        Input("url", "search"),
        Input("tick", "n_intervals"),
        State("seen", "data"),
        # An answer that another question has overtaken is thrown away, so ticks wait for it.
        running=[(Output("tick", "disabled"), True, False)],
    )
    def show(path: str | None, search: str | None, _: int | None, seen: Json) -> Json:
        """The page, and the mark that the browser sends back to say which page it has."""
        asked = address(path, search)
        before = seen if isinstance(seen, dict) and seen.get("href") == asked.href else {}
        mark = {"href": asked.href, "seen": archive.snapshot.seen}
        if before.get("seen") == mark["seen"] and not before.get("open"):
            return no_update, no_update, no_update, no_update
        shown = page_of(asked, archive)
        drawn = components.page(shown, asked)
        mark |= {"open": shown.waits or shown.failed, "digest": _digest(drawn)}
        titles = {name: title for name, (title, _make) in PAGES.items()}
        return (
            no_update if before.get("digest") == mark["digest"] else drawn,
            components.bar(titles, asked),
            mark,
            _SOON if shown.waits else _LATER,
        )


_SHELL = ("/", "/<path:path>")  # the rules of the document that shows every page


def _say_missing(server: Flask, archive: Archive) -> None:
    """Answer 404 with the document of a page, run or branch that is not there; the page says so."""

    @server.after_request
    def status(answer: Response) -> Response:
        rule = request.url_rule.rule if request.url_rule else None
        if rule in _SHELL and answer.status_code == HTTPStatus.OK:
            asked = address(request.path, request.query_string.decode("utf-8", "replace"))
            if missing(asked, archive) is not None:
                answer.status_code = HTTPStatus.NOT_FOUND
        return answer


def _without(page: Page) -> Response:
    """The answer where a page has no such section, or not yet."""
    if page.waits:
        text, status, headers = "It is being worked out; ask again.\n", 503, {"Retry-After": "1"}
    else:
        text, status, headers = "Nothing of that name is on the page.\n", 404, {}
    return Response(text, status=status, headers=headers, mimetype="text/plain")


def _serve_icon(server: Flask) -> None:
    """Lead to Dash's icon from where a browser asks for one of a page that names none."""

    def icon() -> ResponseReturnValue:
        return redirect("/_favicon.ico")

    server.add_url_rule("/favicon.ico", view_func=icon)


def _digest(drawn: Json) -> str:
    raw = PlotlyJSONEncoder(sort_keys=True).encode(drawn)
    return hashlib.sha256(raw.encode()).hexdigest()[:16]


def _serve_data(made: Dash, archive: Archive) -> None:
    """`/data/<section>.<csv|json>/<page>?…` is the frame behind a chart or table."""

    def data(section: str, form: str, path: str = "") -> Response:
        asked = address(path, request.query_string.decode("utf-8", "replace"))
        try:
            page = page_of(asked, archive)
            part = section_of(page, section)
        except KernelmapError as error:
            return Response(f"{error.message}\n", status=404, mimetype="text/plain")
        if part is None or form not in MIMETYPES:
            return _without(page)
        return Response(
            written(part, form),
            mimetype=MIMETYPES[form],
            headers={"Content-Disposition": f'attachment; filename="{part.id}.{form}"'},
        )

    for rule in ("/data/<section>.<form>/", "/data/<section>.<form>/<path>"):
        made.server.add_url_rule(rule, view_func=data, methods=["GET"])


_FRAMES = "frame-ancestors 'none'"  # what a page cannot say of itself; the rest it does
_AGAIN = 1  # seconds until a browser asks again for what is being made


def packed(run_id: str, archive: Archive) -> bytes:
    """The report as gzipped HTML. Raises NotYetError, and what the store raises."""

    def work(_: object) -> bytes:
        from kernelmap.outputs.report import Content, render

        run = archive.store.open(run_id)
        return gzip.compress(render(Content(tables=run.tables, name=run.name)).encode(), mtime=0)

    return archive.ask((REPORT, run_id), f"making the report of run {run_id}", work)


def _serve_reports(server: Flask, archive: Archive) -> None:
    """Answer `/report/<id>`; while the report is being made, with a page that asks again."""

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

    server.add_url_rule(f"/{REPORT}/<run_id>", view_func=report, methods=["GET"])
