"""Recordings of a GPU without all that the host said: the kernels, copies and memsets alone.

A copy of the sample gets a profile in which every other event is a placeholder, so that the truth's
places of events hold. What is called a launch of a given call there stands on names, grids and
order, as in a report of Nsight Systems without ranges.
"""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import usage
from gpu_cases.sample import PROCESS
from gpu_cases.truth import GPU

from kernelmap.model.bundle import CUDA_GRAPHS, TRACE

_PLACEHOLDER: dict[str, Any] = {"ph": "M", "name": "removed", "pid": 0, "tid": 0, "args": {}}
_OF_HOST = "External id"


@contextmanager
def bare(sample: Path) -> Iterator[Path]:
    """A copy of a sample whose profile has GPU activities only; it is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / sample.name
        shutil.copytree(sample, copy, ignore=shutil.ignore_patterns("*.sqlite", CUDA_GRAPHS))
        path = copy / PROCESS / TRACE
        document = json.loads(gzip.decompress(path.read_bytes()))
        events = [_alone(event) for event in document["traceEvents"]]
        text = json.dumps({**document, "traceEvents": events})
        path.write_bytes(gzip.compress(text.encode(), compresslevel=1))
        yield copy


def _alone(event: dict[str, Any]) -> dict[str, Any]:
    if event.get("cat") not in GPU:
        return _PLACEHOLDER
    args = {key: value for key, value in event["args"].items() if key != _OF_HOST}
    return {**event, "args": args}


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
