"""Run the scanner in C under AddressSanitizer and UndefinedBehaviorSanitizer on damaged traces.

Builds fuzz_scanner.c, which includes the scanner without Python, and hands it the events of the
samples. It damages and scans some ten thousand texts a second; the first read or write out of
bounds, or undefined step, ends it with a report. Exits with 1 then, and the text is in finding.bin.
Where no compiler has the sanitizers it says so, and does nothing.

    python scripts/fuzz_scanner.py                  # a minute
    python scripts/fuzz_scanner.py --seconds 3600
"""

from __future__ import annotations

import gzip
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
SOURCE = PROJECT / "scripts" / "fuzz_scanner.c"
FLAGS = ("-std=c11", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_SAMPLE = b'{"ph":"C","name":"Power (W)","pid":"GPU 0 Counters","ts":12.5,"args":{"":412.25}}'
_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')


def main() -> int:
    """Build and run the target."""
    parser = usage.parser(__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        program = build(Path(name))
        if program is None:
            print("no compiler with address and undefined-behavior sanitizers here")
            return 0
        command: list[str | Path] = [
            program,
            str(options.seconds),
            str(options.seed),
            *seeds(Path(name)),
        ]
        return 1 if subprocess.run(command, check=False).returncode else 0  # noqa: S603 -- our own program


def build(folder: Path, source: Path = SOURCE) -> Path | None:
    """The program, built in `folder`; None where no compiler has the sanitizers."""
    program = folder / "fuzz_scanner"
    for compiler in filter(None, map(shutil.which, ("clang", "gcc", "cc"))):
        (folder / "empty.c").write_text("int main(void) { return 0; }\n")
        works: list[str | Path] = [compiler, *FLAGS, "-o", program, folder / "empty.c"]
        if subprocess.run(works, capture_output=True, check=False).returncode:  # noqa: S603 -- a compiler
            continue
        subprocess.run([compiler, *FLAGS, "-o", program, source], check=True)  # noqa: S603 -- as above
        return program
    return None


def seeds(folder: Path) -> list[Path]:
    """Files with the events of the samples, without what stands around them; one of counters."""
    paths = [folder / "sampled"]
    paths[0].write_bytes(b",\n".join([_SAMPLE] * 40))
    for number, profile in enumerate(sorted(PROJECT.glob("sample_traces/*/profile.json.gz"))):
        text = gzip.decompress(profile.read_bytes())
        listed = _EVENTS.search(text)
        paths.append(folder / f"seed{number}")
        paths[-1].write_bytes(text[listed.end() if listed else 0 :])
    return paths


if __name__ == "__main__":
    sys.exit(main())
