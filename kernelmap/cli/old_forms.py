"""Names of commands and options as they were before 0.2: each still works, and says its new form.

All there is of them stands in this file and in its test. To end them, delete both, and the two
places that ask here: `_Commands.parse_args` and `kernelmap help`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kernelmap.cli.report_page import default_report

Words = list[str]


@dataclass(frozen=True, slots=True)
class OldCommand:
    """What a command is now, behind `kernelmap`, and how its words become those of the new one."""

    new: str
    rewrite: Callable[[Words], Words]


@dataclass(frozen=True, slots=True)
class OldOption:
    """What an option is now, for people, and its new name; None where it is read and hidden."""

    new: str
    name: str | None = None


_VALUED = (
    *("--store", "--steps", "--side", "--like", "--cache-dir", "--device-limits"),
    *("--columns", "--where"),
)
_VALUED_OF_RUNS = (*_VALUED, "--branch", "--tag", "--top", "--format")
"""Options before the name of a command that take the word behind them."""


def _report(words: Words) -> Words:
    """Without a name the page was report.html, never one of somebody else."""
    named = any(word[:2] == "-o" or word.partition("=")[0] == "--output" for word in words)
    return ["correlate", *words, *([] if named else ["-o", str(default_report())])]


def _lock(words: Words) -> Words:
    written = _renamed(words, {"-o": "--lock", "--output": "--lock"})
    # If nothing was renamed, no file was named, and the lock was printed.
    return ["inspect", *written, *([] if written != words else ["--format", "lock"])]


def _debug_printer(words: Words) -> Words:
    """Without --saved and --log it was about the variables, of level 2 where none was given."""
    names = {"--level": "--debug-printer", "--saved": "--printed", "--log": "--printed"}
    said = _renamed(words, names)
    return ["inspect", *said, *([] if said != words else ["--debug-printer", "2"])]


def _acknowledge(words: Words) -> Words:
    """RUN NOTE became RUN acknowledged=NOTE."""
    made = ["--delete=acknowledged" if word == "--undo" else word for word in words]
    # The second plain word is the note; the first is the run.
    places = list(plain_words(made, _VALUED))
    for place in places[1:2]:
        made[place] = f"acknowledged={made[place]}"
    return ["tag", *made]


def _prune(words: Words) -> Words:
    said = _renamed(words, {"--older-than": "--leftovers"})
    return ["remove", *said, *([] if said != words else ["--leftovers", "24"])]


OLD_COMMANDS: Mapping[str, OldCommand] = {
    "report": OldCommand("correlate INPUTS -o FILE.html", _report),
    "roofline": OldCommand(
        "correlate INPUTS --roofline", lambda words: ["correlate", "--roofline", *words]
    ),
    "record": OldCommand("runs add INPUTS", lambda words: ["runs", "add", *words]),
    "lock": OldCommand("inspect INPUTS --lock FILE", _lock),
    "debug-printer": OldCommand(
        "inspect INPUTS --debug-printer LEVEL, or --printed PATH to read", _debug_printer
    ),
    "runs ack": OldCommand("runs tag RUN acknowledged=NOTE", _acknowledge),
    "runs check": OldCommand("runs --check", lambda words: ["--check", *words]),
    "runs prune": OldCommand("runs remove --leftovers HOURS", _prune),
}

OLD_OPTIONS: Mapping[tuple[str, str], OldOption] = {
    ("correlate", "--path-map"): OldOption("`path_map` in [tool.kernelmap] of pyproject.toml"),
    ("annotate", "--code"): OldOption("--listing", "--listing"),
    ("fleet", "--scheduler"): OldOption("--workers ADDRESS|FILE", "--workers"),
    ("fleet", "--time-limit"): OldOption(
        "`time_limit` in [tool.kernelmap] of pyproject.toml, or KERNELMAP_TIME_LIMIT"
    ),
    ("fleet", "--forked"): OldOption("the variable KERNELMAP_FORKED"),
    ("runs add", "--forked"): OldOption("the variable KERNELMAP_FORKED"),
    ("gate", "--forked"): OldOption("the variable KERNELMAP_FORKED"),
}
"""By the command and the option."""


@dataclass(slots=True)
class Rewritten:
    """A command line in its new form, and what to say of it, a line each."""

    words: Words
    said: list[str] = field(default_factory=list)


def rewrite_old_forms(words: Sequence[str]) -> Rewritten:
    """The words of a command line behind `kernelmap`, in their new form."""
    made = Rewritten([*words])
    # Options may stand before the command, some with a value behind them.
    start = next(plain_words(made.words, _VALUED), None)
    if start is None:
        return made
    # An old command may become several words; what the command is stands in the new ones.
    made.words[start:] = _new_command(made.words[start], made.words[start + 1 :], made.said)
    start = next(plain_words(made.words, _VALUED))
    path, end = made.words[start], start + 1
    if path == "runs":
        # Commands of `runs` have old names of their own.
        below = next(plain_words(made.words[end:], _VALUED_OF_RUNS), None)
        if below is not None:
            end += below
            name, behind = f"runs {made.words[end]}", made.words[end + 1 :]
            made.words[end:] = _new_command(name, behind, made.said)
            path, end = f"runs {made.words[end]}", end + 1
    for place in range(end, len(made.words)):
        word, sign, value = made.words[place].partition("=")
        if word == "--":
            # Behind `--` stands the user's program.
            break
        old = OLD_OPTIONS.get((path, word))
        if old is not None:
            made.said.append(f"note: {word} of `kernelmap {path}` is {old.new} now")
            made.words[place] = f"{old.name or word}{sign}{value}"
    return made


def _new_command(name: str, words: Words, said: list[str]) -> Words:
    """A command and the words behind it, in the new form where the name is an old one."""
    old = OLD_COMMANDS.get(name)
    if old is None:
        return [name.removeprefix("runs "), *words]
    said.append(f"note: `kernelmap {name}` is `kernelmap {old.new}` now")
    return old.rewrite(words)


def plain_words(words: Sequence[str], valued: Sequence[str] = _VALUED) -> Iterator[int]:
    """The places of words that are neither options nor the values of options."""
    place = 0
    while place < len(words):
        if not words[place].startswith("-") or words[place] == "-":
            yield place
        place += 2 if words[place] in valued else 1


def _renamed(words: Words, names: Mapping[str, str]) -> Words:
    """The words with their options renamed; `-oFILE` is `-o FILE`."""
    made: Words = []
    for word in words:
        name, sign, value = word.partition("=")
        if name in names:
            made.append(f"{names[name]}{sign}{value}")
        elif word[:2] in names and len(word) > 2 and not word.startswith("--"):  # noqa: PLR2004 -- its letter
            made += [names[word[:2]], word[2:]]
        else:
            made.append(word)
    return made
