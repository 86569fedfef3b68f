"""Run the notebooks of docs/ and keep what their cells show.

    python scripts/notebook.py docs/examples/first-look.ipynb     # writes it anew

A cell is run as Jupyter runs it: what it prints and what its last line gives become its outputs. No
kernel is started and nothing beside the standard library is needed; the tests run it with a kernel
as well where nbclient is installed. Notebooks run in the project's folder.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import usage

PROJECT = Path(__file__).resolve().parents[1]
_PLOTLY = "application/vnd.plotly.v1+json"


def main() -> None:
    """Write the notebooks that are named."""
    parser = usage.parser(__doc__)
    parser.add_argument("notebooks", nargs="+", type=Path, help="files to run and to write")
    for path in parser.parse_args().notebooks:
        path.write_text(executed(path), encoding="utf-8")
        print(f"wrote {path}")


def executed(path: Path) -> str:
    """The notebook with the outputs that its code gives now."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, object] = {"__name__": "__main__"}
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    with chdir(PROJECT):
        for number, cell in enumerate(cells, start=1):
            cell["outputs"] = list(_run("".join(cell["source"]), names, number))
            cell["execution_count"] = number
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _run(source: str, names: dict[str, object], number: int) -> Iterator[dict[str, Any]]:
    """The outputs of one cell; `names` keeps what it defines."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with redirect_stdout(StringIO()) as printed:
        exec(compile(tree, f"cell {number}", "exec"), names)  # noqa: S102 -- our own notebook
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)  # noqa: S307 -- as above
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        yield {"name": "stdout", "output_type": "stream", "text": lines}
    if value is not None:
        yield {
            "data": _shown(value),
            "execution_count": number,
            "metadata": {},
            "output_type": "execute_result",
        }


def _shown(value: Any) -> dict[str, object]:  # noqa: ANN401 -- whatever a cell gives
    """What a notebook shows of a value, by its form; a figure is drawn by the viewer."""
    if hasattr(value, "to_plotly_json"):
        return {_PLOTLY: json.loads(value.to_json()), "text/plain": [f"{type(value).__name__}()"]}
    shown: dict[str, object] = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        shown["text/html"] = str(value._repr_html_()).splitlines(keepends=True)
    return dict(sorted(shown.items()))


if __name__ == "__main__":
    main()
