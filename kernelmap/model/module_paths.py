"""Paths of modules: which module lies in which.

A path such as `blocks.0.qkv` counts from the module that was compiled, whose own name is `self`. Of
eager work the profiler knows classes: `Model_0.Block_2.Linear_5` is the fifth linear layer it met.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise, takewhile

ROOT_MODULE = "self"
"""The compiled module itself: all others lie in it."""


def modules_around(path: str) -> tuple[str, ...]:
    """The modules that hold `path`, the outermost first, `path` itself last.

    >>> modules_around("blocks.0.qkv"), modules_around("self")
    (('self', 'blocks', 'blocks.0', 'blocks.0.qkv'), ('self',))
    """
    if path == ROOT_MODULE:
        return (ROOT_MODULE,)
    names = path.split(".")
    return (ROOT_MODULE, *(".".join(names[:end]) for end in range(1, len(names) + 1)))


def module_tree(paths: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Per path the modules around it that are worth a row, the path itself last.

    These are the paths themselves, and what holds more than one branch of them: a container of
    one module has nothing to say that this module does not say.

    >>> module_tree(["layers.0.up", "layers.1.up"])["layers.1.up"]
    ('layers', 'layers.1.up')
    """
    named = list(dict.fromkeys(paths))
    # For each module the modules directly inside of it that lead to any of the paths.
    branches: dict[str, set[str]] = defaultdict(set)
    for path in named:
        around = modules_around(path)
        for outer, inner in pairwise(around):
            branches[outer].add(inner)
    # A module with one branch would have the same time as that branch.
    shown = {*named, *(outer for outer, inner in branches.items() if len(inner) > 1)}
    return {path: tuple(each for each in modules_around(path) if each in shown) for path in named}


def module_around(paths: Iterable[str | None]) -> str | None:
    """The deepest module that holds all of `paths`; None where there is none, or one is not known.

    >>> module_around(["Model_0.Block_1.Linear_3", "Model_0.Block_2.Linear_5"])
    'Model_0'
    >>> module_around(["Model_0", None]) is None
    True
    """
    common: list[str] | None = None
    for path in paths:
        names = [] if path is None else path.split(".")
        shared = takewhile(
            lambda pair: pair[0] == pair[1], zip(common or names, names, strict=False)
        )
        common = names if common is None else [name for name, _ in shared]
    return ".".join(common) if common else None
