"""Recordings of a GPU without what the host said: kernels, copies and memsets alone, or api calls.

A copy of the sample gets a profile in which every other event is a placeholder, so that the truth's
places of events hold. What is called a launch of a given call there stands on names, grids and
order, as in a report of Nsight Systems without ranges. Such a report lists the api calls with their
threads, which the view `threads` keeps; a trace of a device alone has none, which is `bare`.
"""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from gpu_cases.sample import PROCESS
from gpu_cases.truth import API, GPU

from kernelmap.model.bundle import CUDA_GRAPHS, TRACE

_PLACEHOLDER: dict[str, Any] = {"ph": "M", "name": "removed", "pid": 0, "tid": 0, "args": {}}
_OF_HOST = "External id"

View = Literal["bare", "threads"]
KEPT: dict[View, frozenset[str]] = {
    "bare": frozenset(GPU),
    "threads": frozenset(GPU | API | {"ac2g"}),
}
"""The categories of the events that each view keeps."""


@contextmanager
def bare(sample: Path, view: View = "bare") -> Iterator[Path]:
    """A copy of a sample whose profile has only what `view` keeps; it is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / sample.name
        shutil.copytree(sample, copy, ignore=shutil.ignore_patterns("*.sqlite", CUDA_GRAPHS))
        path = copy / PROCESS / TRACE
        document = json.loads(gzip.decompress(path.read_bytes()))
        events = [_alone(event, KEPT[view]) for event in document["traceEvents"]]
        text = json.dumps({**document, "traceEvents": events})
        path.write_bytes(gzip.compress(text.encode(), compresslevel=1))
        yield copy


def _alone(event: dict[str, Any], kept: frozenset[str]) -> dict[str, Any]:
    if event.get("cat") not in kept:
        return _PLACEHOLDER
    args = {key: value for key, value in event.get("args", {}).items() if key != _OF_HOST}
    return {**event, "args": args} if args else event
