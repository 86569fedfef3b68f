"""Kill what writes, let its disk be full, let two write at once, and look what is there then.

`runs add`, `annotate`, `capture`, `correlate -o report.html` and `correlate -o FOLDER` are killed
200 times while they write (SIGKILL and SIGTERM by turns), have a full disk 200 times (a limit on
the bytes of a file, drawn at random), and 40 times two processes that believe to have one id write
to one place. What is there afterwards must be the old result or the new one, whole, and nothing
else; what was acknowledged must be there; somebody else's files must be as they were. Exits with 1
otherwise.

    python scripts/break_writers.py                # some minutes
    python scripts/break_writers.py --docs         # and writes the figures into docs/robustness.md
    python scripts/break_writers.py --times 20
    python scripts/break_writers.py --only capture
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from broken_results import Tried, fill, kill, meet, reference  # noqa: E402 -- after the line above
from broken_writers import OUTPUTS  # noqa: E402 -- after the line above

_DOCS = PROJECT / "docs" / "robustness.md"
_BEGIN, _END = "<!-- writers -->", "<!-- end -->"
_HEAD = (
    "| what | how | times | old | new | none | aside | leftovers | findings | seconds |",
    "|---|---|---|---|---|---|---|---|---|---|",
)
_MEETINGS = 5  # kills and full disks per meeting


def main() -> int:
    """Try every kind in every way."""
    parser = usage.parser(__doc__)
    parser.add_argument("--times", type=int, default=200, help="kills, and as many full disks")
    parser.add_argument("--only", choices=OUTPUTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--docs", action="store_true", help="write docs/robustness.md")
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311 -- moments, no secrets
    kinds = [options.only] if options.only else list(OUTPUTS)
    times_per_kind = -(-options.times // len(kinds))
    lines = list(_HEAD)
    print(*lines, sep="\n")
    good = True
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            for how, times, tried, seconds in _tried(kind, Path(folder), times_per_kind, chance):
                good &= not tried.findings
                counts = (times, tried.old, tried.new, tried.none, tried.aside, tried.left)
                cells = (kind, how, *counts, len(tried.findings), round(seconds))
                lines.append(f"| {' | '.join(map(str, cells))} |")
                print(lines[-1], flush=True)
                for finding in tried.findings:
                    print(finding, file=sys.stderr)
    if options.docs:
        before, begin, rest = _DOCS.read_text(encoding="utf-8").partition(_BEGIN)
        after = rest.partition(_END)[2]
        _DOCS.write_text("\n".join([before + begin, *lines, _END + after]), encoding="utf-8")
    return 0 if good else 1


def _tried(
    kind: str, folder: Path, times: int, chance: random.Random
) -> Iterator[tuple[str, int, Tried, float]]:
    """How a kind was disturbed, how often, what came of it, and the seconds that took."""
    whole = reference(kind, folder / "reference")
    meetings = -(-times // _MEETINGS)
    begun = time.monotonic()
    yield "killed", times, kill(kind, folder, times, whole, chance), time.monotonic() - begun
    begun = time.monotonic()
    yield "full disk", times, fill(kind, folder, times, whole, chance), time.monotonic() - begun
    begun = time.monotonic()
    yield "two of one id", meetings, meet(kind, folder, meetings, whole), time.monotonic() - begun


if __name__ == "__main__":
    sys.exit(main())
