"""An unknown name → the known names that are nearest to it, for the hint of an error.

Every place that asks for a name out of a known set asks here, and says it in the same words.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import islice
from pathlib import Path

MOST = 5  # names in one hint: more are read by nobody
_ALIKE = 0.5  # of difflib: at 0.4 "fusion" is near "index", at 0.6 "lin" is no longer near "line"
_CLOSE = 0.8  # beside names that hold the asked one as a part: else "record" is near "record-shape"
_BEHIND = 0.15  # of the best: "gate" (0.5) is not meant where "correlate" (0.9) is there
_SHORT = 3  # letters: fewer are in too many names for that to mean something
_PATHS = 3  # in one hint
_ENTRIES = 10_000  # of a folder: nobody waits for a hint


def nearest(name: str, known: Iterable[str], most: int = MOST) -> tuple[str, ...]:
    """The known names that hold `name` as a part, then those spelled like it, the nearest first.

    >>> nearest("modul", ["op", "module", "line"]), nearest("lines", ["op", "line"])
    (('module',), ('line',))
    >>> nearest("softmax", ["triton_red_softmax_0", "triton_poi_add_1"])
    ('triton_red_softmax_0',)
    """
    low, by_lower = name.lower(), defaultdict[str, list[str]](list)
    for other in sorted(set(known)):
        by_lower[other.lower()].append(other)
    holding = [other for other in by_lower if low in other] if len(low) >= _SHORT else []
    holding.sort(key=len)  # what is longer holds more that was not asked for
    alike = get_close_matches(low, by_lower, n=most, cutoff=_CLOSE if holding else _ALIKE)
    if alike:  # what is far behind the best was not meant
        ratios = [SequenceMatcher(None, other, low).ratio() for other in alike]
        alike = [
            other
            for other, ratio in zip(alike, ratios, strict=True)
            if ratio >= max(ratios) - _BEHIND
        ]
    # Every spelling of a name that differs only in its case is given.
    found = (other for lower in dict.fromkeys((*holding, *alike)) for other in by_lower[lower])
    return tuple(found)[:most]


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """The hint for a name that is not known; `otherwise` where none is near it.

    >>> did_you_mean("modul", ["op", "module"]), did_you_mean("x", ["op", "module"], "See --help.")
    ('Did you mean `module`?', 'See --help.')
    """
    return _question(nearest(name, known)) or otherwise


def one_of(name: str, known: Iterable[str], noun: str = "Known") -> str:
    """The hint for a name out of a short set: the nearest, and all of them.

    >>> one_of("modul", ["op", "module"])
    'Did you mean `module`? Known: op, module.'
    """
    names = tuple(known)
    return " ".join(filter(None, (did_you_mean(name, names), f"{noun}: {', '.join(names)}.")))


def path_hint(path: str | os.PathLike[str]) -> str | None:
    """What is like the path of a file that is not there; None where it is there, or nothing is.

    The folder that is missing is named first, for what is in it was never looked for.
    """
    missing = Path(path)
    try:
        if missing.exists():
            return None
        # Up to the first folder that is there: in it the missing name is looked for.
        while missing.parent != missing and not missing.parent.is_dir():
            missing = missing.parent
        with os.scandir(missing.parent) as entries:
            names = [entry.name for entry in islice(entries, _ENTRIES)]
    except (OSError, ValueError):  # nobody may look there, or no file can have such a name
        return None
    # by the part before the first dot: `.json` makes all names of a folder alike
    by_stem: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        by_stem[_stem(name)].append(name)
    alike = [name for stem in nearest(_stem(missing.name), by_stem) for name in by_stem[stem]]
    hint = _question([str(missing.parent / name) for name in alike[:_PATHS]])
    if os.fspath(missing) != os.fspath(Path(path)):
        return f"There is no folder {missing}. {hint}".strip()
    return hint or None


def _stem(name: str) -> str:
    return name.lstrip(".").partition(".")[0] or name


def _question(names: Sequence[str]) -> str:
    """The question for names that are near; empty where none is."""
    marked = [f"`{name}`" for name in names]
    first = ", ".join(marked[:-1])
    return f"Did you mean {' or '.join(filter(None, (first, *marked[-1:])))}?" if marked else ""
