"""What hostile texts cost grows as they do: four times the text takes about four times as long.

CPU time of this process, so that what else the machine does counts for nothing. A quadratic rule
would take sixteen times as long.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from examples import crossed
from kernelmap.compiler.cpp.graph import cpp_graphs
from kernelmap.compiler.facts import CodeText
from kernelmap.compiler.files.code_file import is_pasted, page_text
from kernelmap.compiler.fx.graph_text import parse_graph_text
from kernelmap.compiler.pasted.messages import split_messages
from kernelmap.compiler.python.broken import salvage_parts
from kernelmap.history.compare.sides.pieces import _type_of_part
from kernelmap.tables.canonical_texts import buffer_types, result_type
from kernelmap.traces.chrome.json_layout import ends, learn, objects
from kernelmap.traces.chrome.json_repair import mend
from kernelmap.traces.nsys.stats_table import kernel_sums

_SMALL, _TIMES = 4_000, 4
_MOST = 2.5 * _TIMES
_FLOOR_S = 0.002
"""Below this a measurement says nothing; the rule would have to be far worse to stay hidden."""

Read = Callable[[str], object]

GENERATED = "async_compile = AsyncCompile()\n"


def _cpp(text: str) -> object:
    source = CodeText(text=text, code="x.cpp", place=(), strength=0)
    return cpp_graphs(source, "void AOTInductorModel::run_impl(int x) {" + text)


READERS: dict[str, Read] = {
    "layout": lambda text: learn(text.encode()),
    "ends": lambda text: list(ends(text.encode(), None)),
    "objects": lambda text: list(objects(text.encode())),
    "repair": lambda text: mend(text.encode()),
    "pasted": is_pasted,
    "log": lambda text: [message.body_text() for message in split_messages(text.split("\n"))],
    "python": lambda text: salvage_parts(GENERATED + text),
    "C++": _cpp,
    "graph": lambda text: parse_graph_text("def forward(self, x):\n    " + text),
    "page": page_text,
    "stats": kernel_sums,
    "statement": lambda text: result_type([text], 1, {}),
    "type": lambda text: _type_of_part(f"a {text}"),
    "checked together": lambda text: buffer_types(
        [f"assert_size_stride_grouped(({text}), ({text}), ({text})"]
    ),
    "buffers": lambda text: buffer_types([f"{text} int_array_ reuse torch. empty_strided("]),
}
PUMPS = (
    *(" ", "\t", "\n", '"', '\\"', '"a" ', ">", "> ", "1", "1L", "a", "a ", "(", "[", "{", "{}"),
    *("f(g, ", "a<", "&lt;", "- -\n", "a,Total Time(Name),Count\n", "'", "if a:\n", "a\n"),
    *(" = async_compile.triton(", "%a : ", "[1", "launchKernel(", "/*", 'R"(', "def call(args):\n"),
    *("}", "} ", "},", "}]", ",", ", ", "a = ", "int_array_", "&a", "reuse", "x(), (), ", "`"),
)
STARTS = ("", '{"ph": 1', '{"name": "', "x = reinterpret_tensor(", "def call(args):\n")


def seconds(read: Read, text: str, times: int) -> float:
    """The least CPU time of so many readings."""
    taken = []
    for _ in range(times):
        begin = time.process_time()
        read(text)
        taken.append(time.process_time() - begin)
    return min(taken)


def growth(read: Read, small: str, large: str, times: int) -> float:
    """How many times as long the large text takes; not more than it should where that is little."""
    after = seconds(read, large, times)
    if after <= _MOST * _FLOOR_S:
        return _MOST
    return after / max(seconds(read, small, times), _FLOOR_S)


@pytest.mark.parametrize("reader", READERS)
def test_time_grows_with_the_text(reader: str) -> None:
    """No text that repeats one thing makes a reader look at it again and again."""
    read = READERS[reader]
    for start, pump in crossed(STARTS, PUMPS, dear=True):
        small = start + pump * (_SMALL // len(pump))
        large = start + pump * (_TIMES * _SMALL // len(pump))
        # Once is enough to show that all is well, and not enough to show that it is not.
        grown = growth(read, small, large, 1)
        assert grown <= _MOST or growth(read, small, large, 3) <= _MOST, (start, pump, grown)
