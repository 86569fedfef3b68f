"""The readable text of an FX graph → its nodes, and the flow of values between them.

Takes what `print_readable` writes: the graph events of a TORCH_TRACE log, and in a folder of
torch_compile_debug `fx_graph_readable.py` and `fx_graph_transformed.py`.

`parse_graph_text` gives the target, shape and source line of each node. Graphs that a node runs
(the branches of `cond`, the body of `while_loop`, the region of `invoke_subgraph`) stand as classes
inside of the class; their nodes bear the same names as others, so they are called
`true_graph_0.add` here. A comment `# File: …` holds for the nodes below it, up to the next one. The
text names one frame per node, and where that frame is torch's own the node has no line. Left out:
placeholders, outputs, arguments.

`read_graph_text` also gives the flow of the text's first graph: the inputs, the uses, the outputs,
and for each node the user's function and annotation. `torch.fx.traceback.annotate` is written as `#
Annotation: {'module': 'layers.0.fc1'} File: …`; torch cuts its value after 40 characters, so a
longer one ends in dots.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.facts.stack_traces import is_torch, says_what_runs
from kernelmap.model import GraphText, SourceLine

# A place in a comment: `File: m.py:7 in forward, code: x = a + b`.
_PLACE = re.compile(
    r"File: (?P<file>.+?):(?P<line>\d{1,18})(?!\d)(?: in .*?)?(?:, code: (?P<code>.*))?$"
)
# A node's line: `add: "f32[8]" = torch.ops.aten.add.Tensor(a, b)`; older text has a bare type.
_NODE = re.compile(
    r"\s+(?P<name>[A-Za-z_]\w*)(?:: (?P<shape>\"[^\"]*\"|[^=\"]*?))? = (?P<made>.+)$"
)
# Ways in which a node can be made: a call, an item, an operation with a sign.
_CALLED = re.compile(r"(?P<target>[A-Za-z_][\w.]*)\(")
_ITEM = re.compile(r"[A-Za-z_]\w*\[")
_OPERATION = re.compile(r"\S+ (?P<sign>[-+*/@%]|//|\*\*|[<>]=?|[=!]=|[&|^]|<<|>>) \S")
# A name alone on the right (`x = L_x_`, `left = self.true_graph_0`) makes no node.
_ALONE = re.compile(r"[\w.]+(?:;|$)")
# Inner graphs stand as classes; the indentation tells which one holds which.
_CLASS = re.compile(r"(?P<indent>\s*)class (?P<name>[^\s(]+)\(")
_ATTRIBUTE = re.compile(r"self\.(?P<attribute>\w+)(?:;|$)")
_NO_PLACE = "No stacktrace"
# The sign in the text → the function of Python's `operator` that the graph calls.
_OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
    "==": "eq",
    "!=": "ne",
    "&": "and_",
    "|": "or_",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
_SHAPE = re.compile(r"\"[^\"]*\"")
# One input of the signature, with its shape where the text has one.
_INPUT = re.compile(r"(?P<name>[A-Za-z_]\w*)(?: ?: ?\"(?P<shape>[^\"]*)\"| ?: ?[\w.]+)? *(?=,|$)")
# The end of the signature, with or without a type of the result.
_END = re.compile(r"\)(?: ->[^:]*)?:\s*$")
# A name that a node takes. The words of an operator stand behind dots: `aten.permute.default` is no
# use of the node `permute`.
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
# The user's function that a comment names: `m.py:7 in forward, code: …`.
_FUNCTION = re.compile(r":\d+ in (?P<function>\S+?)(?:, code:|$)")
_ANNOTATION = re.compile(r"Annotation: \{.*?'module': '(?P<module>[^']*)'")
# Where the body of a graph begins and ends.
_HEAD, _RETURN = "def forward(", "return"


class TextNode(Struct, frozen=True, kw_only=True):
    """A node as the text writes it; `shape` is its annotation: `f32[8, 16][16, 1]cuda:0`.

    `line` is one of the user's code, `torch_line` one of torch's own where the text names no other.
    `at` is its line in that text, from 1. `runs` are the graphs inside of this one that it takes,
    each with the name that the text gives it first: `left = self.true_graph_0`. `module`
    (modules.py) and `uses`, the names that it takes (Flow), are filled in later.
    """

    target: str | None
    shape: str | None
    line: SourceLine | None
    torch_line: SourceLine | None = None
    module: str | None = None
    uses: tuple[str, ...] = ()
    at: int | None = None
    runs: tuple[tuple[str, str], ...] = ()

    @property
    def stated_line(self) -> SourceLine | None:
        """The line that the text names, whosever it is."""
        return self.line or self.torch_line


_Lines = Iterable[tuple[str, re.Match[str] | None]]
"""The lines of a text, each with what it says of a node."""


def read_graph_text(text: str) -> tuple[Mapping[str, TextNode], Flow]:
    """The nodes and the flow of one text; its lines are looked at once."""
    lines = _match_lines(text)
    return _nodes_of_lines(lines), _flow_of_lines(lines)


def parse_graph_text(text: str) -> Mapping[str, TextNode]:
    """The nodes by name, in the order of the text; empty where it is no graph."""
    return _nodes_of_lines(_match_lines(text))


def _match_lines(text: str) -> _Lines:
    return [(line, _NODE.match(line)) for line in text.split("\n")]


def _nodes_of_lines(lines: _Lines) -> Mapping[str, TextNode]:
    nodes: dict[str, TextNode] = {}
    scope = _ClassScope(path="", indent=-1)
    open_scopes: list[_ClassScope] = []
    graphs: set[str] = set()
    # The last comment that spoke of a place; it holds for all nodes below it.
    place = _NOTHING
    for number, (line, node) in enumerate(lines, 1):
        if node is None:
            stripped = line.strip()
            if stripped.startswith("#"):
                comment = _read_comment(stripped)
                place = comment if comment.speaks_of_place else place
            # An inner graph begins; places do not carry over into it.
            elif (opened := _CLASS.match(line)) is not None:
                scope, place = _enter_class(open_scopes, opened), _NOTHING
                graphs.add(scope.path)
            continue
        name, shape, made = node.groups()
        # No node. `left = self.true_graph_0` gives an inner graph a name, which nodes take later.
        if _ALONE.match(made):
            if (taken := _ATTRIBUTE.match(made)) is not None:
                scope.attributes[name] = scope.path_of(taken["attribute"])
            continue
        nodes[scope.path_of(name)] = TextNode(
            target=_target_of_call(made, scope.names),
            shape=(shape or "").strip('" ') or None,
            line=place.line,
            torch_line=place.torch_line,
            at=number,
            runs=scope.graphs_in(made) if scope.attributes else (),
        )
        scope.names.add(name)
    for name, read in nodes.items():
        if read.runs:  # a class holds constants, too
            runs = tuple(pair for pair in read.runs if pair[1] in graphs)
            nodes[name] = replace(read, runs=runs)
    return nodes


class _ClassScope(Struct):
    """A class of the text while its nodes are read: what its `forward` has named so far.

    `attributes` are names that it gave to what the class holds, graphs among them.
    """

    path: str
    indent: int
    names: set[str] = set()
    attributes: dict[str, str] = {}

    def path_of(self, name: str) -> str:
        """What a name of this class is called outside."""
        return f"{self.path}.{name}" if self.path else name

    def graphs_in(self, made: str) -> tuple[tuple[str, str], ...]:
        """The attributes that a node takes, in order, by the name they have here."""
        words = dict.fromkeys(_NAME.findall(made.partition(";")[0]))
        return tuple((word, self.attributes[word]) for word in words if word in self.attributes)


def _enter_class(open_scopes: list[_ClassScope], opened: re.Match[str]) -> _ClassScope:
    """The class that begins here; one that stands in no other has no path."""
    indent = len(opened["indent"])
    while open_scopes and open_scopes[-1].indent >= indent:
        open_scopes.pop()
    path = open_scopes[-1].path_of(opened["name"]) if open_scopes else ""
    open_scopes.append(_ClassScope(path=path, indent=indent))
    return open_scopes[-1]


def parse_printed(text: str, nodes: Mapping[str, TextNode]) -> GraphText | None:
    """`text` with the places of the nodes that were read from it; None where it is no graph."""
    lines = {name: node.at for name, node in nodes.items() if node.at is not None}
    return GraphText(text, lines) if lines else None


class _Comment(Struct, frozen=True, kw_only=True):
    """What a comment says of the nodes below it.

    A line of torch's own is kept apart: it counts only where no line of the user's is known.
    """

    speaks_of_place: bool = False
    line: SourceLine | None = None
    torch_line: SourceLine | None = None
    speaks_of_function: bool = False
    function: str | None = None
    annotation: str | None = None


_NOTHING = _Comment()


@lru_cache(maxsize=4096)
def _read_comment(comment: str) -> _Comment:
    """A comment's words; the layers of a model, and its graphs, repeat few of them."""
    place, function = _PLACE.search(comment), _FUNCTION.search(comment)
    annotation = _ANNOTATION.search(comment)
    # A comment without a place changes nothing, except the one that says there is none.
    says_none = _NO_PLACE in comment
    line = None
    # A frame that every operator passes, such as a default device, tells nothing.
    if place is not None and (not is_torch(place["file"]) or says_what_runs(place["file"])):
        code = (place["code"] or "").strip() or None
        line = SourceLine(file=place["file"], line=int(place["line"]), code=code)
    by_torch = line is not None and is_torch(line.file)
    return _Comment(
        speaks_of_place=place is not None or says_none,
        line=None if by_torch else line,
        torch_line=line if by_torch else None,
        speaks_of_function=function is not None or says_none,
        function=function["function"] if function else None,
        annotation=annotation["module"] if annotation else None,
    )


