"""Write the parts of the docs that follow from the code, or check that they are fresh.

Made whole: docs/columns.md from the schemas of tables/, docs/cli.md from the commands,
docs/schemas.md from what describes documents of JSON, docs/limits.md from model/paths.py,
docs/api.md from the public names, docs/tour.md from the first lines of all modules,
docs/libraries.md from what matching expects of library calls; kernelmap/messages.md, which
`kernelmap help` prints, is docs/messages.md.
Made in part: every Markdown text with a block

    <!-- output of: kernelmap … -->
    <!-- end of output -->

gets between the two lines what that command prints, run here in the project's folder;
docs/versions.md has a table of docs/versions/, which scripts/torch_versions.py wrote.

    python scripts/make_docs.py            # write
    python scripts/make_docs.py --check    # name what is stale, exit 1
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from functools import partial
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
import usage
from api import api
from click.testing import CliRunner
from libraries import libraries
from torch_releases.findings import read_kept
from torch_releases.table import release_table
from tour import tour

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from kernelmap.cli import main as kernelmap  # noqa: E402 -- after the line above
from kernelmap.cli.common import Command  # noqa: E402 -- after the line above
from kernelmap.cli.schemas import KINDS, schema_of  # noqa: E402 -- after the line above
from kernelmap.history.compare.numbers.rolled import ROLLED  # noqa: E402 -- after the line above
from kernelmap.history.compare.texts.in_json import SUMS  # noqa: E402 -- after the line above
from kernelmap.history.store.following import FOLLOWED  # noqa: E402 -- after the line above
from kernelmap.history.store.texts import RUNS  # noqa: E402 -- after the line above
from kernelmap.model.paths import LIMITS  # noqa: E402 -- after the line above
from kernelmap.pages.program import CODE_CALLS  # noqa: E402 -- after the line above
from kernelmap.tables.fleet import FLEET, RANK  # noqa: E402 -- after the line above
from kernelmap.tables.memory import MEMORY_TABLES  # noqa: E402 -- after the line above
from kernelmap.tables.memory_measured import MEASURED_TABLES  # noqa: E402 -- after the line above
from kernelmap.tables.roofline import COLLECTIVE_SPEEDS, REASONS, ROOFLINE  # noqa: E402 -- after the line above
from kernelmap.tables.schema import TABLES  # noqa: E402 -- after the line above

WIDTH = "100"
DOCS = PROJECT / "docs"
_MADE = "<!-- Made by scripts/make_docs.py; do not edit. -->"
_BLOCK = re.compile(
    r"(?P<begin><!-- output of: (?P<command>kernelmap [^\n]*) -->\n)"
    r".*?"
    r"(?P<end><!-- end of output -->)",
    re.DOTALL,
)
_RELEASES = re.compile(
    r"(?P<begin><!-- table of: docs/versions -->\n).*?(?P<end><!-- end of table -->)", re.DOTALL
)

_COLUMNS = f"""{_MADE}
# Tables and columns

The same names stand in JSON, CSV, Parquet, the report and the Python API.
Times are whole nanoseconds. A missing cell is null, never an empty text or 0.
Every table but `launches` and `ledger` has rows whose name stands in parentheses: they hold the
time that has no such owner, so that every table adds up to the window. `launches` and `invocations`
grow with the trace: a folder of Parquet files holds them, JSON with `--launches` only. The tables
`roofline_…` are those of [`correlate --roofline`](roofline.md), in JSON without that beginning; so
are those of [`kernelmap fleet`](fleet.md), `fleet_…`; `rank_…` is what it keeps of each rank.
`memory` and `memory_…` are those of [`kernelmap memory`](memory.md), whose JSON calls them
`buffers`, `graphs`, `lines`, `statements`, `saved`, `runs`, `savings`, `measured`, `held`,
`counted`, `snapshots` and `snapshot_lines`.
The columns of work, `bytes` to `headroom_ns`, need the code to be read once more: `correlate`
fills them with `--sort headroom` or `--device-limits`, in a report and in a folder of Parquet
files; elsewhere it leaves them null.

