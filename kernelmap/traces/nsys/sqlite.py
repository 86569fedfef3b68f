"""SQLite exports and reports of Nsight Systems → their tables.

Only nsys itself reads its reports (.nsys-rep). Where nsys is on PATH the report is exported into a
temporary folder, which is deleted afterwards. Elsewhere the error says which command makes a file
that can be read anywhere.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from kernelmap.errors import KernelmapError
from kernelmap.model.paths import is_confined
from kernelmap.traces.sqlite_tables import SqliteForm, SqliteTables, open_tables

EXPORT_AGAIN = "Export the report again: nsys export --type sqlite REPORT.nsys-rep"

_QUOTED = 300  # characters of what nsys says


_FORM = SqliteForm(
    writer="nsys",
    again=EXPORT_AGAIN,
    damaged=lambda message, hint: KernelmapError("nsys-damaged", message, hint),
    being_written=lambda message, hint: KernelmapError("nsys-being-written", message, hint),
)


@contextmanager
def opened(path: Path, source: str | None = None) -> Iterator[SqliteTables]:
    """The export at `path`; KernelmapError where it is damaged or just being written.

    `source` is how messages name it, by default the path.
    """
    with open_tables(path, _FORM, source) as tables:
        yield tables


@contextmanager
def exported(path: Path) -> Iterator[SqliteTables]:
    """The report at `path` as SQLite; KernelmapError where there is no nsys, or it fails."""
    nsys = None if is_confined() else shutil.which("nsys")
    by_hand = f"nsys export --type sqlite {shlex.quote(str(path))}"
    if nsys is None:
        why = "no program is started here" if is_confined() else "nsys is not on PATH"
        raise KernelmapError(
            "nsys-missing",
            f"{path} is a report of Nsight Systems, which only nsys reads, and {why}",
            f"Where nsys is installed, run: {by_hand}; then give the .sqlite file.",
        )
    with TemporaryDirectory(prefix="kernelmap-") as folder:
        target = Path(folder) / "report.sqlite"
        command = [nsys, "export", "--type", "sqlite", "--output", str(target), str(path.resolve())]
        done = subprocess.run(  # noqa: S603 -- the user's own nsys, no shell
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if done.returncode or not target.is_file():
            raise KernelmapError(
                "nsys-export-failed",
                f"{path}: nsys export ended with {done.returncode}: {_end_of_output(done)}",
                f"A report is read by the nsys that wrote it, or a newer one; try: {by_hand}",
            )
        with opened(target, source=str(path)) as tables:
            yield tables


def _end_of_output(done: subprocess.CompletedProcess[bytes]) -> str:
    """The end of what nsys said, on one line."""
    text = (done.stderr or done.stdout).decode("utf-8", "replace")
    return " ".join(text.split())[-_QUOTED:] or "nothing was said"