def _target_of_call(made: str, names: Container[str]) -> str | None:
    called = _CALLED.match(made)
    if called is not None:
        owner, _, method = called["target"].partition(".")
        # `view.permute(…)` is a method of a node; `torch.…(…)` is a function.
        return method if owner in names else called["target"].removeprefix("torch.ops.")
    if _ITEM.match(made):
        return "operator.getitem"
    # `a + b`: the text has the sign in place of the function.
    operation = _OPERATION.match(made)
    return f"operator.{_OPERATORS[operation['sign']]}" if operation else None


class Flow(Struct, frozen=True):
    """One graph, its nodes in the order of the text.

    `inputs` are the graph's own, in order, with their annotation where the text has one (`f32[8]`);
    `uses` the names that each node takes, inputs and nodes;
    `returned` what the graph gives back, None for a constant; `functions` the user's function that
    a node stands in, `annotations` the module that the user's annotation names for it.
    """

    inputs: Mapping[str, str | None] = {}
    uses: Mapping[str, tuple[str, ...]] = {}
    returned: tuple[str | None, ...] = ()
    functions: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}


def _flow_of_lines(every: _Lines) -> Flow:
    # One iterator: the signature is read first, and the loop below goes on behind it.
    lines = iter(every)
    inputs = _inputs_of_forward(line for line, _ in lines)
    # Each name that was given so far → the name that its uses count for.
    same = {name: name for name in inputs}
    uses: dict[str, tuple[str, ...]] = {}
    functions: dict[str, str] = {}
    annotations: dict[str, str] = {}
    place = _NOTHING
    for line, node in lines:
        if node is not None:
            name, made = node["name"], node["made"].partition(";")[0].strip()
            if made in same:  # `l_x_ = L_x_` gives an input a second name
                same[name] = same[made]
                continue
            # What the node takes, in order, each once; words that are no names of nodes drop out.
            taken = [same[word] for word in _NAME.findall(made) if word in same]
            uses[name] = tuple(dict.fromkeys(taken))
            same[name] = name
            if place.function is not None:
                functions[name] = place.function
            if place.annotation is not None:
                annotations[name] = place.annotation
            continue
        stripped = line.strip()
        if stripped.startswith("#"):
            comment = _read_comment(stripped)
            place = comment if comment.speaks_of_function else place
        # The first `return` ends the first graph; other graphs in the text are not read.
        elif stripped.startswith(_RETURN):
            returned = _returned_names(stripped, (line for line, _ in lines), same)
            return Flow(inputs, uses, returned, functions, annotations)
    return Flow(inputs, uses, (), functions, annotations)


