"""Who may look at the dashboard, and what a browser may do with what it gets."""

from __future__ import annotations

from urllib.parse import quote
from wsgiref.types import WSGIApplication

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

pytest.importorskip("werkzeug", reason="werkzeug is not installed")

from werkzeug.datastructures import Headers
from werkzeug.test import Client, create_environ, run_wsgi_app
from werkzeug.wrappers import Request, Response

from kernelmap.dashboard import guard

TOKEN = "a b&c=ü/?"  # noqa: S105 -- a test's


def application(token: str | None = None, *, local: bool = True) -> WSGIApplication:
    """A server that says the path that it was asked for."""

    def answer(request: Request) -> Response:
        return Response(f"seen {request.path}")

    return Request.application(guard.guarded(answer, token=token, local=local))


def client(token: str | None = None, *, local: bool = True) -> Client:
    """A browser before it."""
    return Client(application(token, local=local))


def with_token(path: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}token={quote(TOKEN)}"


@pytest.mark.parametrize(
    "host", ["localhost", "LocalHost:8765", "127.0.0.1:80", "127.8.9.1", "[::1]:8765"]
)
def test_this_machine_is_served_by_its_own_names(host: str) -> None:
    """Bound to this machine, the dashboard answers to the names of this machine."""
    assert client().get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8765",
        "evil.example:127",
        "192.168.0.7",
        "0.0.0.0",  # noqa: S104 -- nothing is bound
        "[::]",
        "127.0.0.1@evil.example",
        "localhost@evil.example",
        "[",
        "a b",
        "",
    ],
)
def test_other_names_are_refused(host: str) -> None:
    """A request under a foreign host name gets nothing."""
    # The client would look into the name for its cookies.
    body, status, _ = run_wsgi_app(application(), create_environ(headers={"Host": host}))

    assert status.startswith("421 ")
    assert b"seen" not in b"".join(body)


def test_with_a_token_the_name_counts_as_well() -> None:
    """Bound to this machine, no other name is served; bound to more, every name is."""
    evil = {"Host": "evil.example"}

    assert client(TOKEN).get(with_token("/"), headers=evil).status_code == 421
    assert client(TOKEN, local=False).get(with_token("/"), headers=evil).status_code == 302


FOREIGN = [
    "http://evil.example",
    "http://localhost:1",
    "https://localhost.evil.example",
    "http://evil.example@localhost",
    "file://",
    "null",
    "localhost",
    "",
    "http://[",
    "\x1b[31m",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_what_another_sites_page_asks_for_is_refused(origin: str) -> None:
    """Any other origin gets nothing, with the cookie, with the token, and without either."""
    browser = client(TOKEN)
    browser.get(with_token("/"))
    for asking, path in ((client(), "/"), (browser, "/"), (browser, with_token("/"))):
        answer = asking.get(path, headers={"Origin": origin})

        assert answer.status_code == 403
        assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8765", "[::1]:81", "LOCALHOST:1"])
def test_the_dashboards_own_pages_may_ask(host: str) -> None:
    """The origin of the server itself is none of another site, also behind a proxy with TLS."""
    for scheme in ("http", "https"):
        headers = {"Host": host, "Origin": f"{scheme}://{host.lower()}"}

        assert client().get("/", headers=headers).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_may_link_to_a_page_but_not_embed_it(site: str) -> None:
    """A browser that says where a request comes from is believed: links work, pictures do not."""
    link = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
    picture = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}

    assert client().get("/", headers=link).status_code == 200
    assert client().get("/", headers=picture).status_code == 403


@pytest.mark.parametrize("token", [None, TOKEN])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "X"])
def test_only_reading_is_possible(method: str, token: str | None) -> None:
    """No method but GET and HEAD is let in, and the refusal says so."""
    browser = client(token)
    if token:
        browser.get(with_token("/"))
    answer = browser.open("/", method=method)

    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, HEAD"


def test_the_token_opens_once_in_the_url_and_then_as_a_cookie() -> None:
    """The URL with the token leads to the same view without it, and the browser stays known."""
    browser = client(TOKEN)
    first = browser.get(with_token("/item?kind=op&key=aten.mm"))

    assert first.status_code == 302
    assert first.headers["Location"] == "/item?kind=op&key=aten.mm"
    assert browser.get("/item").text == "seen /item"


def test_the_cookie_is_of_no_use_to_scripts_and_does_not_hold_the_token() -> None:
    """HttpOnly and SameSite; what it holds is derived from the token."""
    cookie = client(TOKEN).get(with_token("/")).headers["Set-Cookie"]

    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert TOKEN not in cookie
    assert quote(TOKEN) not in cookie


def test_dashboards_on_one_host_do_not_take_each_others_cookies() -> None:
    """Ports share cookies, so each token has a cookie of its own name."""
    names = {
        client(token).get(f"/?token={token}").headers["Set-Cookie"].split("=")[0]
        for token in ("one", "two")
    }

    assert len(names) == 2


@pytest.mark.parametrize("path", ["/", "/static/page.js", "/report/x", "/data/times.csv/"])
@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token=%ff", "?TOKEN=a"])
def test_without_the_token_there_is_nothing(path: str, query: str) -> None:
    """No path answers to a browser that does not know the token."""
    answer = client(TOKEN).get(path + query)

    assert answer.status_code == 401
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("value", ["", "x", "ü", "\xff", TOKEN])
def test_a_made_up_cookie_is_none(value: str) -> None:
    """Only the derived secret is a login: neither the token itself nor anything else."""
    browser = client(TOKEN)
    name = browser.get(with_token("/")).headers["Set-Cookie"].split("=")[0]
    browser.delete_cookie(name)
    browser.set_cookie(name, value)

    assert browser.get("/").status_code == 401


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
@example("/evil.example/")
@example("/::")
@example("\\evil.example")
@example("/\\evil.example/..//")
@example("\t/evil.example")
@example("https:evil.example")
def test_the_way_back_stays_on_this_server(path: str) -> None:
    """Whatever path comes with the token, the redirection is to a path of this server."""
    # As a server hands it on: a client would take `//host` for the name of another one.
    asked = {"PATH_INFO": f"/{path}".encode().decode("latin-1")}
    browser = client(TOKEN, local=False)
    answer = browser.get("/", query_string={"token": TOKEN}, environ_overrides=asked)

    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/")
    assert not answer.headers["Location"].startswith(("//", "/\\"))
    assert not set(answer.headers["Location"]) & set("\r\n\t\\")


@pytest.mark.parametrize("path", ["/", "/static/page.js"])
@pytest.mark.parametrize("token", [None, TOKEN])
def test_every_answer_carries_the_policy(path: str, token: str | None) -> None:
    """Refusals too: only our own files run, nothing is embedded, nothing is guessed or passed."""
    headers = client(token).get(path).headers
    policy = directives(headers)

    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == ["'self'"]
    assert policy["connect-src"] == ["'self'"]
    assert policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
    assert not any("*" in value for values in policy.values() for value in values)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def directives(headers: Headers) -> dict[str, list[str]]:
    """A policy, directive by directive."""
    parts = [part.split() for part in headers["Content-Security-Policy"].split(";")]
    return {name: values for name, *values in parts}


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "[::1]", "localhost", "127.9.9.9"])
def test_what_is_bound_to_this_machine_is_known(host: str) -> None:
    """All addresses of the loopback are this machine's."""
    assert guard.is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example", "", "localhost."])  # noqa: S104 -- nothing is bound
def test_what_is_bound_to_more_is_known(host: str) -> None:
    """Everything else needs a token."""
    assert not guard.is_loopback(host)
