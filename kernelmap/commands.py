"""Command lines that messages tell people to copy: quoted for a shell, with this run's inputs.

What a rule, a page or an error tells a person to run is made here, so that it runs as pasted.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kernelmap.options import Options

PathWord = str | os.PathLike[str]

OF_A_RUN: Mapping[str, tuple[str, ...]] = {
    "correlate": ("steps", "side", "cache_dir", "like", "device_limits"),
    "doctor": ("steps", "side", "cache_dir", "like", "device_limits"),
    "explain": ("cache_dir", "like"),
    "which": ("cache_dir", "like"),
    "memory": ("steps", "side", "cache_dir", "like", "device_limits"),
}
"""The options of a correlation that change the answer, of those commands that are printed."""


class Speller(Protocol):
    """How questions and options are written for who asks, where that is no command line."""

    def spell_question(
        self, words: Sequence[str], inputs: Sequence[PathWord], options: Options
    ) -> str | None:
        """The question of these inputs; None: as a command line."""

    def spell_option(self, name: str, value: str | None) -> str:
        """An option as a sentence names it."""


_speller: ContextVar[Speller | None] = ContextVar("speller", default=None)


@contextmanager
def spelled_by(speller: Speller) -> Iterator[None]:
    """Have questions that messages propose written by `speller` instead of as command lines."""
    token = _speller.set(speller)
    try:
        yield
    finally:
        _speller.reset(token)


def name_option(name: str, value: str | None = None) -> str:
    """An option of the question, as a sentence names it.

    >>> name_option("steps", "4:6"), name_option("anyway")
    ('--steps 4:6', '--anyway')
    """
    speller = _speller.get()
    if speller is not None:
        return speller.spell_option(name, value)
    return f"--{name}" if value is None else f"--{name} {value}"


def command(*words: PathWord) -> str:
    """The words as a command line of kernelmap.

    >>> command("inspect", "my code.py", "--lock", "kernels.lock")
    "kernelmap inspect 'my code.py' --lock kernels.lock"
    """
    return shlex.join(["kernelmap", *(os.fspath(word) for word in words)])


def ask_again(words: Sequence[str], inputs: Sequence[PathWord], options: Options) -> str:
    """The command that asks another question of the same inputs, with the same choices.

    Who is no person at a command line gets it as `spelled_by` says.

    >>> from pathlib import Path
    >>> from kernelmap.options import Options
    >>> ask_again(["explain", "17"], ["a b.py", "p.json"], Options(like=(Path("bundle"),)))
    "kernelmap explain 17 'a b.py' p.json --like bundle"
    """
    speller = _speller.get()
    spelled = None if speller is None else speller.spell_question(words, inputs, options)
    if spelled is not None:
        return spelled
    taken = OF_A_RUN[words[0]]
    chosen: list[str] = []
    if "steps" in taken and options.steps is not None:
        # Steps 3 to 3 are written as 3.
        chosen += ["--steps", ":".join(map(str, dict.fromkeys(options.steps)))]
    if "side" in taken and options.side.value != "auto":
        chosen += ["--side", options.side.value]
    for name in ("cache_dir", "device_limits"):
        path = getattr(options, name)
        if name in taken and path is not None:
            chosen += [f"--{name.replace('_', '-')}", input_word(path)]
    for run in options.like if "like" in taken else ():
        chosen += ["--like", input_word(run)]
    return command(*words, *map(input_word, inputs), *chosen)


def say_captures_teach(sources: Sequence[PathWord], *, may_be: bool = False) -> str:
    """What to do with profiles of captures that were taken for a run; `may_be`: if they are some.

    >>> say_captures_teach(["bs_8.json"])
    'This profile tells what replays ran: `kernelmap correlate REPLAYS --like bs_8.json`'
    """
    like = [word for path in sources for word in ("--like", input_word(path))]
    begin = "If the launches were captured into a graph, t" if may_be else "T"
    tells = f"{begin}his profile tells" if len(sources) == 1 else f"{begin}hese profiles tell"
    ask = command("correlate", "REPLAYS", *like) if _speller.get() is None else name_option("like")
    return f"{tells} what replays ran: `{ask}`"


_SPELLED: dict[str, str] = {}


def spell_input(path: PathWord, word: str) -> None:
    """Have commands write an input as `word`: it was given so, and lies elsewhere."""
    _SPELLED[os.fspath(path)] = word


def with_spelled_inputs(text: str) -> str:
    """A text that names inputs, each as it was given."""
    for path, word in _SPELLED.items():
        text = text.replace(path, word)
    return text


def input_word(path: PathWord) -> str:
    """An input as a word of a command; one that begins like an option is led by its folder."""
    text = os.fspath(path)
    if text in _SPELLED:
        return _SPELLED[text]
    return os.path.join(".", text) if text.startswith("-") else text  # noqa: PTH118 -- Path drops the dot
