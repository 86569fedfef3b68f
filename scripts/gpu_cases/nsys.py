"""The same case under Nsight Systems, with kernelmap's NVTX marks → nsys.sqlite of the sample.

nsys writes the environment, all processes and paths into its files. Kept are only the tables that
name work, marks and devices, and of the strings only those that the kept rows refer to.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from gpu_cases.case import Case
from gpu_cases.record import CACHE
from gpu_cases.sample import MOST_BYTES

SQLITE = "nsys.sqlite"
_LONGEST_S = 900
_STEPS = Path(__file__).with_name("steps.py")
_TABLES = ("NVTX_EVENTS", "StringIds", "TARGET_INFO_CUDA_STREAM", "TARGET_INFO_CUDA_CONTEXT_INFO")
_PREFIXES = ("CUPTI_ACTIVITY_KIND_", "CUDA_GRAPH_", "ENUM_CUDA_", "ENUM_NSYS_")
_STRINGS = {"textId", "jsonTextId", "nameId", "demangledName", "shortName", "mangledName"}
_META = "META_DATA_EXPORT"
_STATED = ("EXPORT_SCHEMA_VERSION", "EXPORT_PRODUCT_VERSION", "EXPORT_PRODUCT_NAME")


def recorded(case: Case, device: str, work: Path, target: Path) -> str:
    """Put nsys.sqlite into `target`; gives what became of it, in words."""
    report = work / "nsys"
    command = [sys.executable, "-m", "kernelmap.capture.nvtx", str(_STEPS), case.name, device]
    problem = profile(command, report, work)
    if problem is not None:
        return f"nsys failed: {problem}"
    kept = target / SQLITE
    scrub(Path(f"{report}.sqlite"), kept)
    size = kept.stat().st_size
    if size > MOST_BYTES:
        kept.unlink()
        return f"nsys recorded {size / 1e6:.1f} MB, too much for a sample"
    return f"nsys.sqlite, {size / 1000:.0f} kB"


def profile(command: Sequence[str], report: Path, work: Path) -> str | None:
    """Run `command` under nsys, export SQLite; None, or the last line of what went wrong."""
    around = ["nsys", "profile", "--trace=cuda,nvtx", "--cuda-graph-trace=node"]
    around += ["--sample=none", "--cpuctxsw=none", "--force-overwrite=true", "--export=sqlite"]
    try:
        done = subprocess.run(  # noqa: S603 -- the nsys on PATH, on our own script
            [*around, "--output", str(report), *command],
            env={**os.environ, **_environment(work)},
            capture_output=True,
            text=True,
            check=False,
            timeout=_LONGEST_S,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        return str(error)
    if Path(f"{report}.sqlite").exists() and done.returncode == 0:
        return None
    # The program writes to the one, nsys to the other: what broke the program is the cause.
    lines = [line for text in (done.stdout, done.stderr) for line in text.strip().splitlines()]
    return (lines or ["no message"])[-1]


def _environment(work: Path) -> dict[str, str]:
    """What has steps.py import this project, and torch write the code of the recorded run."""
    paths = [str(_STEPS.parents[2]), os.environ.get("PYTHONPATH", "")]
    return {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "TORCHINDUCTOR_CACHE_DIR": str(work / CACHE),
        "INDUCTOR_PROVENANCE": "1",
        "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",
    }


def nvtx_texts(path: Path) -> list[str]:
    """The texts of all push/pop ranges of an export, in order."""
    with closing(sqlite3.connect(path)) as file:
        rows = file.execute(
            "select coalesce(n.text, s.value) from NVTX_EVENTS n"
            " left join StringIds s on s.id = n.textId where n.eventType = 59 order by n.start"
        )
        return [str(text) for (text,) in rows]


def captured_nodes(path: Path) -> list[int]:
    """Ids of the graph nodes that captures made, in the order in which they were made.

    Up to Nsight Systems 2024.1 the nodes' table has the name that graphs' has later.
    """
    with closing(sqlite3.connect(path)) as file:
        tables = {name for name, _ in file.execute("select name, sql from sqlite_master")}
        for table in ("CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS"):
            if table in tables:
                rows = file.execute(
                    f"select graphNodeId from {table}"  # noqa: S608 -- one of two
                    " where originalGraphNodeId is null order by start"
                )
                return [int(node) for (node,) in rows]
    return []


def scrub(source: Path, kept: Path) -> None:
    """Copy the tables that name work, marks and devices, with the strings that they use."""
    kept.unlink(missing_ok=True)
    with closing(sqlite3.connect(kept)) as file:
        file.execute("attach database ? as source", (str(source),))
        for name, definition in _kept_tables(file):
            file.execute(definition)
            columns = ", ".join(f'"{column}"' for column in _columns(file, name))
            file.execute(f'insert into main."{name}" select {columns} from source."{name}"')  # noqa: S608 -- names of the schema
        used = " union ".join(
            f'select "{column}" from main."{name}" where "{column}" is not null'  # noqa: S608 -- as above
            for name, _ in _kept_tables(file)
            for column in _columns(file, name)
            if column in _STRINGS
        )
        file.execute(f"delete from main.StringIds where id not in ({used})")  # noqa: S608 -- as above
        marks = ",".join("?" * len(_STATED))
        if _META in {name for name, _ in _all_tables(file)}:
            file.execute(f"create table main.{_META} (name text, value text)")
            file.execute(
                f"insert into main.{_META} select name, value from source.{_META}"  # noqa: S608 -- as above
                f" where name in ({marks})",
                _STATED,
            )
        file.commit()
        file.execute("detach database source")
        file.execute("vacuum")


def _kept_tables(file: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    for name, definition in _all_tables(file):
        if name in _TABLES or name.startswith(_PREFIXES):
            yield name, definition


def _all_tables(file: sqlite3.Connection) -> list[tuple[str, str]]:
    return file.execute(
        "select name, sql from source.sqlite_master where type = 'table'"
    ).fetchall()


def _columns(file: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in file.execute(f'pragma source.table_info("{table}")')]
