"""Count what a stranger has to decode, and how much of the inside the tests hold in its place.

    python scripts/words.py            # the four counts, and the worst of each
    python scripts/words.py --most 40  # more of the worst

A function whose name is one word is hard to grep for; a class name in two places is two things; a
paragraph of array code without a comment is a riddle. The counts are a report and fail nothing:
`run` and `render` are words that everybody knows. Aims: at most 30 % of the functions, at most ten
class names, at least 4 % of the lines. A test that uses a private of the package (a name with an
underscore before it) has to change with the inside, though nothing that is promised did.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
PACKAGE = PROJECT / "kernelmap"
TESTS = PROJECT / "tests"
AIMS = {"one_word": 0.30, "classes": 10, "comments": 0.04}


@dataclass
class Counts:
    """What was counted in the files of a package."""

    functions: int = 0
    one_word: Counter[str] = field(default_factory=Counter)
    classes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    lines: Counter[str] = field(default_factory=Counter)
    comments: Counter[str] = field(default_factory=Counter)

    @property
    def twice(self) -> Mapping[str, list[str]]:
        """The class names in use more than once, with their files."""
        return {name: files for name, files in self.classes.items() if len(files) > 1}


def main() -> None:
    """Print the counts and the worst."""
    parser = usage.parser(__doc__)
    parser.add_argument("--most", type=int, default=8, help="names and files to show of each")
    most = parser.parse_args().most
    print("\n".join([*report(count_words(PACKAGE), most), *report_privates(TESTS)]))


def count_words(package: Path) -> Counts:
    """Count the files below `package`; methods that Python itself names are left out."""
    counts = Counts()
    for path in sorted(package.rglob("*.py")):
        text, name = path.read_text("utf-8"), path.relative_to(package).as_posix()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                word = node.name.strip("_")
                if node.name.startswith("__"):
                    continue
                counts.functions += 1
                counts.one_word[word] += "_" not in word
            elif isinstance(node, ast.ClassDef):
                counts.classes[node.name].append(name)
        lines = [line.strip() for line in text.splitlines()]
        counts.lines[name] = len(lines)
        counts.comments[name] = sum(line.startswith("#") for line in lines)
    return counts


def report(counts: Counts, most: int) -> Iterator[str]:
    """The counts beside their aims, each followed by the `most` worst."""
    one_word = counts.one_word.total()
    yield (
        f"functions with a one-word name: {one_word:,} of {counts.functions:,}, "
        f"{one_word / max(counts.functions, 1):.1%} (aim: at most {AIMS['one_word']:.0%})"
    )
    often = sorted((-number, word) for word, number in counts.one_word.items() if number)
    yield "  " + ", ".join(f"{word} {-number}" for number, word in often[:most])
    yield f"class names in use more than once: {len(counts.twice)} (aim: at most {AIMS['classes']})"
    for name, files in sorted(counts.twice.items())[:most]:
        yield f"  {name}: {', '.join(files)}"
    lines, comments = counts.lines.total(), counts.comments.total()
    yield (
        f"whole-line comments: {comments:,} of {lines:,} lines, {comments / max(lines, 1):.1%} "
        f"(aim: at least {AIMS['comments']:.0%})"
    )
    # A short file says all in its first lines; a long one without a comment does not.
    bare = [name for name, _ in counts.lines.most_common() if not counts.comments[name]]
    yield "  longest without any: " + ", ".join(
        f"{name} ({counts.lines[name]})" for name in bare[:most]
    )


def report_privates(tests: Path) -> Iterator[str]:
    """How many privates of the package the tests use, and in which folders."""
    uses = Counter[str]()
    for path in sorted(tests.rglob("*.py")):
        folder = path.relative_to(tests).parts[0]
        uses[folder] += len(list(private_uses(ast.parse(path.read_text("utf-8")))))
    folders = ", ".join(f"{folder} {number}" for folder, number in uses.most_common() if number)
    yield f"privates of the package that tests use: {uses.total()}"
    yield f"  {folders}"


def private_uses(tree: ast.Module) -> Iterator[str]:
    """Each import, attribute and patch of a test that names a private of the package."""
    foreign = {"self", "cls", "torch"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                if not f"{module}{alias.name}.".startswith(f"{PACKAGE.name}."):
                    foreign.add((alias.asname or alias.name).partition(".")[0])
                elif is_private(f"{module}{alias.name}"):
                    yield alias.name
    # What is not imported from elsewhere is a part of the package, or came from it.
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner, named = node.value, [node.attr]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("attr") and node.args:
            texts = (part.value for part in node.args if isinstance(part, ast.Constant))
            owner, named = node.args[0], [text for text in texts if isinstance(text, str)]
        else:
            continue
        if ast.unparse(owner).partition(".")[0] not in foreign:
            yield from filter(is_private, named)


def is_private(name: str) -> bool:
    """Whether a part of a dotted name is private; `__file__` and `_repr_html_` are known to all."""
    return any(part.startswith("_") and not part.endswith("_") for part in name.split("."))


if __name__ == "__main__":
    main()
