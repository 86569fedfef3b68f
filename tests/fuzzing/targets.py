"""What is asked of a damaged input: commands, by the kind of input.

`{in}` stands for the folder of the input, `{out}` for one where a command may write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_JSON = "--format json"


@dataclass(frozen=True, slots=True)
class Target:
    """One kind: the part of a path that names the files to damage, and the commands.

    `two_readers`: the scanner in C and Python both read it, and have to say the same.
    """

    main: str
    commands: tuple[str, ...]
    two_readers: bool = False


def _profile(name: str, *code: str) -> tuple[str, ...]:
    given = " ".join(f"{{in}}/{path}" for path in (*code, name))
    return (
        f"correlate {given} {_JSON}",
        f"correlate {given} {_JSON}",
        f"correlate {{in}}/{name} {_JSON} --launches",
        f"correlate {given} --by launch --format table",
        f"correlate {given} --steps 1:2 {_JSON}",
        f"doctor {given}",
        f"explain 3 {given}",
        f"which addmm {given}",
        f"annotate {given} -o {{out}}/trace.json",
        f"correlate {given} -o {{out}}/report.html",
    )


_FOLDERS = ("model__0_forward_1.0", "model__0_backward_2.1")
_CODE = (
    "inspect {in} --format json",
    "inspect {in}",
    "inspect {in} --format lock",
    f"correlate {{in}} {_JSON}",
    "doctor {in}",
    "which addmm {in}",
)

TARGETS: dict[str, Target] = {
    "kineto": Target("profile.json", _profile("profile.json", ""), two_readers=True),
    "kineto_gz": Target("profile.json", _profile("profile.json", ""), two_readers=True),
    "pftrace": Target("profile.pftrace", _profile("profile.pftrace", ""), two_readers=True),
    "nsys_sqlite": Target("run.sqlite", _profile("run.sqlite", *_FOLDERS)),
    "rocpd": Target("run.db", _profile("run.db", *_FOLDERS)),
    "rocprof_json": Target("run.json", _profile("run.json", *_FOLDERS)),
    "stats": Target(
        "stats.txt",
        (
            "which addmm {in}/model__0_forward_1.0 {in}/stats.txt",
            "correlate {in}/model__0_forward_1.0 {in}/stats.txt --by kernel",
            "correlate {in}/stats.txt --by kernel --format json",
            "doctor {in}/stats.txt",
        ),
    ),
    "cuda_graphs": Target(
        "cuda_graphs",
        (
            f"correlate {{in}} {_JSON}",
            f"correlate {{in}} {_JSON} --launches",
            "doctor {in}",
            "explain 3 {in}",
        ),
    ),
    "memory_events": Target(
        "profile.json",
        (
            f"memory {{in}} {_JSON}",
            f"memory {{in}}/profile.json {_JSON}",
            "memory {in} --top 5",
            "annotate {in} -o {out}/trace.json",
        ),
    ),
    "memory_snapshot": Target(
        "snapshot.pickle",
        (f"memory {{in}}/snapshot.pickle {{in}} {_JSON}", "memory {in}/snapshot.pickle {in}"),
    ),
    "generated": Target("output_code.py", _CODE),
    "torch_logs": Target("", ("inspect {in}/log.txt", "inspect {in}/log.txt --format json")),
    "torch_trace": Target(
        "",
        ("inspect {in}/torch_trace.log --format json", "inspect {in} --format lock", "doctor {in}"),
    ),
    "tlparse": Target(
        "", ("inspect {in}/pages --format json", "inspect {in}/pages --format lock", "doctor {in}")
    ),
    "fx_cache": Target(
        "fxgraph",
        (
            f"correlate {{in}}/profile.json --cache-dir {{in}}/cache {_JSON}",
            f"correlate {{in}}/profile.json {{in}}/cache {_JSON}",
            "inspect {in}/cache --format json",
            "inspect {in}/cache --format lock",
            "which addmm {in}/cache",
        ),
    ),
    "package": Target("", (*_CODE, "inspect {in}/model.pt2 --format json")),
    "provenance": Target("mappings", _CODE[:3]),
    "debug_printer": Target(
        "",
        (
            "inspect {in} --printed {in}/run.log --format json",
            "inspect {in} --printed {in}/run.log",
            "inspect {in} --debug-printer 2 --kernel addmm",
        ),
    ),
    "bundle": Target(
        "", (f"correlate {{in}}/bundle {_JSON}", "doctor {in}/bundle", "inspect {in}/bundle")
    ),
    "saved": Target(
        "a",
        (
            "diff {in}/a.json {in}/b.json --format json",
            "diff {in}/tables {in}/b.json",
            "diff {in}/tables {in}/tables --by call --format markdown",
            f"correlate {{in}}/bundle --like {{in}}/a.json {_JSON}",
            f"correlate {{in}}/bundle --like {{in}}/tables {_JSON}",
            "gate {in}/a.json --baseline {in}/b.json",
        ),
    ),
    "store": Target(
        "",
        (
            "runs --store {in}/store",
            "runs --store {in}/store --format json",
            "runs show latest --store {in}/store",
            "runs history aten.mm --store {in}/store",
            "runs --check --store {in}/store",
            "diff latest~1 latest --store {in}/store",
        ),
    ),
    "lock": Target("kernels.lock", ("gate --lock {in}/kernels.lock {in}",)),
}
"""Each with seeds of the same name."""


def arguments(command: str, given: str, written: str) -> Sequence[str]:
    """The words of a command for these two folders."""
    return [
        word.replace("{in}", given).replace("{out}", written).rstrip("/")
        for word in command.split()
    ]
