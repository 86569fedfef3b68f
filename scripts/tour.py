"""The rooms with their imports, and the first line of every module: the text of docs/tour.md.

The order is that of the layers in pyproject.toml, from the lowest up. make_docs.py writes the page.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
_HEAD = """<!-- Made by scripts/make_docs.py; do not edit. -->
# A tour of the modules

What each module gives, by its own first line, in the order in which data flows: a layer uses those
above it and none below. [How it works](how-it-works.md) has the rules,
[CONTRIBUTING.md](../CONTRIBUTING.md) says where to add something.

One thing followed from file to answer, with the functions in order, is shorter to read: the path of
[a launch](how-it-works.md#the-path-of-a-launch), [a run](paths/run.md),
[a difference](paths/difference.md), [a rank](paths/rank.md).
"""
_PICTURE = """An arrow leads from a room to one that it imports from, with the number of imports.
What two arrows say together is left out, as are errors, options and the like, which all rooms use.
`pipeline` are the files that put the rooms together: {together}.

```mermaid
flowchart LR
{arrows}
```
"""
_TOGETHER = ("inputs", "bundles", "likeness", "annotating", "correlation", "pipeline")


def tour(package: Path = PROJECT / "kernelmap") -> str:
    """The whole page."""
    sections = [section for path in _layers(package) for section in _section(path, package)]
    return "\n".join([_HEAD, picture(package), *sections])


def picture(package: Path = PROJECT / "kernelmap") -> str:
    """The imports between rooms, without those that follow from others."""
    counts = imports_between_rooms(package)
    reached = {room: _reached(room, counts) for pair in counts for room in pair}
    arrows = [
        f"    {room} -->|{count}| {other}"
        for (room, other), count in sorted(counts.items())
        if not any(other in reached[third] for first, third in counts if first == room)
    ]
    together = ", ".join(f"{name}.py" for name in _TOGETHER)
    return _PICTURE.format(together=together, arrows="\n".join(arrows))


def imports_between_rooms(package: Path = PROJECT / "kernelmap") -> Counter[tuple[str, str]]:
    """How many imports lead from one room to another, those for types and in functions included."""
    counts: Counter[tuple[str, str]] = Counter()
    for path in package.rglob("*.py"):
        room = _room(path.relative_to(package).with_suffix("").parts[0], package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                f"{package.name}."
            ):
                other = _room((node.module or "").split(".")[1], package)
                if room and other and room != other:
                    counts[room, other] += 1
    return counts


def _room(name: str, package: Path) -> str | None:
    """The room of a folder or file of the package; None for what all rooms use."""
    if (package / name).is_dir():
        return name
    return "pipeline" if name in _TOGETHER else None


def _reached(room: str, counts: Iterable[tuple[str, str]]) -> set[str]:
    """The rooms that arrows lead to from a room, however many there are on the way."""
    found: set[str] = set()
    ahead = [room]
    while ahead:
        here = ahead.pop()
        new = {other for first, other in counts if first == here} - found
        found |= new
        ahead += new
    return found


def first_line(module: Path) -> str:
    """The first line of the module's docstring; ValueError where it has none."""
    # Read as text, not as syntax: to parse all modules takes a second.
    with module.open(encoding="utf-8") as lines:
        line = lines.readline().rstrip("\n").removeprefix("r")
    if not line.startswith('"""'):
        raise ValueError(f"{module} does not say what it gives")
    return line.removeprefix('"""').removesuffix('"""')


def _layers(package: Path) -> Iterator[Path]:
    """Modules and packages of the first contract on layers, lowest first; then all others."""
    project = tomllib.loads((package.parent / "pyproject.toml").read_text(encoding="utf-8"))
    contract = project["tool"]["importlinter"]["contracts"][0]
    named = [
        package.parent / name.strip().replace(".", "/")
        for layer in reversed(contract["layers"])
        for name in layer.split("|")
    ]
    listed = [path if path.is_dir() else path.with_suffix(".py") for path in named]
    rest = {it for it in package.iterdir() if it.suffix == ".py" or (it / "__init__.py").exists()}
    return iter([*listed, *sorted(rest - {*listed})])


def _section(path: Path, package: Path) -> Iterator[str]:
    """The heading of a layer with its line, and a table of its modules if it is a package."""
    is_package = path.is_dir()
    yield f"## {path.relative_to(package).as_posix()}\n"
    yield f"{first_line(path / '__init__.py' if is_package else path)}\n"
    if is_package:
        modules = sorted(it for it in path.rglob("*.py") if it != path / "__init__.py")
        rows = [f"| {_name(it, path)} | {_cell(first_line(it))} |" for it in modules]
        yield "\n".join(["| module | what it gives |", "|---|---|", *rows]) + "\n"


def _name(module: Path, package: Path) -> str:
    """The module within its package; a package within it ends in a slash."""
    relative = module.relative_to(package)
    is_package = relative.name == "__init__.py"
    return f"{relative.parent.as_posix()}/" if is_package else relative.as_posix()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
