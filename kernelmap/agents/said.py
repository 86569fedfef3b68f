"""How an answer is written: one JSON document, its texts quoted and bounded, its size bounded.

Whatever stands in a trace (names of kernels, files, operators) is data for who reads the answer:
each such text is a JSON string of limited length in which nothing moves a cursor, hides or passes
for another letter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import ceil
from typing import TypeAlias

from kernelmap.pages.text import ELLIPSIS, make_visible

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"
Document: TypeAlias = dict[str, Value]

TOKENS = 2_000
"""What one answer may take unless more is asked for."""
MOST_TOKENS = 20_000
"""What may be asked for: an answer that is longer is a file, not an answer."""
_CHARACTERS = 3
"""Characters that count as one token. Tokenizers make one of three to four characters of such JSON
(names with underscores, numbers, punctuation): to count by three gives too many rather than too
few."""
NAME = 160
"""Characters of a name that are shown: Triton's and cutlass' own names tell their work by then."""
SENTENCE = 600
"""Characters of a sentence of ours, which may quote several names."""
LEFT_OUT = "left_out"


def count_tokens(text: str) -> int:
    """About how many tokens a text is, at most: one per three characters.

    >>> count_tokens("aten.mm"), count_tokens("")
    (3, 0)
    """
    return ceil(len(text) / _CHARACTERS)


def show_text(text: str, most: int = NAME) -> str:
    r"""A text of a recording in one line: of a long one the beginning, and how long it is.

    >>> show_text("a\nb"), show_text("k" * 100_000, 4)
    ('a\\nb', 'kkkk… (100,000 characters)')
    """
    # Cut first, for a name may have 100,000 characters, and again, for escapes make it longer.
    shown = make_visible(text[:most])[: 2 * most]
    return shown if len(text) <= most else f"{shown}{ELLIPSIS} ({len(text):,} characters)"


def show_value(value: object, most: int = NAME) -> Value:
    """Any plain value with its texts shown; lists keep their first few, and say how many follow."""
    if isinstance(value, str):
        return show_text(value, most)
    if isinstance(value, Mapping):
        return {show_text(str(key)): show_value(item, most) for key, item in value.items()}
    if isinstance(value, Sequence):
        shown = [show_value(item, most) for item in value[:_LISTED]]
        more = len(value) - len(shown)
        return [*shown, f"and {more} more"] if more > 0 else shown
    if value is None or isinstance(value, bool | int):
        return value
    # Six digits are more than a share or a rate is worth.
    return float(f"{value:.6g}") if isinstance(value, float) else show_text(str(value), most)


_LISTED = 4  # of the calls, ops or lines in one cell


def write_answer(document: Document, tokens: int = TOKENS) -> str:
    """The document as JSON of at most `tokens`: lists lose their last entries, the longest first.

    So do the objects in it, such as the columns of a row, once no list is left. How many went is
    said under "left_out", by the name of the list. Letters beyond ASCII are written as escapes.
    """
    most = min(max(tokens, 1), MOST_TOKENS) * _CHARACTERS
    document = dict(document)
    excess = len(_dump(document)) - most
    left_out: Document = {}
    for kind in (list, dict):
        # The length of each entry of the lists, or objects, with the commas between them.
        lengths = {
            name: [len(_dump(entry)) + 1 for entry in _entries(value)]
            for name, value in document.items()
            if isinstance(value, kind)
        }
        while excess > 0 and any(lengths.values()):
            name = max(lengths, key=lambda each: sum(lengths[each]))
            excess += 0 if left_out else len(_dump({LEFT_OUT: {}}))
            excess += 0 if name in left_out else len(name) + 12  # the key and a number
            excess -= lengths[name].pop()
            left_out[name] = int(str(left_out.get(name, 0))) + 1
    for name, gone in left_out.items():
        value = document[name]
        kept = len(_entries(value)) - int(str(gone))
        if isinstance(value, list):
            document[name] = value[:kept]
        elif isinstance(value, dict):
            document[name] = dict(list(value.items())[:kept])
    return _dump({**document, LEFT_OUT: left_out} if left_out else document)


def _entries(value: Value) -> list[Value]:
    """What can go of a list or an object, one by one from its end."""
    if isinstance(value, dict):
        return [{key: entry} for key, entry in value.items()]
    return value if isinstance(value, list) else []


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
