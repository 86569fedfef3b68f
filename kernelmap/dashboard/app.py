"""The Dash app: one callback, from the URL to the page.

The URL is the whole state; every choice is a link. A tick asks again while something is being
worked out, and whenever the store has changed; a page that would look the same is not sent.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeAlias

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.exceptions import DependencyException
from flask import Response
from plotly.utils import PlotlyJSONEncoder

from kernelmap.dashboard import components, guard, reports
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.callbacks import OUTPUTS
from kernelmap.dashboard.pages import PAGES
from kernelmap.dashboard.pages import page as page_of
from kernelmap.errors import KernelmapError
from kernelmap.outputs.downloads import MIMETYPES, written
from kernelmap.outputs.html import STATIC
from kernelmap.present.address import address
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
    made.layout = _layout()
    _answer_urls(made, archive)
    _serve_data(made, archive)
    reports.serve(made.server, archive)
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
        """The page, and the mark by which the browser tells next time what it has."""
        asked = address(path, search)
        before = seen if isinstance(seen, dict) and seen.get("href") == asked.href else {}
        mark = {"href": asked.href, "seen": archive.known.seen}
        if before.get("seen") == mark["seen"] and not before.get("open"):
            return no_update, no_update, no_update, no_update
        found = page_of(asked, archive)
        drawn = components.page(found, asked)
        mark |= {"open": found.waits or found.failed, "digest": _digest(drawn)}
        titles = {name: title for name, (title, _make) in PAGES.items()}
        return (
            no_update if before.get("digest") == mark["digest"] else drawn,
            components.bar(titles, asked),
            mark,
            _SOON if found.waits else _LATER,
        )


def _without(page: Page) -> Response:
    """The answer where a page has no such section, or not yet."""
    if page.waits:
        text, status, headers = "It is being worked out; ask again.\n", 503, {"Retry-After": "1"}
    else:
        text, status, headers = "Nothing of that name is on the page.\n", 404, {}
    return Response(text, status=status, headers=headers, mimetype="text/plain")


def _digest(drawn: Json) -> str:
    raw = PlotlyJSONEncoder(sort_keys=True).encode(drawn)
    return hashlib.sha256(raw.encode()).hexdigest()[:16]


def _serve_data(made: Dash, archive: Archive) -> None:
    """`/data/<section>.<csv|json>/<page>?…` is the frame behind a chart or table."""

    def data(section: str, form: str, path: str = "") -> Response:
        from flask import request

        asked = address(path, request.query_string.decode("utf-8", "replace"))
        try:
            page = page_of(asked, archive)
            found = section_of(page, section)
        except KernelmapError as error:
            return Response(f"{error.message}\n", status=404, mimetype="text/plain")
        if found is None or form not in MIMETYPES:
            return _without(page)
        return Response(
            written(found, form),
            mimetype=MIMETYPES[form],
            headers={"Content-Disposition": f'attachment; filename="{found.id}.{form}"'},
        )

    for rule in ("/data/<section>.<form>/", "/data/<section>.<form>/<path>"):
        made.server.add_url_rule(rule, view_func=data, methods=["GET"])