def _inputs_of_forward(lines: Iterator[str]) -> dict[str, str | None]:
    """The names behind `def forward(self, …):`, which may span lines."""
    for line in lines:
        if _HEAD in line:
            head = _signature_text(line.partition(_HEAD)[2], lines)
            return {match["name"]: match["shape"] for match in _INPUT.finditer(head)}
    return {}


def _signature_text(first: str, lines: Iterator[str]) -> str:
    """Everything up to the end of the signature, without comments."""
    # A signature may have one line per input, with comments behind them.
    parts = [first.partition("#")[0]]
    while _END.search(parts[-1]) is None and (line := next(lines, None)) is not None:
        parts.append(line.partition("#")[0])
    return _END.split("".join(parts), maxsplit=1)[0].removeprefix("self")


def _returned_names(
    first: str, lines: Iterator[str], same: Mapping[str, str]
) -> tuple[str | None, ...]:
    """The names behind `return`, in order."""
    parts = [_drop_shapes(first).removeprefix(_RETURN)]
    while _has_open_bracket("".join(parts)) and (line := next(lines, None)) is not None:
        parts.append(_drop_shapes(line))
    # Brackets of a tuple are no part of a name; what is no node, such as None, is a constant.
    text = "".join(parts).strip().strip("()[]")
    named = (part.strip(" ()[]") for part in text.split(",") if part.strip(" ()[]"))
    return tuple(same.get(name) for name in named)


def _drop_shapes(line: str) -> str:
    """The line without its shapes and its comment."""
    return _SHAPE.sub("", line).partition("#")[0].strip()


def _has_open_bracket(text: str) -> bool:
    return text.count("(") + text.count("[") > text.count(")") + text.count("]")
