"""The debug printer's variables, for a shell, as JSON or as Markdown.

Takes Settings, gives text. The text for a shell is a script: assignments, and comments around them,
so that it can be copied as a whole, or evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from kernelmap.outputs.json import indented
from kernelmap.outputs.layout import Part, draw
from kernelmap.outputs.markdown import code, line
from kernelmap.present.text import visible

if TYPE_CHECKING:  # the settings know the pipeline, which lies above
    from kernelmap.printing import Chosen, Settings

_WHAT = {
    1: "saves the tensors around every launch into ./tmp of the folder in which the model runs",
    2: "prints the values of tensors around every launch, and of the model's inputs",
    3: "prints the name of every kernel before and after its launch",
}
_COMPILE = "Set while the model is compiled: a package that exists does not read it."
_READ = {
    1: "Then: kernelmap debug-printer CODE... --saved FOLDER --load",
    2: "Then, with the program's output in a file: kernelmap debug-printer CODE... --log FILE",
    3: "Then run it without buffers (python -u, or stdbuf -oL COMMAND), or the last lines are lost"
    " when it dies; and: kernelmap debug-printer CODE... --log FILE",
}


def render(settings: Settings, width: int) -> Text:
    """A script for a shell: what the level does, the calls as a table, the assignments."""
    lines = [f"# Level {settings.level} {_WHAT[settings.level]}.", f"# {_COMPILE}", "#"]
    table = [each.plain for each in _table(settings.chosen, width - 2)]
    lines += [f"# {text}".rstrip() for text in table]
    texts = [Text(text, "dim") for text in lines]
    texts += [Text(f"export {assignment}", "bold") for assignment in settings.assignments]
    texts.append(Text(f"# {_READ[settings.level]}", "dim"))
    return Text("\n").join([*texts, Text()])


def dumps(settings: Settings) -> str:
    """The variables and the calls as one JSON object."""
    return indented(
        {
            "format": "kernelmap.debug-printer",
            "version": 1,
            "level": settings.level,
            "environment": dict(settings.variables),
            "assignments": settings.assignments,
            "calls": settings.chosen,
            "notices": settings.notices,
        }
    )


def markdown(settings: Settings) -> str:
    """What the level does, the assignments as code, the calls as a table."""
    head = ["call", "wrapper", "printed as", "ops", "lines"]
    lines = [f"Level {settings.level} {_WHAT[settings.level]}. {_COMPILE}", ""]
    lines += [f"    export {assignment}" for assignment in settings.assignments]
    lines += ["", line(head), line(["---"] * len(head))]
    for each in settings.chosen:
        cells = (each.call, each.wrapper, *map(", ".join, (each.names, each.ops, each.lines)))
        lines.append(line([code(cell, empty="") for cell in cells]))
    return "\n".join([*lines, "", _READ[settings.level], ""])


def _table(chosen: Sequence[Chosen], width: int) -> Iterator[Text]:
    """The calls with what the printer calls them; a name that differs from the wrapper is told."""
    parts = [
        Part(header="call", cells=[visible(each.call) for each in chosen]),
        Part(header="wrapper", cells=[visible(each.wrapper) for each in chosen], least=26),
        Part(header="printed as", cells=[_named(each) for each in chosen], least=20, rank=1),
        Part(
            header="original ops",
            cells=[visible(", ".join(each.ops)) for each in chosen],
            least=18,
            rank=2,
        ),
    ]
    yield from draw([part for part in parts if any(part.cells)], width, [False] * len(chosen))


def _named(call: Chosen) -> str:
    if not call.names:
        return "(never)"
    return "" if call.names == (call.wrapper,) else visible(" or ".join(call.names))
