"""Damage inputs of every kind for as long as is wanted, and keep what breaks a law.

Inputs, damage and laws are those of tests/fuzzing. Each kind has its turn, some cases at a time,
in processes of their own: one that dies is a finding as well. The seed is printed first, so that a
session can be had again; each finding is a file, which --again tries once more. Exits with 1 where
there was a finding.

    python scripts/fuzz.py                         # a minute
    python scripts/fuzz.py --seconds 3600 --docs   # an hour, into docs/robustness.md
    python scripts/fuzz.py --kind kineto --seed 7
    python scripts/fuzz.py --again findings/kineto-7-123.zip
"""

from __future__ import annotations

import argparse
import resource
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from fuzzing.kept import load_case, save_case  # noqa: E402 -- after the line above
from fuzzing.laws import MEGABYTES, SECONDS, case, tried  # noqa: E402 -- after the line above
from fuzzing.targets import TARGETS  # noqa: E402 -- after the line above

PAGE = PROJECT / "docs" / "robustness.md"
BEGIN, END = "<!-- fuzz -->\n", "<!-- end -->\n"
_TURN = 40  # cases of one kind, then it is the turn of the next one
_ADDRESSES = 12 << 30  # bytes that a worker may map; Arrow maps far more than it uses
_SILENT_S = 180  # after which a worker counts as dead


@dataclass(slots=True)
class Count:
    """What came of the cases of one kind."""

    tried: int = 0
    clean: int = 0
    kept: int = 0
    findings: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0
    wrong: dict[str, int] = field(default_factory=dict)


def main() -> int:
    """Fuzz, and print the table."""
    options = _options()
    if options.again:
        return _again(Path(options.again))
    if options.turn:
        return _work(options.kind[0], options.seed, options.turn)
    seed = options.seed if options.seed is not None else secrets.randbelow(10**9)
    kinds = options.kind or list(TARGETS)
    print(f"seed {seed}", flush=True)
    counts = {kind: Count() for kind in kinds}
    begin, turn = time.monotonic(), 0
    while time.monotonic() - begin < options.seconds:
        kind = kinds[turn % len(kinds)]
        first = turn // len(kinds) * _TURN
        _turn(kind, seed, first, counts[kind], Path(options.findings))
        turn += 1
    table = "\n".join(_table(counts))
    minutes = (time.monotonic() - begin) / 60
    print(table)
    if options.docs:
        _write(table, seed, minutes)
    return 1 if any(count.findings for count in counts.values()) else 0


def _turn(kind: str, seed: int, first: int, count: Count, findings: Path) -> None:
    """Some cases of one kind, in a process of their own."""
    command = [sys.executable, __file__, "--kind", kind, "--seed", str(seed)]
    command += ["--turn", str(first + 1)]
    at, ended = first, False
    try:
        done = subprocess.run(  # noqa: S603 -- this script
            command, capture_output=True, text=True, timeout=_SILENT_S, check=False
        )
        said, died = done.stdout, f"the process ended with {done.returncode}\n{done.stderr[-2000:]}"
    except subprocess.TimeoutExpired as error:
        said = error.stdout.decode() if isinstance(error.stdout, bytes) else error.stdout or ""
        died = f"the process did not end within {_SILENT_S} s"
    for line in said.splitlines():
        number, _, rest = line.partition(" ")
        if line == "end":
            ended = True
        elif rest == "begins":
            at = int(number)
        elif number.isdecimal():
            code, seconds, megabytes, wrong = rest.split(" ", 3)
            count.tried += 1
            count.seconds = max(count.seconds, float(seconds))
            count.megabytes = max(count.megabytes, float(megabytes))
            if wrong != "None":
                _keep(kind, seed, int(number), count, findings, wrong)
            elif code in ("0", "1"):
                count.kept += 1
            else:
                count.clean += 1
    if not ended:
        count.tried += 1
        _keep(kind, seed, at, count, findings, repr(died))


def _keep(kind: str, seed: int, number: int, count: Count, findings: Path, wrong: str) -> None:
    """Write a finding, unless one with the same last line was kept already."""
    count.findings += 1
    text = str(wrong).strip("'\"").replace("\\n", "\n").strip()
    last = text.splitlines()[-1][:200]
    count.wrong[last] = count.wrong.get(last, 0) + 1
    if count.wrong[last] > 1:
        return
    findings.mkdir(exist_ok=True)
    path = save_case(case(kind, seed, number), findings / f"{kind}-{seed}-{number}.zip")
    path.with_suffix(".txt").write_text(text + "\n", encoding="utf-8")
    print(f"{path}: {last}", flush=True)


def _work(kind: str, seed: int, turn: int) -> int:
    """Try cases, and say what came of each one before and after it."""
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
    for number in range(turn - 1, turn - 1 + _TURN):
        print(f"{number} begins", flush=True)
        outcome = tried(case(kind, seed, number))
        facts = f"{outcome.exit_code} {outcome.seconds:.3f} {outcome.megabytes:.0f}"
        print(f"{number} {facts} {outcome.wrong!r}", flush=True)
    print("end", flush=True)
    return 0


def _again(path: Path) -> int:
    it = load_case(path)
    outcome = tried(it)
    print(f"kernelmap {it.command}\nexit code {outcome.exit_code}, {outcome.seconds:.2f} s")
    print(outcome.wrong or "no law is broken")
    return 1 if outcome.wrong else 0


def _table(counts: dict[str, Count]) -> Iterator[str]:
    """Markdown: a row for each kind, and their sum."""
    yield "| kind | tried | clean | kept | findings | longest, s | most memory, MB |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    every = list(counts.values())
    total = Count(
        tried=sum(count.tried for count in every),
        clean=sum(count.clean for count in every),
        kept=sum(count.kept for count in every),
        findings=sum(count.findings for count in every),
        seconds=max(count.seconds for count in every),
        megabytes=max(count.megabytes for count in every),
    )
    for kind, count in (*counts.items(), ("all", total)):
        cells = (count.tried, count.clean, count.kept, count.findings)
        numbers = " | ".join(f"{cell:,}" for cell in cells)
        yield f"| {kind} | {numbers} | {count.seconds:.1f} | {count.megabytes:.0f} |"


def _write(table: str, seed: int, minutes: float) -> None:
    """Put the table into the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END, 1)[1]
    said = f"`python scripts/fuzz.py`, seed {seed}, {minutes:.0f} minutes"
    said += f"; bounds of a case: {SECONDS} s, {MEGABYTES} MB."
    PAGE.write_text(f"{before}{BEGIN}{said}\n\n{table}\n{END}{after}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = usage.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, help="one that was printed; else a new one")
    parser.add_argument("--kind", action="append", choices=TARGETS, help="may be repeated")
    parser.add_argument("--findings", default="findings", help="where findings are written")
    parser.add_argument("--again", metavar="FILE", help="try one finding once more")
    parser.add_argument("--docs", action="store_true", help="write docs/robustness.md")
    parser.add_argument("--turn", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
