"""The docs say what the code does: made parts are fresh, lists are whole, links lead somewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import make_docs
import pytest
import tour

from kernelmap.attribution.divide import divide_bucket, divide_calls
from kernelmap.attribution.rollup import shares_of_ops
from kernelmap.attribution.time_buckets import TimeBucket
from kernelmap.history.compare.numbers.rolled import ROLLED
from kernelmap.history.compare.texts.in_json import SUMS
from kernelmap.history.store.following import FOLLOWED
from kernelmap.history.store.texts import RUNS
from kernelmap.model import (
    Backend,
    CompiledGraph,
    CompiledProgram,
    Confidence,
    Method,
    Origins,
    Reason,
    WrapperCall,
)
from kernelmap.pages.program import CODE_CALLS
from kernelmap.tables.fleet import FLEET, RANK
from kernelmap.tables.memory import MEMORY_TABLES
from kernelmap.tables.memory_measured import MEASURED_TABLES
from kernelmap.tables.roofline import COLLECTIVE_SPEEDS, REASONS, ROOFLINE
from kernelmap.tables.schema import TABLES

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
TEXTS = sorted(
    [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "scripts").rglob("*.md")],
    key=lambda path: path.relative_to(ROOT).as_posix(),
)
PAGE = 60  # lines that fit on one


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def headings(text: str, level: str = "## ") -> list[str]:
    without_code = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [line[len(level) :] for line in without_code.splitlines() if line.startswith(level)]


@cache
def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as the usual Markdown viewers make them."""
    titles = [title for level in ("# ", "## ", "### ") for title in headings(read(path), level)]
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def cells(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table whose header line is `heading`, without its two first lines."""
    lines = text.splitlines()
    start = lines.index(heading) + 2
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


MADE = make_docs.documents()
PAGES = [
    pytest.param(
        path,
        id=name_of(path),
        marks=[pytest.mark.thorough] if make_docs.shows_outputs(path) else [],
    )
    for path in sorted(DOCS.glob("*.md"))
]
"""What commands print there is tried in the thorough run; that of the README in every one."""


def test_every_column_has_a_line() -> None:
    """docs/columns.md has a heading per table and a line per column."""
    text = MADE[DOCS / "columns.md"]()

    tables = [
        *TABLES.values(),
        *ROOFLINE.values(),
        REASONS,
        COLLECTIVE_SPEEDS,
        *MEMORY_TABLES.values(),
        *MEASURED_TABLES.values(),
        *FLEET.values(),
        *RANK.values(),
        *(CODE_CALLS, SUMS, ROLLED, RUNS, FOLLOWED),
    ]
    for table in tables:
        assert f"## {table.name}\n" in text
    assert text.count("\n| ") == sum(len(table.columns) + 1 for table in tables)


@pytest.mark.parametrize("path", [pytest.param(ROOT / "README.md", id="README.md"), *PAGES])
def test_made_parts_are_fresh(path: Path) -> None:
    """Columns, commands and shown outputs are those of today; `make docs` writes them anew."""
    assert MADE[path]() == read(path)


def test_the_package_carries_the_page_of_messages() -> None:
    """`kernelmap help` prints docs/messages.md: the copy in the package has the same words."""
    carried = ROOT / "kernelmap" / "messages.md"

    assert MADE[carried]() == read(carried) == read(DOCS / "messages.md")


def test_every_module_says_what_it_gives() -> None:
    """The first line of a module is a sentence of its own, and no other module has the same."""
    modules = sorted((ROOT / "kernelmap").rglob("*.py"))
    lines = [tour.first_line(path) for path in modules]
    listed = read(DOCS / "tour.md")

    assert [line for line in lines if not line.endswith(".")] == []
    assert [line for line in set(lines) if lines.count(line) > 1] == []
    assert [line for line in lines[1:] if line.replace("|", "\\|") not in listed] == []


_RAISED = ("KernelmapError", "UsageError")
_SAID = ("Notice", "Claim")


def slugs() -> Iterator[str]:
    """The slugs of all errors, notices and findings in the source."""
    for path in sorted((ROOT / "kernelmap").rglob("*.py")):
        text = read(path)
        if not any(f"{name}(" in text for name in (*_RAISED, *_SAID)):
            continue  # to parse all modules takes a second
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            given = {keyword.arg: keyword.value for keyword in node.keywords}.get("slug")
            if node.func.id in _RAISED:
                given = given or node.args[0]
            elif node.func.id not in _SAID:
                continue
            assert isinstance(given, ast.Constant), f"{path}:{node.lineno}: write the slug out"
            yield str(given.value)


def test_every_message_has_a_heading() -> None:
    """docs/messages.md explains each slug of the source once, in order, and no other."""
    assert headings(read(DOCS / "messages.md")) == sorted(set(slugs()))


def links(page: Path) -> list[str]:
    """The targets of a page's links, as they are written there."""
    return re.findall(r"\]\(([^)\s]+)\)", read(page))


def leads_somewhere(page: Path, target: str) -> bool:
    """Whether a link names a file of the project, and a heading in it where it names one."""
    file, _, anchor = target.partition("#")
    there = (page.parent / file).resolve() if file else page
    is_ours = there.is_relative_to(ROOT) and there.exists()
    return is_ours and (not anchor or anchor in anchors(there))


def test_links_resolve() -> None:
    """A link names a file of the project, and a heading in it where it names one."""
    dead = [
        f"{name_of(page)}: {target}"
        for page in TEXTS
        for target in links(page)
        if not leads_somewhere(page, target)
    ]

    assert dead == []


def test_every_page_is_linked() -> None:
    """Whoever starts at the README finds every page of docs/."""
    seen: set[Path] = set()
    ahead = [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        seen.add(page)
        targets = {(page.parent / target.partition("#")[0]).resolve() for target in links(page)}
        ahead += [path for path in targets if path.suffix == ".md" and path not in seen]

    assert set(DOCS.rglob("*.md")) <= seen


def test_no_text_names_a_machine_or_a_host() -> None:
    """Docs hold no path of a machine and no address of a package index."""
    machine = re.compile(r"(?<!\w)/work\b|/tmp/venv|/root\b|\bshared/")
    host = re.compile(r"://|\b[\w-]+\.(?:org|com|io|dev)\b")
    named = [
        name_of(path) for path in TEXTS if machine.search(read(path)) or host.search(read(path))
    ]

    assert named == []


def test_a_decision_is_one_page() -> None:
    """A decision tells its context, the choice and its price, under its number, on one page."""
    for path in DECISIONS:
        text = read(path)

        assert text.startswith(f"# {path.name[:4]}: "), path.name
        assert headings(text) == ["Context", "Choice", "Price"], path.name
        assert len(text.splitlines()) <= PAGE, path.name


def test_decisions_are_numbered_and_listed() -> None:
    """Numbers run without a gap, and the list names each decision as it names itself."""
    titles = [read(path).splitlines()[0].removeprefix("# ").split(": ", 1) for path in DECISIONS]
    listed = re.findall(
        r"^\| \[(\d+)\]\(([^)]+)\) \| (.*) \|$", read(DOCS / "decisions/README.md"), re.MULTILINE
    )

    assert [number for number, _ in titles] == [f"{n:04}" for n in range(1, len(titles) + 1)]
    assert listed == [
        (number, path.name, title) for path, (number, title) in zip(DECISIONS, titles, strict=True)
    ]


def replacements(word: str) -> set[tuple[str, str]]:
    """Pairs of decisions: the one whose third line says the word, and each that is named there."""
    return {
        (path.name[:4], number)
        for path in DECISIONS
        for part in re.split(r"(?<=\.) (?=Replace)", read(path).splitlines()[2])
        if part.startswith(f"{word} ")
        for number in re.findall(r"\[(\d{4})\]", part)
    }


def test_a_decision_that_was_replaced_says_by_which_and_the_other_says_so() -> None:
    """Both ends of a replacement stand below the title: a reader of either finds the other."""
    replaced = replacements("Replaced")

    assert replaced
    assert replaced == {(older, newer) for newer, older in replacements("Replaces")}
    assert all(older < newer for older, newer in replaced)
    assert not [path for path in DECISIONS if re.search("[Ss]upersede", read(path))]


def test_confidences_methods_and_reasons_are_explained() -> None:
    """How it works names every word that those columns may hold."""
    text = read(DOCS / "how-it-works.md")
    words = [*Confidence, *list(Method)[1:], *list(Reason)[1:]]
    explained = {row[0] for row in cells(text, "| confidence | the launch |")}

    assert explained == {word.name.lower() for word in Confidence}
    assert [
        w for w in words if f"`{w.name.lower()}`" not in text and w.name.lower() not in explained
    ] == []


def test_the_worked_example_is_what_the_rules_give() -> None:
    """The calls of the example, split by the real rules, give the ops of the example."""
    text = read(DOCS / "how-it-works.md")
    given = cells(text, "| call | its comment lists | time |")
    expected = cells(text, "| op | time_ns | exclusive_ns | involved_ns |")
    calls = tuple(statement(index, *row[:2]) for index, row in enumerate(given))
    program = CompiledProgram(graphs=(CompiledGraph(id="0_forward", calls=calls),))
    buckets = [
        TimeBucket(calls=(index,), unattributed=None, op=None, launches=1, time_ns=number(row[2]))
        for index, row in enumerate(given)
    ]
    divisions = divide_calls(program)
    divided = [divide_bucket(bucket, divisions) for bucket in buckets]
    times_of_op = {
        op.name: (op.time_ns, op.exclusive_ns, op.involved_ns)
        for op in shares_of_ops(program, divided)
    }

    assert times_of_op == {row[0]: tuple(map(number, row[1:])) for row in expected}


def statement(index: int, wrapper: str, listed: str) -> WrapperCall:
    wrapper = wrapper.strip("`")
    library = wrapper.startswith("extern_kernels.")
    return WrapperCall(
        index=index,
        wrapper=wrapper,
        backend=Backend.EXTERN if library else Backend.TRITON,
        line=1,
        target=wrapper.replace("extern_kernels", "aten") if library else None,
        origins=Origins(nodes=("n",), aten=tuple(listed.split(", ")), ordered=True),
    )


def number(text: str) -> int:
    return int(text.removesuffix(" ns").replace(",", ""))


_IN_A_FOLDER = re.compile(
    r"(?<![\w./<*{}-])((?:[a-z_0-9]+/)+[a-z_0-9]+\.(?:py|md|js|css|toml|c))\b"
)


def named_files() -> Iterator[tuple[Path, str]]:
    """The files of the project that its code and its pages name, with the file that names each.

    A path counts as ours where its first folder is one of the project's or of the package's. The
    tour is made of the files, and names them within their room: `pages/` is one of `dashboard/`.
    """
    package = ROOT / "kernelmap"
    for path in (*package.rglob("*.py"), *(it for it in TEXTS if it.name != "tour.md")):
        for name in _IN_A_FOLDER.findall(read(path)):
            first = name.partition("/")[0]
            if (ROOT / first).is_dir() or (package / first).is_dir():
                yield path, name


def test_files_that_are_named_are_there() -> None:
    """A file that moves takes along the sentences that send a reader to it."""
    named = list(named_files())
    gone = [
        f"{name_of(path)}: {name}"
        for path, name in named
        if not any((root / name).is_file() for root in (ROOT, ROOT / "kernelmap", path.parent))
    ]

    assert named
    assert gone == []
