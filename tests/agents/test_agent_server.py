"""The server as a client of PyPI's `mcp` meets it: the tools, their answers, and the token."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from contextlib import closing, suppress
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agents.asking import Agent
from kernelmap.cli import main
from waiting import run_coroutine

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = ["open", "top", "explain", "which", "diff", "doctor", "ledger", "source"]


async def ask_over_stdio(folder: Path, questions: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """What `kernelmap mcp` tells PyPI's own client: its tools, then each answer."""
    from mcp import ClientSession, StdioServerParameters, stdio_client

    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "kernelmap", "mcp", str(folder)],
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
    )
    async with stdio_client(command) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        told: list[Any] = [(await session.list_tools()).tools]
        for tool, asked in questions:
            answer = await session.call_tool(tool, asked)
            told.append(answer.content[0].text)  # type: ignore[union-attr]
    return told


@pytest.mark.thorough
@pytest.mark.skipif(find_spec("mcp") is None, reason="mcp is not installed")
@pytest.mark.filterwarnings("ignore")
def test_the_server_speaks_with_its_own_client(samples: Path) -> None:
    """Over stdio each tool gives what its function gives, and says that it only reads."""
    questions: list[tuple[str, dict[str, Any]]] = [
        ("open", {"paths": ["cuda_wide_llama"]}),
        ("open", {"paths": ["cuda_wide_llama_unfused"]}),
        ("top", {"recording": "r1", "by": "line", "rows": 3, "sort": "backward_ns"}),
        ("explain", {"recording": "r1", "row": "line#0"}),
        ("which", {"recording": "r1", "name": "aten.mm"}),
        ("diff", {"before": "r1", "after": "r2"}),
        ("doctor", {"recording": "r1"}),
        ("ledger", {"recording": "r1"}),
        ("source", {"recording": "r1", "place": "line#0"}),
        ("top", {"recording": "r7"}),
    ]
    tools, *answers = run_coroutine(ask_over_stdio(samples, questions))
    assert [tool.name for tool in tools] == TOOLS
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
    agent = Agent(samples)
    for (tool, asked), answer in zip(questions, answers, strict=True):
        assert answer == agent.text(tool, **asked)
        assert isinstance(json.loads(answer), dict)


@pytest.mark.parametrize(
    ("given", "status"),
    [(b"Bearer right", 200), (b"Bearer wrong", 401), (b"", 401), (b"right", 401)],
)
def test_http_asks_for_the_token(given: bytes, status: int) -> None:
    """Over HTTP only who sends the token is answered."""
    from kernelmap.agents.server import with_token

    sent: list[Any] = []

    async def application(_scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> dict[str, Any]:
        return {}

    async def send(message: Any) -> None:  # noqa: ANN401
        sent.append(message)

    scope = {"type": "http", "headers": [(b"authorization", given)]}

    async def ask() -> None:
        await with_token(application, "right")(scope, receive, send)

    run_coroutine(ask())
    assert sent[0]["status"] == status


@pytest.mark.thorough
@pytest.mark.skipif(find_spec("mcp") is None, reason="mcp is not installed")
@pytest.mark.filterwarnings("ignore")
def test_it_serves_on_this_machine_alone(samples: Path) -> None:
    """`--http` answers PyPI's client that has the token, nobody without, and only on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "kernelmap", "mcp", str(samples), "--http", str(port)]
    told = {**os.environ, "PYTHONPATH": str(ROOT), "KERNELMAP_MCP_TOKEN": "right"}
    with subprocess.Popen(words, env=told, stderr=subprocess.DEVNULL) as served:  # noqa: S603 -- ours
        try:
            assert run_coroutine(_ask_over_http(port, "right")) == TOOLS
            with closing(HTTPConnection("127.0.0.1", port)) as asked:
                asked.request("POST", "/mcp", body="{}", headers={"Authorization": "Bearer wrong"})
                answer = asked.getresponse()
                assert (answer.status, answer.read()) == (401, b"The token is missing.")
            taken = CliRunner().invoke(main, ["mcp", str(samples), "--http", str(port)])
            assert taken.exit_code == 3
            assert "help port-taken" in taken.stderr
        finally:
            served.terminate()


async def _ask_over_http(port: int, token: str) -> list[str]:
    """The names of the tools, asked as soon as the server listens."""
    import httpx2
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    for _ in range(300):  # a busy machine takes its time to load all that answers need
        with suppress(OSError):
            (_, writer) = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            await writer.wait_closed()
            break
        await asyncio.sleep(0.2)
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as client,
        streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=client) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        return [tool.name for tool in (await session.list_tools()).tools]


def test_without_the_package_it_says_what_to_install(
    samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where `mcp` is missing, the command names the extra."""
    monkeypatch.setattr("kernelmap.agents.server.find_spec", lambda _: None)
    told = CliRunner().invoke(main, ["mcp", str(samples)])
    assert told.exit_code == 2
    assert "help no-mcp" in told.stderr
    assert "[mcp]" in told.stderr
    assert CliRunner().invoke(main, ["mcp", str(samples / "nowhere")]).exit_code == 2