"""

_LIMITS = f"""{_MADE}
# Limits

A small file can ask for much memory: a packed file of one letter, a table that claims millions of
rows. Each limit below makes that an error ([input-too-large](messages.md#input-too-large)) before
the memory is taken. Honest input stays far below.

The environment variable `KERNELMAP_LIMITS` lifts them, for input that you trust: a number
multiplies all limits (`KERNELMAP_LIMITS=4` allows four times as much, `0.5` half), `off` takes them
away. What a file takes that is as large as it looks grows with its size, and has no limit.

Only regular files and folders are read, and links to them: pipes and devices, which may never end,
are refused wherever they lie.

| limit | at most | of what |
|---|---|---|
"""

_SCHEMAS = f"""{_MADE}
# Documents of JSON

What `--format json` prints, by the `format` that each document names. `kernelmap help schemas NAME`
prints the JSON Schema of one, with the keys of everything in it; every document that a command
prints in the tests is held against its schema. Keys are added in later versions, and never renamed;
`version` grows where a reader of the old form would misunderstand the new one. Rows have the
columns of [columns.md](columns.md).

"""

_CLI = f"""{_MADE}
# Command line

Results go to stdout; notices, progress and errors go to stderr.
[Exit codes](for-agents.md#exit-codes) are 0 to 3 but for signals and `capture`, and
`kernelmap help exit-codes` prints them. A path without a command is `correlate --by line`.
[messages.md](messages.md) explains every error and notice.

"""


def main() -> None:
    """Write all documents, or compare them with what they should be."""
    parser = usage.parser(__doc__)
    parser.add_argument("--check", action="store_true", help="name what is stale, exit 1")
    check = parser.parse_args().check
    made = {path: make_text() for path, make_text in documents().items()}
    stale = {
        path: text
        for path, text in made.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in stale.items():
        if not check:
            path.write_text(text, encoding="utf-8")
        print(f"{'stale' if check else 'wrote'}: {path.relative_to(PROJECT)}")
    sys.exit(1 if check and stale else 0)


def documents() -> Mapping[Path, Callable[[], str]]:
    """What makes each text that is made, whole or in part, as it should be."""
    texts = (PROJECT / "README.md", *sorted(DOCS.glob("*.md")))
    return {
        **{path: partial(with_outputs, path) for path in texts},
        DOCS / "versions.md": versions,
        DOCS / "columns.md": lambda: _COLUMNS + _tables(),
        DOCS / "schemas.md": lambda: _SCHEMAS + "\n\n".join(_schemas()) + "\n",
        DOCS / "limits.md": lambda: _LIMITS + _limits(),
        DOCS / "cli.md": lambda: _CLI + "\n\n".join(_commands()) + "\n",
        DOCS / "api.md": api,
        DOCS / "libraries.md": libraries,
        DOCS / "tour.md": tour,
        PROJECT / "kernelmap" / "messages.md": partial(
            (DOCS / "messages.md").read_text, encoding="utf-8"
        ),
    }


def shows_outputs(path: Path) -> bool:
    """Whether a page has blocks with what commands print, for which they have to run."""
    return _BLOCK.search(path.read_text(encoding="utf-8")) is not None


def with_outputs(path: Path) -> str:
    """The text of a page with what the commands in its blocks print."""
    text = path.read_text(encoding="utf-8")
    return _BLOCK.sub(lambda match: match["begin"] + _shown(match["command"]) + match["end"], text)


def versions() -> str:
    """docs/versions.md with its table of releases of torch."""
    text = (DOCS / "versions.md").read_text(encoding="utf-8")
    table = release_table(read_kept())
    return _RELEASES.sub(lambda match: match["begin"] + table + match["end"], text)


def _shown(command: str) -> str:
    return f"```console\n$ {command}\n{output_of(command)}```\n"


def output_of(command: str) -> str:
    """What a `kernelmap …` command prints, notices included, in a terminal of WIDTH columns."""
    with chdir(PROJECT):
        result = CliRunner().invoke(kernelmap, shlex.split(command)[1:], env={"COLUMNS": WIDTH})
    if result.exit_code:
        raise SystemExit(f"{command} exits with {result.exit_code}:\n{result.output}")
    return "\n".join(line.rstrip() for line in result.output.splitlines()).strip("\n") + "\n"


def _tables() -> str:
    """All tables, a line per column; those of a roofline come last."""
    parts = []
    for table in (
        *TABLES.values(),
        *ROOFLINE.values(),
        REASONS,
        COLLECTIVE_SPEEDS,
        *MEMORY_TABLES.values(),
        *MEASURED_TABLES.values(),
        *FLEET.values(),
        *RANK.values(),
        CODE_CALLS,
        SUMS,
        ROLLED,
        RUNS,
        FOLLOWED,
    ):
        lines = [
            f"## {table.name}",
            "",
            f"A row is {table.row}. Sorted by {table.order}.",
            "",
            "| column | type | unit | null | meaning |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| {column.name} | {column.type} | {column.unit or ''} "
            f"| {'yes' if column.nullable else ''} | {column.help} |"
            for column in table.columns
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _schemas() -> Iterator[str]:
    """A section per kind of document: which commands print it, and its keys."""
    for name, kind in KINDS.items():
        schema = schema_of(name)
        keys = schema["$defs"][schema["$ref"].rpartition("/")[2]]
        rows = [
            f"| {key} | {_type_in_words(value)} | {'' if key in keys['required'] else 'yes'} |"
            for key, value in keys["properties"].items()
        ]
        head = [f"## {name}", "", f"Version {kind.version}, printed by {kind.printed_by}.", ""]
        yield "\n".join([*head, "| key | what it holds | may be missing |", "|---|---|---|", *rows])


def _type_in_words(value: Mapping[str, Any]) -> str:
    """`list of row`, `integer or null`: what a key of a schema holds."""
    if "anyOf" in value:
        return " or ".join(map(_type_in_words, value["anyOf"]))
    if "$ref" in value:
        return f"`{value['$ref'].rpartition('/')[2]}`"
    if "enum" in value:
        return " or ".join(f"`{word}`" for word in value["enum"])
    if value.get("type") == "array":
        inside = value.get("items", {})
        return f"list of {_type_in_words(inside)}" if inside else "list"
    if value.get("type") == "object" and value.get("additionalProperties"):
        return f"object of {_type_in_words(value['additionalProperties'])}"
    return str(value.get("type", "anything"))


def _limits() -> str:
    """A line per limit."""
    return "".join(
        f"| {limit.name} | {limit.most:,} {limit.unit} | {limit.of} |\n" for limit in LIMITS
    )


def _commands() -> Iterator[str]:
    with kernelmap.make_context("kernelmap", [], resilient_parsing=True) as top:
        yield _described(kernelmap, top)
        yield from _below(kernelmap, top)


def _below(group: click.Group, above: click.Context) -> Iterator[str]:
    """The commands of a group, each with those below it."""
    for name in group.list_commands(above):
        command = group.get_command(above, name)
        if command is not None:
            with command.make_context(name, [], parent=above, resilient_parsing=True) as ctx:
                yield _described(command, ctx)
                if isinstance(command, click.Group):
                    yield from _below(command, ctx)


def _described(command: click.Command, ctx: click.Context) -> str:
    """A heading, how it is called, what it does, examples, options."""
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    about, _, examples = cleandoc(command.help or "").partition("\n\nExample: ")
    parts = [f"## {ctx.command_path}", f"```text\n{usage}\n```", about]
    if examples:
        lines = "\n".join(line.strip() for line in examples.splitlines())
        parts.append(f"```sh\n{lines}\n```")
    if not isinstance(command, Command):
        raise TypeError(f"{ctx.command_path} is no command of kernelmap.cli")
    options = (*command.own_options(ctx), *command.shared)
    records = [option.get_help_record(ctx) for option in options]
    rows = [" | ".join(map(_cell, record)) for record in records if record]
    parts.append("\n".join(["| option | meaning |", "|---|---|", *(f"| {row} |" for row in rows)]))
    return "\n\n".join(parts)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


if __name__ == "__main__":
    main()
