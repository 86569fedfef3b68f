"""Bundles without a run: the files of a recorded sample under the names that a capture gives."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from kernelmap.capture.contents import finished
from kernelmap.capture.folder import first_manifest, make_folder, write_manifest
from kernelmap.capture.plan import Plan
from kernelmap.model.bundle import LOGS, PROCESS, TRACE, Manifest

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "sample_traces" / "cpu_block"


def begun(folder: Path) -> Manifest:
    """A bundle in which the program has not begun yet."""
    manifest = first_manifest(Plan(warmup=1, steps=4), ["python", "train.py"], {})
    make_folder(folder, manifest, force=False).close()
    return manifest


def recorded(folder: Path, *, trace: bool = True, **facts: object) -> Path:
    """A bundle of the sample's log and trace; `facts` change what its process says of itself."""
    manifest = begun(folder)
    process = folder / "rank_0"
    (process / LOGS).mkdir(parents=True)
    shutil.copyfile(SAMPLE / "torch_trace.log", process / LOGS / "torch_trace.log")
    if trace:
        shutil.copyfile(SAMPLE / "profile.json.gz", process / TRACE)
    said = {"name": "rank_0", "state": "complete", "first_step": 1, "last_step": 4, "graphs": 2}
    (process / PROCESS).write_text(json.dumps(said | facts))
    write_manifest(folder, finished(folder, manifest))
    return folder
