"""Names of one column shortened together, so that two of them never look the same.

Takes all names of a column and a width in characters of a terminal, gives texts that fit it. What a
name shares with the others gives way first; what tells it from them stays. A name that fits is
never changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Literal, TypeAlias

from rich.cells import cell_len

from kernelmap.pages.text import ELLIPSIS

Kept: TypeAlias = Literal["ends", "beginning", "end"]
"""What a text keeps where it is cut."""

# `aten.mm_backward` is `aten.`, `mm_` and `backward`.
_WORD = re.compile(r"[^\W_]+[\W_]*|[\W_]+")
_FOLDER = re.compile(r"[^/\\]*[/\\]+|[^/\\]+")
# `BinaryFunctorUnrolled2` is `Binary`, `Functor`, `Unrolled` and `2`.
_HUMP = re.compile(r"[A-Z]+(?![a-z])[\W_]*|[A-Z]?[a-z]+[\W_]*|\d+[\W_]*|.", re.DOTALL)
_LONG = 14
"""Characters from which on a word is taken apart at its capitals and digits: C++ names such as
`BinaryFunctorUnrolled` in recordings of PyTorch's own kernels are one word each."""
_FUNCTION = re.compile(r"::(?P<name>[A-Za-z_]\w*)[<(]")
"""The function in a name of C++; what stands before it (`void at::native::`) is alike in most."""
_PLACE = re.compile(r"(?P<function>in [^()]+ \()(?P<path>.+)\)")
"""A function of eager code with the file and the line where it begins."""
_FILE = 8  # characters of a path that are left beside a function, or more
_CHUNK = 6  # characters of a word that has neither, such as a hash


def shorten_names(names: Sequence[str], width: int, *, paths: bool = False) -> list[str]:
    """Each name in at most `width` characters; distinct names stay distinct.

    Of `paths` the file and the line stay, and the function of `in forward (/a/model.py:7)`. Where
    no part of a name that fits could tell it from the others, a number does: that takes a width of
    three characters more than the number's digits.

    >>> shorten_names(["aten.mm_backward_left.default", "aten.mm_backward_right.default"], 16)
    ['aten.mm_…left.…', 'aten.mm_…right.…']
    >>> shorten_names(["/home/me/net/model.py:7", "/home/me/net/loss.py:12"], 15, paths=True)
    ['…net/model.py:7', '…net/loss.py:12']
    >>> shorten_names(["in forward (/home/me/net/model.py:7)"], 24, paths=True)
    ['in forward (…model.py:7)']
    """
    distinct = list(dict.fromkeys(names))
    if all(cell_len(name) <= width for name in distinct):
        return list(names)
    split = _split_path if paths else _split_words
    pieces = [split(name) for name in distinct]
    telling = _find_telling(pieces, width)
    # How many names have each part: what is rare is shown first.
    common = Counter(part for parts in pieces for part in set(parts))
    short: dict[str, str] = {}
    for name, parts, kept in zip(distinct, pieces, telling, strict=True):
        if cell_len(name) <= width:
            short[name] = name
        elif paths:
            short[name] = _cut_place(name, width) or _join_path(parts, kept, width)
        else:
            short[name] = _join_words(name, parts, kept, width, common)
    _number_equal(short, width, "end" if paths else "ends")
    return [short[name] for name in names]


def _cut_place(name: str, width: int) -> str | None:
    """A function with the end of its path; None where it is none, or leaves the path no room."""
    place = _PLACE.fullmatch(name)
    left = 0 if place is None else width - cell_len(place["function"]) - 1
    return (
        None
        if place is None or left < _FILE
        else f"{place['function']}{cut_text(place['path'], left, 'end')})"
    )


def width_to_tell_apart(names: Iterable[str], most: int, *, paths: bool = False) -> int:
    """The width from which on `shorten_names` shows what tells each name apart; at most `most`."""
    distinct = list(dict.fromkeys(names))
    split = _split_path if paths else _split_words
    pieces = [split(name) for name in distinct]
    needed = 0
    for name, parts, kept in zip(distinct, pieces, _find_telling(pieces, needed), strict=True):
        # The beginning is no part of what tells names apart, and yet the part to recognize it by.
        shown = (
            {*kept, len(parts) - 1 if paths else _beginning_of(name, parts)[0]} if parts else kept
        )
        needed = max(needed, min(cell_len(name), _width_of(parts, shown)))
        if needed >= most:
            return most
    return needed


