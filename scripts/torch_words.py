"""Hold what torch itself says of a launch against what kernelmap says, launch by launch.

    python scripts/torch_words.py                        # every recording of a GPU in sample_traces
    python scripts/torch_words.py FOLDER ...             # others: a trace and a log in each
    python scripts/torch_words.py --run mlp_train        # run cases of scripts/gpu_cases anew
    python scripts/torch_words.py --write                # and write docs/torch-agreement.md

Torch 2.14 and newer can write into a profile which stacks of source lines a kernel comes from
(torch._inductor.profiler, TORCH_COMPILE_DEBUG_EXTEND=1). It finds the kernel's name in what the
compiler noted of each region, its own way. kernelmap gets the same recording without those words.
Of a recording that an older torch made, the code that joins the words is called here, on the stacks
that its log has; with `--run` torch does all of it in the program that runs.

They agree on a launch where torch's words are those that the log has for the call that kernelmap
names. Where they differ, the table has a reason, which is looked up and not guessed; a difference
without a reason is printed, and the exit code is 1. By hand: needs torch 2.14, and a GPU to `--run`
what is worth it, for torch has no words for a CPU's launches.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]

import kernelmap  # noqa: E402 -- after the line above
from kernelmap import Options  # noqa: E402 -- as above
from kernelmap.compiler.logs.events import Damage, iter_events  # noqa: E402 -- as above
from kernelmap.compiler.python.comments import id_at_head  # noqa: E402 -- as above

SAMPLES = PROJECT / "sample_traces"
PAGE = PROJECT / "docs" / "torch-agreement.md"
_STACKS = "inductor_provenance_tracking_kernel_stack_traces"
_REGION = "Torch-Compiled Region: "
_WORDS = ("stack", "uid", "uid_assigned")
"""What torch's handler adds to events and to the file: taken out of what kernelmap reads."""
_SWITCHES = {
    "TORCH_COMPILE_DEBUG_EXTEND": "1",
    "INDUCTOR_PROVENANCE": "1",
    "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",
}

FIRST_OF_NAME = "torch takes the first call of a kernel that the graph calls several times"
NO_REASON = "no reason is known"

Stacks = tuple[str, ...]
Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NotedKernel:
    """A call as the compiler noted it: its region and graph, `extern_kernels.mm:3`, its stacks."""

    region: str
    aot_id: str
    key: str
    stacks: Stacks

    @property
    def is_backward(self) -> bool:
        """Whether torch keeps it under the backward of its region."""
        return self.aot_id.endswith("backward")

    @property
    def name(self) -> str:
        """The name of the kernel, without the number of the call."""
        return self.key.rpartition(":")[0]


@dataclass(slots=True)
class Agreement:
    """Counts of a recording's launches; `differences` are examples of those without a reason."""

    name: str
    launches: int = 0
    by_kernelmap: int = 0
    by_torch: int = 0
    both: int = 0
    agree: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def add(self, other: Agreement) -> None:
        """Count those of another recording as well."""
        for count in ("launches", "by_kernelmap", "by_torch", "both", "agree"):
            setattr(self, count, getattr(self, count) + getattr(other, count))
        self.reasons.update(other.reasons)
        self.differences.extend(other.differences)


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("recordings", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--run", nargs="+", default=[], metavar="CASE", help="run these cases anew")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="of --run")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(PROJECT)}")
    chosen = parser.parse_args()
    found = [
        recording_agreement(folder)
        for folder in chosen.recordings or ([] if chosen.run else sorted(SAMPLES.glob("cuda_*")))
        if traces_of(folder) and noted_kernels(folder)
    ]
    found += [run_agreement(name, chosen.device) for name in chosen.run]
    text = "\n".join(table(found))
    print(text)
    if chosen.write:
        PAGE.write_text(page(text), encoding="utf-8")
    differences = [line for one in found for line in one.differences]
    print(*differences[:20], sep="\n")
    sys.exit(1 if differences else 0)


