"""Kill recorders at random moments, and look what the store lost or shows that it should not.

Starts a process that records runs, one after the other, and kills it (SIGKILL) at a random moment;
200 times in a folder, and as often in an S3 server of this machine where moto and s3fs are
installed. Then every run that a recorder had finished must be there, and every run that is there
must be whole, by its digests. Eight recorders at once must make eight runs. Exits with 1 otherwise.

    python scripts/kill_recorders.py               # some minutes
    python scripts/kill_recorders.py --times 20
    python scripts/kill_recorders.py --only folder
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from kernelmap.store.store import Store  # noqa: E402 -- after the line above
from store.local_s3 import s3_server  # noqa: E402 -- after the line above
from store.made import kill_recorders, record_at_once  # noqa: E402 -- after the line above

RECORDERS, LONGEST = 8, 0.3


def main() -> int:
    """Try both places."""
    parser = usage.parser(__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--only", choices=("folder", "s3"))
    options = parser.parse_args()
    good = True
    if options.only != "s3":
        with tempfile.TemporaryDirectory() as folder:
            good &= _tried("folder", f"{folder}/killed", f"{folder}/at_once", options.times, {})
    if options.only != "folder":
        if find_spec("moto") is None or find_spec("s3fs") is None:
            print("s3: moto or s3fs is missing; not tried")
        else:
            with _s3() as environment:
                good &= _tried(
                    "s3", "s3://runs/killed", "s3://runs/at_once", options.times, environment
                )
    return 0 if good else 1


def _tried(label: str, url: str, other: str, times: int, environment: Mapping[str, str]) -> bool:
    killed = kill_recorders(url, times, seed=0, longest=LONGEST, environment=environment)
    store = Store(url)
    there = {run.id for run in store.runs()}
    lost = killed.finished - there
    whole, damaged = store.check()
    left = list(store.place.leftovers())
    print(f"{label}: {times} recorders killed; of {len(killed.finished)} finished runs ", end="")
    print(f"{len(lost)} lost; {len(there)} there, {whole} whole, {len(damaged)} damaged; ", end="")
    print(f"{len(left)} leftovers that nobody sees")
    recorded = record_at_once(other, RECORDERS, environment=environment)
    recorded_runs = {run.id for run in Store(other).runs()}
    print(f"{label}: {RECORDERS} recorders at once made {len(recorded_runs)} runs")
    return (
        not lost
        and not damaged
        and whole == len(there)
        and len(recorded_runs & recorded) == RECORDERS
    )


@contextmanager
def _s3() -> Iterator[Mapping[str, str]]:
    """A server with a bucket `runs`; gives the environment that leads to it."""
    with s3_server() as environment:
        os.environ.update(environment)
        import s3fs

        s3fs.S3FileSystem().mkdir("runs")
        yield environment


if __name__ == "__main__":
    sys.exit(main())
