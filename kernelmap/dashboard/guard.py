"""Who may look, what may be asked, and what a browser may do with the pages.

Takes a Flask app, adds checks before and headers after every request. Bound to this machine only,
the name that the browser asked for must be this machine's, so that no other site's script reaches
the store through a name of its own (DNS rebinding). What another site's page asks for is refused.
A token is needed once in the URL and then as a cookie that scripts cannot read.

Only reading is possible at all. What is posted is the question of the dashboard's one callback; it
is written anew from what was checked, because Dash trusts the shape of what it gets. Fields that
are not needed, such as which input has changed, are left out.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from io import BytesIO
from ipaddress import ip_address
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec
from flask import Flask, Request, Response, redirect, request

OUTPUTS = (("page", "children"), ("bar", "children"), ("seen", "data"), ("tick", "interval"))
"""What an answer changes: pairs of an element's id and its property."""

_OUTPUT = "..{}..".format("...".join(f"{name}.{key}" for name, key in OUTPUTS))
_Plain: TypeAlias = str | int | float | bool | None


class WrongShapeError(Exception):
    """A body that asks for no callback of the dashboard's."""


class _Path(msgspec.Struct):
    id: Literal["url"]
    property: Literal["pathname"]
    value: str | None = None


class _Search(msgspec.Struct):
    id: Literal["url"]
    property: Literal["search"]
    value: str | None = None


class _Tick(msgspec.Struct):
    id: Literal["tick"]
    property: Literal["n_intervals"]
    value: int | None = None


class _Seen(msgspec.Struct):
    id: Literal["seen"]
    property: Literal["data"]
    value: dict[str, _Plain] | list[_Plain] | _Plain = None


class _Asked(msgspec.Struct):
    output: str
    inputs: tuple[_Path, _Search, _Tick]
    state: tuple[_Seen]


def checked(body: bytes) -> bytes:
    """The question in a body, written anew as JSON. Raises WrongShapeError."""
    try:
        asked = msgspec.json.decode(body, type=_Asked)
        question = {
            "output": asked.output,
            "outputs": [{"id": name, "property": key} for name, key in OUTPUTS],
            "inputs": asked.inputs,
            "state": asked.state,
            "changedPropIds": [],
        }
        again = msgspec.json.encode(question)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise WrongShapeError(str(error)) from error
    if asked.output != _OUTPUT:
        raise WrongShapeError("no such callback")
    return again


PARAMETER = "token"
_METHODS = {"GET", "HEAD", "OPTIONS"}
_ELSEWHERE = {"cross-site", "same-site"}  # the latter: another port of this machine
_UPDATE = "/_dash-update-component"  # the one that posts; it changes nothing


def is_loopback(host: str) -> bool:
    """Whether a host to bind, or of a URL, is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def protect(
    app: Flask, *, token: str | None, script_hashes: Sequence[str], local: bool = True
) -> None:
    """Check every request and answer with a content security policy.

    `token` is None where everybody who reaches the server may look. `local` says that it is bound
    to this machine only. `script_hashes` are those of the inline scripts, as CSP writes them.
    """
    policy = _policy(script_hashes)
    secret = "" if token is None else _secret(token)
    name = f"kernelmap-{secret[:8]}"  # ports share cookies: a name for each dashboard

    app.before_request(lambda: _refusal(request, local=local))

    @app.before_request
    def check_token() -> Response | tuple[str, int] | None:
        if token is None:
            return None
        given = request.args.get(PARAMETER)
        if given is not None and hmac.compare_digest(given.encode(), token.encode()):
            rest = {key: value for key, value in request.args.items() if key != PARAMETER}
            answer = redirect(_same(request.path, rest))
            answer.set_cookie(name, secret, httponly=True, samesite="Lax")  # links lead here
            return answer  # type: ignore[return-value] # werkzeug's response is Flask's
        shown = request.cookies.get(name, "")
        if hmac.compare_digest(shown.encode(), secret.encode()):
            return None
        return "Open the address with the token that `kernelmap dashboard` printed.", 401

    app.before_request(_check_question)

    @app.after_request
    def add_headers(answer: Response) -> Response:
        answer.headers.setdefault("Content-Security-Policy", policy)
        answer.headers["X-Content-Type-Options"] = "nosniff"
        answer.headers["Referrer-Policy"] = "no-referrer"
        answer.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        return answer


def _refusal(asked: Request, *, local: bool) -> tuple[str, int] | None:
    """Why everybody is refused this; None where it depends on who asks."""
    if asked.method not in _METHODS and asked.path != _UPDATE:
        return "The dashboard only reads.", 405
    if local and not is_loopback(urlsplit(f"//{asked.host}").hostname or ""):
        return "This name is not served here.", 421
    if _is_foreign(asked):
        return "The page of another site has asked for this.", 403
    return None


def _check_question() -> tuple[str, int] | None:
    """Hand what is posted on in the one shape that there is, or refuse it."""
    if request.path != _UPDATE or request.method != "POST":
        return None
    if not request.is_json:
        return "A question is JSON.", 415
    try:
        body = checked(request.environ["wsgi.input"].read(request.content_length or 0))
    except WrongShapeError:
        return "This is no question of the dashboard's.", 400
    request.environ |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}
    return None


def _is_foreign(asked: Request) -> bool:
    """Whether a page of another site has asked; one that follows a link to here has not."""
    origin = asked.headers.get("Origin")
    if origin is not None:
        return origin.partition("://")[2].lower() != asked.host.lower()
    site = asked.headers.get("Sec-Fetch-Site", "none")
    return site in _ELSEWHERE and asked.headers.get("Sec-Fetch-Mode") != "navigate"


def _policy(script_hashes: Sequence[str]) -> str:
    """Scripts are our own files and the inline ones named; styles may stand inline for Plotly."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' {' '.join(script_hashes)}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


def _secret(token: str) -> str:
    """What the cookie holds: whoever reads it does not learn the token."""
    return hmac.new(token.encode(), b"kernelmap dashboard", hashlib.sha256).hexdigest()


def _same(path: str, parameters: dict[str, str]) -> str:
    from urllib.parse import quote, urlencode

    query = f"?{urlencode(parameters)}" if parameters else ""
    return "/" + quote(path.lstrip("/")) + query  # never //host