def recording_agreement(folder: Path) -> Agreement:
    """The agreement on a recording: torch's words are joined to its events here."""
    [trace, *_] = traces_of(folder)
    document = read_trace(trace)
    noted = noted_kernels(folder)
    words = words_of(joined_by_torch(document, noted))
    return compare(folder.name, document, words, noted, logs_of(folder))


def run_agreement(case: str, device: str) -> Agreement:
    """The agreement on a case that is run now, under torch's own handler."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        command = [sys.executable, str(PROJECT / "scripts" / "gpu_cases" / "worded.py")]
        environment = {**os.environ, **_SWITCHES, "TORCHINDUCTOR_CACHE_DIR": str(work / "cache")}
        subprocess.run([*command, case, device, str(work)], check=True, env=environment)  # noqa: S603 -- our own script
        [worded] = (work / "torch").iterdir()
        document = read_trace(worded)
        bundle = work / "bundle"
        noted = noted_kernels(bundle)
        return compare(f"{device}_{case}", document, words_of(document), noted, logs_of(bundle))


def traces_of(folder: Path) -> list[Path]:
    """The profiles of a recording."""
    return sorted([*folder.glob("rank_0/trace.json.gz"), *folder.glob("profile.json*")])


def logs_of(folder: Path) -> list[Path]:
    """The logs of a recording, and what it has of generated code beside them."""
    logs = [*folder.glob("rank_0/torch_trace/*.log"), *folder.glob("*torch_trace*.log*")]
    return sorted([*logs, *folder.glob("code")])


def read_trace(path: Path) -> Event:
    """A profile as JSON."""
    data = path.read_bytes()
    document: Event = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    return document


def noted_kernels(folder: Path) -> list[NotedKernel]:
    """What the log of a recording has of the calls: the stacks behind each."""
    return [kernel for log in logs_of(folder) if log.is_file() for kernel in _noted_in(log)]


def _noted_in(log: Path) -> Iterator[NotedKernel]:
    aot_id = ""
    for logged in iter_events(log, Damage()):
        if logged.event.kind == "inductor_output_code":
            aot_id = id_at_head(logged.payload.decode()) or ""
        elif logged.event.kind == _STACKS:
            region = f"{_REGION}{logged.event.frame_compile}"
            for key, stacks in json.loads(logged.payload).items():
                yield NotedKernel(region, aot_id, key, tuple(stacks))


def joined_by_torch(document: Event, noted: Iterable[NotedKernel]) -> Event:
    """A copy of a profile with the words that torch's own code gives its events."""
    from torch._inductor.debug import get_kernel_information_jsons
    from torch._inductor.profiler import _InductorTraceProcessor

    known = get_kernel_information_jsons()
    known.clear()
    for kernel in noted:
        region = known.setdefault(str((kernel.region, kernel.is_backward)), {})
        region.setdefault(kernel.key, {"stack_traces": list(kernel.stacks)})
    copy: Event = json.loads(json.dumps(document))
    joined: Event = _InductorTraceProcessor().add_to_chrome_trace(copy)
    known.clear()
    return joined


def words_of(document: Event) -> dict[int, Stacks]:
    """The number of an event → the stacks that torch has given it."""
    return {
        number: tuple(event["args"]["stack"])
        for number, event in enumerate(document["traceEvents"])
        if event.get("args", {}).get("stack")
    }


def without_words(document: Event) -> Event:
    """A profile as it was before torch's handler added to it."""
    events = [
        {
            **{key: value for key, value in event.items() if key not in _WORDS},
            **({"args": _plain(event["args"])} if "args" in event else {}),
        }
        for event in document["traceEvents"]
    ]
    rest = {key: value for key, value in document.items() if key not in _WORDS}
    return {**rest, "traceEvents": events}


def _plain(args: Mapping[str, Any]) -> Event:
    return {key: value for key, value in args.items() if key not in _WORDS}