def cut_text(text: str, width: int, kept: Kept = "ends") -> str:
    """The text, or the part of it that is kept with an ellipsis; at most `width` cells wide.

    >>> cut_text("triton_poi_fused_add_0", 12), cut_text("/home/me/model.py:7", 12, "end")
    ('triton…add_0', '…/model.py:7')
    >>> cut_text("return x + self.down(hidden)", 12, "beginning")
    'return x + …'
    """
    if cell_len(text) <= width:
        return text
    if width < 1:
        return ""
    tail = {"ends": (width - 1) // 2, "beginning": 0, "end": width - 1}[kept]
    return (
        _head_of_width(text, width - 1 - tail) + ELLIPSIS + _head_of_width(text[::-1], tail)[::-1]
    )


def shorten_list(text: str, width: int) -> str:
    """A list with commas in at most `width` characters: whole entries, and how many more.

    >>> shorten_list("0_forward/3, 0_forward/7, 0_forward/12", 20)
    '0_forward/3 +2'
    """
    if cell_len(text) <= width:
        return text
    entries = text.split(", ")
    # As many whole entries as fit; where not even one does, the first is shortened, and the number
    # of the others stays.
    for shown in range(len(entries) - 1, 0, -1):
        short = _first_entries(entries, shown)
        if cell_len(short) <= width:
            return short
    more = _first_entries(entries, 1)[len(entries[0]) :]
    if len(more) + 2 > width:
        return cut_text(text, width)
    return shorten_names([entries[0]], width - len(more))[0] + more


def shortest_list(text: str) -> str:
    """The first entry of a list with commas, and how many more there are.

    >>> shortest_list("0_forward/3, 0_forward/7, 0_forward/12"), shortest_list("0_forward/3")
    ('0_forward/3 +2', '0_forward/3')
    """
    return _first_entries(text.split(", "), 1)


def _first_entries(entries: Sequence[str], shown: int) -> str:
    more = f" +{len(entries) - shown}" if len(entries) > shown else ""
    return ", ".join(entries[:shown]) + more


@lru_cache(maxsize=4096)
def _split_words(name: str) -> tuple[str, ...]:
    """A name in words, each with what separates it from the next one."""
    words = []
    for word in _WORD.findall(name):
        if len(word) <= _LONG:
            words.append(word)
            continue
        for hump in _HUMP.findall(word):
            # A hump may still be long: a hash, or a word without capitals.
            step = len(hump) if len(hump) <= _LONG else _CHUNK
            words += [hump[at : at + step] for at in range(0, len(hump), step)]
    return tuple(words)


def _split_path(name: str) -> tuple[str, ...]:
    """A path in its folders and, last, the file with its line."""
    return tuple(_FOLDER.findall(name))


def _find_telling(pieces: Sequence[Sequence[str]], width: int) -> list[set[int]]:
    """Per name the positions of the fewest pieces that no other name has all of.

    A name all of whose pieces another one has is told apart by what that one has more. Names that
    fit `width` need none.
    """
    # has[piece]: a bit per name that has the piece so often. Python's integers are sets of bits in
    # which ten thousand names are compared at once.
    has: dict[tuple[str, int], int] = {}
    keys: list[list[tuple[str, int]]] = []
    for number, parts in enumerate(pieces):
        # `x_x_y` has `x_` a first and a second time, and the second one tells it from `x_y`.
        seen: dict[str, int] = {}
        keys.append([])
        for part in parts:
            seen[part] = seen.get(part, 0) + 1
            key = (part, seen[part])
            keys[-1].append(key)
            has[key] = has.get(key, 0) | 1 << number
    telling: list[set[int]] = []
    for number, parts in enumerate(pieces):
        # The names that look the same with the pieces chosen so far, at first all others. Each turn
        # takes the piece that the fewest of them have.
        alike, chosen = (1 << len(pieces)) - 1 & ~(1 << number), set[int]()
        while alike and sum(map(cell_len, parts)) > width:
            left = [(alike & has[key]).bit_count() for key in keys[number]]
            # Of equally telling pieces the last: kernels of a compiler end in their number.
            best = min(range(len(left)), key=lambda at: (left[at], -at), default=None)
            # No piece tells any further: another name has all of them.
            if best is None or left[best] == alike.bit_count():
                break
            chosen.add(best)
            alike &= has[keys[number][best]]
        telling.append(chosen)
    return telling


def _join_words(
    name: str, parts: Sequence[str], telling: set[int], width: int, common: Mapping[str, int]
) -> str:
    """The words that tell, and as many more as fit; a gap is an ellipsis.

    What fewer names have comes first, in so far as it stands beside what is shown: a name in many
    small pieces is hard to read.
    """
    shown = set(telling)
    if _width_of(parts, shown) > width:
        return cut_text(name, width)
    # A name is recognized by its beginning, of C++ by that of the function, and by its end.
    first, *others = _beginning_of(name, parts)
    for at in (first, len(parts) - 1, *others):
        if _width_of(parts, shown | {at}) <= width:
            shown.add(at)
    while True:
        # Pieces right beside what is shown, of those that fit the one that the fewest names have,
        # then the one further left.
        beside = {at + side for at in shown for side in (-1, 1)} - shown - {-1, len(parts)}
        fitting = [at for at in beside if _width_of(parts, shown | {at}) <= width]
        if not fitting:
            break
        shown.add(min(fitting, key=lambda at: (common[parts[at]], at)))
    text = _text_of(parts, shown)
    return text if cell_len(text) <= width else cut_text(text, width)


def _beginning_of(name: str, parts: Sequence[str]) -> Sequence[int]:
    """The positions of the pieces by which a name is recognized, the most important first."""
    function = _FUNCTION.search(name)
    if function is None:
        return (0,)
    begin, end = function.span("name")
    # Where each piece begins in the name; those within the function's own name count.
    starts = list(accumulate(map(len, parts), initial=0))
    return [at for at in range(len(parts)) if begin <= starts[at] < end] or (0,)


def _join_path(parts: Sequence[str], telling: set[int], width: int) -> str:
    """The file with its line, the folders that tell, and as many before the file as fit."""
    file, shown = len(parts) - 1, {len(parts) - 1}
    if _width_of(parts, shown) > width:
        return cut_text(parts[file], width, "end")
    if _width_of(parts, shown | telling) <= width:
        shown |= telling
    # From the file outward, until a folder does not fit.
    for at in range(file - 1, -1, -1):
        if at not in shown and _width_of(parts, shown | {at}) > width:
            break
        shown.add(at)
    return _text_of(parts, shown)


def _text_of(parts: Sequence[str], shown: set[int]) -> str:
    texts: list[str] = []
    for at, part in enumerate(parts):
        if at in shown:
            texts.append(part)
        elif not texts or texts[-1] is not ELLIPSIS:
            texts.append(ELLIPSIS)
    return "".join(texts)


def _width_of(parts: Sequence[str], shown: set[int]) -> int:
    return cell_len(_text_of(parts, shown))


def _number_equal(short: dict[str, str], width: int, kept: Kept) -> None:
    """Give all but the first of names that became equal a number, where `width` has room for it."""
    # Names that were not shortened keep their texts; a shortened one that equals one of them, or an
    # earlier one, gets a number.
    taken: set[str] = {text for name, text in short.items() if text == name}
    for name, unnumbered in short.items():
        if unnumbered == name:
            continue
        text, number = unnumbered, 1
        while text in taken:
            number += 1
            mark = f"{ELLIPSIS}#{number}"
            if len(mark) >= width:
                return
            text = cut_text(name, width - len(mark), kept).rstrip(ELLIPSIS) + mark
        taken.add(text)
        short[name] = text


def _head_of_width(text: str, width: int) -> str:
    while cell_len(text) > width:
        text = text[: min(width, len(text) - 1)]
    return text
