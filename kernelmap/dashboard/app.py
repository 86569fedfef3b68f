"""The dashboard as a WSGI application: the pages, and the data, reports and files beside them.

The URL is the whole state; every choice is a link. A page asks for itself again while something is
being worked out, and now and then because the store may have changed (static/renew.js); where
neither is so the answer is that it has not changed.

A run's whole report at `/report/<id>` is the file that `kernelmap runs show -o` writes. It is made
in the background and kept packed, since Plotly in it takes megabytes; nothing is written anywhere.
It brings its own content security policy, which allows its scripts by their hashes: that of the
dashboard would forbid them.
"""

from __future__ import annotations

import gzip
import secrets
from functools import cache
from http import HTTPStatus
from wsgiref.types import WSGIApplication

from werkzeug.wrappers import Request, Response

from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.guard import guarded
from kernelmap.dashboard.html_page import Around, render_page, served_files
from kernelmap.dashboard.pages import PAGES, missing, page_at
from kernelmap.errors import KernelmapError
from kernelmap.pages.address import REPORT, Address, parse_address
from kernelmap.pages.csv import MIMETYPES, written
from kernelmap.pages.page import Figure, Page, PageTable, section_of
from kernelmap.pages.render.html import Places
from kernelmap.pages.report import Content, render_report

_FILES = "static"
_STYLE, _SCRIPT = "text/css", "text/javascript"
_FRAMES = "frame-ancestors 'none'"  # what a report cannot say of itself; the rest it does
_AGAIN = 1  # seconds until a browser asks again for what is being made


def make_app(archive: Archive, *, token: str | None = None, local: bool = True) -> WSGIApplication:
    """The application over an archive that is kept looking; the rest as guard.py wants it."""
    born = secrets.token_hex(4)  # marks of an earlier server say nothing of this one's pages

    def answer(request: Request) -> Response:
        match request.path.split("/")[1:]:
            case ["static", name]:
                return _file(name, request)
            case ["favicon.ico"]:  # which browsers ask for by themselves; pages have no icon
                return Response(status=HTTPStatus.NO_CONTENT)
            case ["data", name, *path]:
                return _data(name, _address("/".join(path), request), archive)
            case ["report", run_id]:
                return _report(run_id, request, archive)
        return _page(request, archive, born)

    return Request.application(guarded(answer, token=token, local=local))


def data_href(asked: Address, section_id: str, form: str) -> str:
    """Where the data of a section are downloaded."""
    return f"/data/{section_id}.{form}{asked.href}"


def _address(path: str, request: Request) -> Address:
    return parse_address(path, request.query_string.decode("utf-8", "replace"))


def _page(request: Request, archive: Archive, born: str) -> Response:
    """The page of a URL; 404 for what is not there, which the page says, too."""
    # Read before the page is made: what changes meanwhile is sent with the next question.
    mark = f"{born}-{archive.snapshot.seen}"
    if request.if_none_match.contains(mark):
        return Response(status=HTTPStatus.NOT_MODIFIED, headers={"ETag": f'"{mark}"'})
    asked = _address(request.path, request)
    shown = page_at(asked, archive)
    # A page that waits for an answer, or that failed, gets no mark: the browser asks for it anew.
    is_settled = not (shown.waits or shown.failed)
    around = Around(
        places=_places(asked),
        static=f"/{_FILES}/",
        titles={name: title for name, (title, _make) in PAGES.items()},
        mark=mark if is_settled else None,
    )
    text = render_page(shown, asked, around)
    response = Response(
        text.encode("utf-8", "backslashreplace"),
        status=HTTPStatus.OK if missing(asked, archive) is None else HTTPStatus.NOT_FOUND,
        mimetype="text/html",
        headers={"Cache-Control": "private, no-cache"},
    )
    if is_settled:
        response.set_etag(mark)
    return response


def _places(asked: Address) -> Places:
    """Every view is there, and the data of each section that has a name."""

    def data(section: Figure | PageTable) -> list[tuple[str, str]]:
        forms = MIMETYPES if section.id else ()
        return [(form, data_href(asked, section.id, form)) for form in forms]

    return Places(view=lambda to: to.href, data=data, served=True)


def _data(name: str, asked: Address, archive: Archive) -> Response:
    """`/data/<section>.<csv|json>/<page>?…` is the frame behind a chart or table."""
    section_id, _, form = name.rpartition(".")
    try:
        page = page_at(asked, archive)
        part = section_of(page, section_id)
    except KernelmapError as error:
        return _text(f"{error.message}\n", HTTPStatus.NOT_FOUND)
    if part is None or form not in MIMETYPES:
        return _without(page)
    return Response(
        written(part, form),
        mimetype=MIMETYPES[form],
        headers={"Content-Disposition": f'attachment; filename="{part.id}.{form}"'},
    )


def _without(page: Page) -> Response:
    """The answer where a page has no such section, or not yet."""
    if not page.waits:
        return _text("Nothing of that name is on the page.\n", HTTPStatus.NOT_FOUND)
    answer = _text("It is being worked out; ask again.\n", HTTPStatus.SERVICE_UNAVAILABLE)
    answer.headers["Retry-After"] = "1"
    return answer


def packed(run_id: str, archive: Archive) -> bytes:
    """The report as gzipped HTML. Raises NotYetError, and what the store raises."""

    def work(_: object) -> bytes:
        run = archive.store.open(run_id)
        return gzip.compress(
            render_report(Content(tables=run.tables, name=run.name)).encode(), mtime=0
        )

    # A run never changes, so its report belongs to no listing.
    return archive.ask((REPORT, run_id), f"making the report of run {run_id}", work)


def _report(run_id: str, request: Request, archive: Archive) -> Response:
    """`/report/<id>`; while the report is being made, a text that asks again."""
    try:
        page = packed(run_id, archive)
    except NotYetError as waiting:
        answer = _text(f"{waiting.what} …\n")
        answer.headers.extend({"Refresh": str(_AGAIN), "Cache-Control": "no-store"})
        return answer
    except KernelmapError as error:
        return _text(f"{error.message}\n{error.hint}\n", HTTPStatus.NOT_FOUND)
    headers = {"Content-Security-Policy": _FRAMES, "Vary": "Accept-Encoding"}
    if request.accept_encodings.best_match(["gzip"]):
        headers["Content-Encoding"] = "gzip"
    else:
        page = gzip.decompress(page)
    return Response(page, mimetype="text/html", headers=headers)


def _file(name: str, request: Request) -> Response:
    """`/static/<name>`: the style and the scripts of pages."""
    text = _files().get(name)
    if text is None:
        return _text("There is no such file.\n", HTTPStatus.NOT_FOUND)
    answer = Response(text, mimetype=_STYLE if name.endswith(".css") else _SCRIPT)
    answer.cache_control.no_cache = True
    answer.add_etag()
    return answer.make_conditional(request)


@cache
def _files() -> dict[str, bytes]:
    return {name: text.encode() for name, text in served_files().items()}


def _text(text: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    return Response(text, status=status, mimetype="text/plain")