def compare(
    name: str,
    document: Event,
    words: Mapping[int, Stacks],
    noted: Sequence[NotedKernel],
    code: Sequence[Path],
) -> Agreement:
    """Count on how many launches torch's words are those of the call that kernelmap names."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "profile.json"
        trace.write_text(json.dumps(without_words(document)), encoding="utf-8")
        result = kernelmap.correlate(*code, trace, options=Options(work=False, wall=False))
    calls = {
        row.call: (row.graph, row.handle)
        for row in result.calls[result.calls["call"].notna()].itertuples()
    }
    aot_ids = {row.graph: row.aot_id for row in result.graphs.itertuples()}
    by_handle = {(kernel.aot_id, kernel.key.rpartition(":")[2]): kernel for kernel in noted}
    agreement = Agreement(name)
    for launch in result.launches.to_dict("records"):
        agreement.launches += 1
        graph, handle = calls.get(launch["call"], (None, None))
        ours = by_handle.get((str(aot_ids.get(graph)), str(handle)))
        said = words.get(launch["event"])
        agreement.by_kernelmap += ours is not None
        agreement.by_torch += said is not None
        if ours is None or said is None:
            continue
        agreement.both += 1
        if said == ours.stacks:
            agreement.agree += 1
            continue
        reason = reason_of(said, ours, noted)
        agreement.reasons[reason] += 1
        if reason == NO_REASON:
            agreement.differences.append(
                f"{name}: event {launch['event']}, {launch['name']}: torch says {said},"
                f" kernelmap {launch['call']} ({launch['confidence']}), which is {ours.stacks}"
            )
    return agreement


def reason_of(said: Stacks, ours: NotedKernel, noted: Sequence[NotedKernel]) -> str:
    """Why torch's words are others than those of our call, from what torch does with its notes.

    Of the notes of a graph it takes the first whose key begins with the kernel's name.
    """
    of_name = [one for one in noted if (one.aot_id, one.name) == (ours.aot_id, ours.name)]
    is_first = of_name[0] is not ours and of_name[0].stacks == said
    return FIRST_OF_NAME if is_first else NO_REASON


def table(found: Sequence[Agreement]) -> list[str]:
    """Lines of Markdown: a row per recording, one for all, and the reasons with their counts."""
    total = Agreement("all")
    for one in found:
        total.add(one)
    lines = [
        "| recording | launches | kernelmap names | torch names | both name | agree | differ |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {one.name} | {one.launches:,} | {one.by_kernelmap:,} | {one.by_torch:,} | {one.both:,}"
        f" | {one.agree:,} | {one.both - one.agree:,} |"
        for one in (*found, total)
    ]
    if total.reasons:
        lines += ["", "| why they differ | launches |", "|---|---:|"]
        lines += [f"| {reason} | {count:,} |" for reason, count in total.reasons.most_common()]
    return lines


def page(text: str) -> str:
    """The page of docs/ around the table."""
    import torch

    day = datetime.now(UTC).strftime("%-d %B %Y")
    version = torch.__version__.partition("+")[0]
    question = (
        "torch 2.14 and newer write into a profile which source lines a kernel comes from, where"
        " `TORCH_COMPILE_DEBUG_EXTEND=1` is set and"
        " `torch._inductor.profiler.inductor_trace_handler` exports it. That is a second opinion,"
        " by code that is not ours. Here it is held against kernelmap's answers, which were made"
        " without it: for each launch that both name, are torch's words those that the compiler"
        " noted of the call that kernelmap names?"
    )
    made = (
        f"Made by hand on {day} with `python scripts/torch_words.py --write`, torch {version} and"
        " this repository's recordings of GPUs. An older torch recorded those, and their logs have"
        " the stacks; torch's own code joined them to the events. On a CPU torch names no launch:"
        " its code looks for events of the category `kernel`."
    )
    rest = (
        "Where only one of them names a launch there is nothing to compare. torch names Triton"
        " kernels, replays of CUDA graphs among them; kernels of a library only where the profile"
        " has Python frames (`with_stack=True`) or the compiler noted one call of the graph alone."
    )
    paragraphs = ("# Where torch and kernelmap say the same", question, made, text, rest)
    return "\n\n".join(paragraphs) + "\n"


if __name__ == "__main__":
    main()
