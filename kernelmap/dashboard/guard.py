"""Checks requests: token, host and origin, and what a browser may do with the pages.

Takes what answers requests, gives the same with checks before and headers after every answer. Bound
to this machine only, the name that the browser asked for must be this machine's, so that no other
site's script reaches the store through a name of its own (DNS rebinding). What another site's page
asks for is refused. A token is needed once in the URL and then as a cookie that scripts cannot
read. Only reading is possible at all.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from http import HTTPStatus
from ipaddress import ip_address
from typing import TypeAlias
from urllib.parse import quote, urlencode, urlsplit

from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

Answer: TypeAlias = Callable[[Request], Response]

PARAMETER = "token"
_METHODS = ("GET", "HEAD")
_ELSEWHERE = {"cross-site", "same-site"}  # the latter: another port of this machine
_POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",  # Plotly writes styles
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
)
_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Whether a host to bind, or of a URL, is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def guarded(answer: Answer, *, token: str | None, local: bool = True) -> Answer:
    """The same answers for those who may look, each with a content security policy.

    `token` is None where everybody who reaches the server may look. `local` says that it is bound
    to this machine only.
    """

    def checked(request: Request) -> Response:
        # What everybody is refused comes first, then who may look, then the answer.
        response = _refusal(request, local=local)
        if response is None and token is not None:
            response = _login(request, token)
        if response is None:
            response = answer(request)
        response.headers.setdefault("Content-Security-Policy", "; ".join(_POLICY))
        response.headers.update(_HEADERS)
        return response

    return checked


def _refusal(asked: Request, *, local: bool) -> Response | None:
    """Why everybody is refused this; None where it depends on who asks."""
    if asked.method not in _METHODS:
        refused = Response("The dashboard only reads.", HTTPStatus.METHOD_NOT_ALLOWED)
        refused.headers["Allow"] = ", ".join(_METHODS)
        return refused
    if local and not is_loopback(_host_name(asked)):
        return Response("This name is not served here.", HTTPStatus.MISDIRECTED_REQUEST)
    if _is_foreign(asked):
        return Response("The page of another site has asked for this.", HTTPStatus.FORBIDDEN)
    return None


def _host_name(asked: Request) -> str:
    """The name that the browser asked for, without the port; empty where it is none."""
    try:
        return urlsplit(f"//{_host(asked)}").hostname or ""
    except ValueError:
        return ""


def _host(asked: Request) -> str:
    return asked.headers.get("Host", "")


def _is_foreign(asked: Request) -> bool:
    """Whether a page of another site has asked; one that follows a link to here has not."""
    origin = asked.headers.get("Origin")
    # A script of another site sends its own name along; the name of this server stands in Host.
    if origin is not None:
        return origin.partition("://")[2].lower() != _host(asked).lower()
    site = asked.headers.get("Sec-Fetch-Site", "none")
    # A link from another site may lead here; a picture or a script of that site may not.
    return site in _ELSEWHERE and asked.headers.get("Sec-Fetch-Mode") != "navigate"


def _login(asked: Request, token: str) -> Response | None:
    """The way to a cookie for who has the token, None for who has the cookie, else a refusal."""
    secret = _secret(token)
    name = f"kernelmap-{secret[:8]}"  # ports share cookies: a name for each dashboard
    given = asked.args.get(PARAMETER)
    if given is not None and _is_same(given, token):
        # The token leaves the address, so that it stands in no history and no link that is passed
        # on.
        rest = {key: value for key, value in asked.args.items() if key != PARAMETER}
        answer = redirect(_same_view(asked.path, rest), Response=Response)
        answer.set_cookie(name, secret, httponly=True, samesite="Lax")  # links lead here
        return answer
    if _is_same(asked.cookies.get(name, ""), secret):
        return None
    return Response(
        "Open the address with the token that `kernelmap dashboard` printed.",
        HTTPStatus.UNAUTHORIZED,
    )


def _is_same(given: str, secret: str) -> bool:
    """Whether two texts are equal, in a time that does not tell how far they are."""
    return hmac.compare_digest(given.encode(), secret.encode())


def _secret(token: str) -> str:
    """What the cookie holds: whoever reads it does not learn the token."""
    return hmac.new(token.encode(), b"kernelmap dashboard", hashlib.sha256).hexdigest()


def _same_view(path: str, parameters: Mapping[str, str]) -> str:
    """The address without the token, on this server: never //host."""
    query = f"?{urlencode(parameters)}" if parameters else ""
    return "/" + quote(path.lstrip("/")) + query
