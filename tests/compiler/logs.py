"""Small TORCH_TRACE logs for tests: one event per line, payloads behind tabs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

PREFIX = "V1121 07:06:31.925000 8844 torch/_inductor/graph.py:2745] "


class Log:
    """Events in order; every method gives the log back."""

    def __init__(self, compile_id: tuple[int, int, int] | None = (0, 0, 0)) -> None:
        self.compile_id = compile_id
        self.text = ""

    def event(self, head: dict[str, object], payload: str | None = None) -> Log:
        """Any event of this log's compile id."""
        if self.compile_id is not None:
            names = ("frame_id", "frame_compile_id", "attempt")
            head |= dict(zip(names, self.compile_id, strict=True))
        if payload is not None:
            head["has_payload"] = hashlib.md5(payload.encode()).hexdigest()  # noqa: S324 -- the log's own checksum
        self.text += f"{PREFIX}{json.dumps(head)}\n"
        if payload is not None:
            self.text += "".join(f"\t{line}\n" for line in payload.split("\n"))
        return self

    def artifact(self, name: str, payload: object) -> Log:
        """An artifact; what is no text is written as JSON."""
        text = payload if isinstance(payload, str) else json.dumps(payload)
        return self.event({"artifact": {"name": name, "encoding": "string"}}, text)

    def code(self, text: str, filename: str = "/cache/ab/cab.py") -> Log:
        """A piece of generated code."""
        return self.event({"inductor_output_code": {"filename": filename}}, text)

    def at(self, *compile_id: int) -> Log:
        """The next events belong to another compilation."""
        frame, number, attempt = compile_id
        self.compile_id = (frame, number, attempt)
        return self

    def put(self, path: Path) -> Path:
        """Write the log."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.text.encode())
        return path


def graph(*nodes: str, file: str = "/home/me/m.py", first: int = 10) -> str:
    """A graph's text with one node per line of the user's file."""
    lines = ["class GraphModule(torch.nn.Module):", "    def forward(self, x):"]
    for number, node in enumerate(nodes, first):
        lines.append(f"        # File: {file}:{number} in forward, code: {node} = f(x)")
        lines.append(f'        {node}: "f32[4]" = torch.ops.aten.{node}.default(x);  x = None')
    return "\n".join([*lines, "        return ()", ""])
