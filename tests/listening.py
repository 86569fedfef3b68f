"""A server on this machine that keeps what it is sent, and answers with one status."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread


class Listener:
    """`posts` are the paths with what was posted there; a GET is kept with nothing."""

    def __init__(self, status: int, path: str = "/hook") -> None:
        posts: list[tuple[str, bytes]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                posts.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def do_GET(self) -> None:
                posts.append((self.path, b""))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing on stderr."""

        self.posts = posts
        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}{path}"
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
