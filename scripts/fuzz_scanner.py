"""Run the scanners in C under AddressSanitizer and UndefinedBehaviorSanitizer on damaged traces.

Builds fuzz_scanner.c and fuzz_packets.c, which include the scanners of JSON and of packets without
Python, and hands them the events of the samples. Each damages and scans some ten thousand texts a
second; the first read or write out of bounds, or undefined step, ends it with a report. Exits with
1 then, and the text is in finding.bin.
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
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from worlds.pftrace import of_json  # noqa: E402 -- after the line above

SOURCE = PROJECT / "scripts" / "fuzz_scanner.c"
OF_PACKETS = PROJECT / "scripts" / "fuzz_packets.c"
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
        for source, inputs in ((SOURCE, seeds), (OF_PACKETS, seeds_of_packets)):
            program = build(Path(name), source)
            if program is None:
                print("no compiler with address and undefined-behavior sanitizers here")
                return 0
            given = [str(options.seconds), str(options.seed)]
            command: list[str | Path] = [program, *given, *inputs(Path(name))]
            if subprocess.run(command, check=False).returncode:  # noqa: S603 -- our own program
                return 1
        return 0


def build(folder: Path, source: Path = SOURCE) -> Path | None:
    """The program, built in `folder`; None where no compiler has the sanitizers."""
    program = folder / source.stem
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


def seeds_of_packets(folder: Path) -> list[Path]:
    """The same samples as Perfetto traces."""
    paths = []
    for number, profile in enumerate(sorted(PROJECT.glob("sample_traces/*/profile.json.gz"))):
        paths.append(folder / f"packets{number}")
        paths[-1].write_bytes(of_json(gzip.decompress(profile.read_bytes())))
    return paths


if __name__ == "__main__":
    sys.exit(main())
