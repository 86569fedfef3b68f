"""Lines and functions of the user's source, and the text of FX graphs."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class SourceLine(Struct, frozen=True, kw_only=True):
    """A line of the user's source; `line` counts from 1."""

    file: str
    line: int
    code: str | None = None

    @property
    def name(self) -> str:
        """`model.py:12`."""
        return f"{self.file}:{self.line}"


class FunctionPlace(Struct, frozen=True, kw_only=True):
    """A function of the user's code in which something ran; which statement of it, nothing says.

    `entered` is the line at which the function was entered: where it begins (at its first
    decorator), or the `yield` from which a generator went on. None for a file as a whole, and where
    it is not known: the profiler names a function that ran when recording began by another line.
    """

    file: str
    function: str
    entered: int | None = None

    @property
    def code(self) -> str:
        """What a table shows in place of a statement: `in forward`."""
        return f"in {self.function}"

    @property
    def name(self) -> str:
        """`in forward (model.py:12)`, `in <module> (train.py)`.

        >>> FunctionPlace(file="model.py", function="forward", entered=12).name
        'in forward (model.py:12)'
        """
        return row_name(self.file, None, self.code, self.entered)


def row_name(file: str, line: int | None, code: str | None, function_line: int | None) -> str:
    """What a row of the table of lines is called: a line, a function, or what its file says.

    >>> row_name("a.py", 3, "x = y", None), row_name("a.py", None, "in f", 2)
    ('a.py:3', 'in f (a.py:2)')
    >>> row_name("(unknown)", None, None, None)
    '(unknown)'
    """
    if line is not None:
        return f"{file}:{line}"
    if code is None:
        return file
    return f"{code} ({file})" if function_line is None else f"{code} ({file}:{function_line})"


class LaunchNote(Struct, frozen=True, kw_only=True):
    """What a tool of torch's own wrote beside a launch: its word, which nothing here proves.

    `lines` are of the stacks that `inductor_trace_handler` writes, the innermost line of the user's
    code of each. `module` is how the program labelled the launch's node while it captured a CUDA
    graph (torch.cuda.graph_annotations), and `is_backward` that autograd ran it in a backward.
    """

    lines: tuple[SourceLine, ...] = ()
    module: str | None = None
    is_backward: bool = False


class GraphText(Struct, frozen=True):
    """A graph as text; `lines` says where each node stands, counted from 1.

    Of equal names (a graph within the graph may repeat them) the last one counts.
    """

    text: str
    lines: Mapping[str, int]
