"""The readable text of an FX graph → what flows where: inputs, uses, outputs, functions, marks.

Beside graph_text.py, which says what each node is. A mark is what `torch.fx.traceback.annotate`
wrote: `# Annotation: {'module': 'layers.0.fc1'} File: …`. Torch cuts a mark's value after 40
characters, so a longer one ends in dots.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_SHAPE = re.compile(r"\"[^\"]*\"")
_INPUT = re.compile(r"(?P<name>[A-Za-z_]\w*)(?: ?: ?\"(?P<shape>[^\"]*)\"| ?: ?[\w.]+)? *(?=,|$)")
_END = re.compile(r"\)(?: ->[^:]*)?:\s*$")
_NODE = re.compile(r"\s+(?P<name>[A-Za-z_]\w*)(?:: (?:\"[^\"]*\"|[^=\"]*?))? = (?P<made>.+)$")
_NAME = re.compile(r"[A-Za-z_]\w*")
_FUNCTION = re.compile(r":\d+ in (?P<function>\S+?)(?:, code:|$)")
_MARK = re.compile(r"Annotation: \{.*?'module': '(?P<module>[^']*)'")
_NO_PLACE = "No stacktrace"
_HEAD, _RETURN = "def forward(", "return"


@dataclass(frozen=True, slots=True)
class Flow:
    """One graph, its nodes in the order of the text.

    `inputs` are the graph's own, in order, with their annotation where the text has one (`f32[8]`);
    `uses` the names that each node takes, inputs and nodes;
    `returned` what the graph gives back, None for a constant; `functions` the user's function that
    a node stands in, `marks` the module that the user's annotation names for it.
    """

    inputs: Mapping[str, str | None] = field(default_factory=dict)
    uses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    returned: tuple[str | None, ...] = ()
    functions: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)


def graph_flow(text: str) -> Flow:
    """The flow of the first graph in `text`; empty where there is none."""
    lines = iter(text.split("\n"))
    inputs = _inputs(lines)
    same = {name: name for name in inputs}
    uses: dict[str, tuple[str, ...]] = {}
    functions: dict[str, str] = {}
    marks: dict[str, str] = {}
    function: str | None = None
    mark: str | None = None
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("#"):
            found = _FUNCTION.search(stripped)
            if found or _NO_PLACE in stripped:
                marked = _MARK.search(stripped)
                function = found["function"] if found else None
                mark = marked["module"] if marked else None
        elif stripped.startswith(_RETURN):
            return Flow(inputs, uses, _returned(stripped, lines, same), functions, marks)
        elif (node := _NODE.match(line)) is not None:
            name, made = node["name"], node["made"].partition(";")[0].strip()
            if made in same:  # `l_x_ = L_x_` gives an input a second name
                same[name] = same[made]
                continue
            taken = (same[word] for word in _NAME.findall(made) if word in same)
            uses[name] = tuple(dict.fromkeys(taken))
            same[name] = name
            if function is not None:
                functions[name] = function
            if mark is not None:
                marks[name] = mark
    return Flow(inputs, uses, (), functions, marks)


def _inputs(lines: Iterator[str]) -> dict[str, str | None]:
    """The names behind `def forward(self, …):`, which may span lines."""
    for line in lines:
        if _HEAD in line:
            head = _signature(line.partition(_HEAD)[2], lines)
            return {found["name"]: found["shape"] for found in _INPUT.finditer(head)}
    return {}


def _signature(first: str, lines: Iterator[str]) -> str:
    """Everything up to the end of the signature, without comments."""
    parts = [first.partition("#")[0]]
    while _END.search(parts[-1]) is None and (line := next(lines, None)) is not None:
        parts.append(line.partition("#")[0])
    return _END.split("".join(parts), maxsplit=1)[0].removeprefix("self")


def _returned(first: str, lines: Iterator[str], same: Mapping[str, str]) -> tuple[str | None, ...]:
    """The names behind `return`, in order."""
    parts = [_bare(first).removeprefix(_RETURN)]
    while _open("".join(parts)) and (line := next(lines, None)) is not None:
        parts.append(_bare(line))
    text = "".join(parts).strip().strip("()[]")
    named = (part.strip(" ()[]") for part in text.split(",") if part.strip(" ()[]"))
    return tuple(same.get(name) for name in named)


def _bare(line: str) -> str:
    """The line without its shapes and its comment."""
    return _SHAPE.sub("", line).partition("#")[0].strip()


def _open(text: str) -> bool:
    return text.count("(") + text.count("[") > text.count(")") + text.count("]")
