"""Both backends of torch's profiler: one run gives one answer, whichever of them wrote it."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

import kernelmap
from kernelmap.traces import load_trace
from kernelmap.traces.assemble import RawTrace
from traces.both_readers import same
from traces.kineto_text import COMPACT, Event, kernel, text, write
from traces.monitor_text import GRAPH, by_kineto, by_monitor

TABLES = ("calls", "kernels", "ops", "modules", "nodes", "lines", "graphs", "ledger")
_GPU: Event = {"deviceProperties": [{"id": 0, "name": "NVIDIA H100"}]}


def _write(folder: Path, events: list[Event]) -> Path:
    folder.mkdir()
    return write(folder / "trace.json", text(events, COMPACT, around=_GPU))


def _args(event: Event) -> Event:
    args = event["args"]
    assert isinstance(args, dict)
    return args


@pytest.mark.parametrize("lanes", [True, False])
def test_both_backends_give_equal_tables(tmp_path: Path, *, lanes: bool) -> None:
    """Order, bare names, halves of node ids, lanes and missing external ids change no table."""
    of_kineto = kernelmap.correlate(_write(tmp_path / "kineto", by_kineto()))
    of_monitor = kernelmap.correlate(_write(tmp_path / "monitor", by_monitor(lanes=lanes)))

    for table in TABLES:
        one, other = getattr(of_kineto, table), getattr(of_monitor, table)
        assert one.to_dict("records") == other.to_dict("records"), table
    of_file = ["launch", "event"]
    launches = [
        c.launches.drop(columns=of_file).sort_values("start_ns").to_dict("records")
        for c in (of_kineto, of_monitor)
    ]
    assert launches[0] == launches[1]
    assert len(launches[0]) == 10  # event records and callbacks of the host are no GPU work


def test_a_half_of_a_node_id_is_made_whole(tmp_path: Path) -> None:
    """`cupti_monitor` writes the lower 32 bits; a capture writes all, and so does Kineto."""
    whole = GRAPH << 32 | 5
    ids = [
        {"graph id": GRAPH, "graph node id": 5},
        {"graph id": GRAPH, "graph node id": whole},
        {"graph id": GRAPH, "graph node id": 0},
        {"graph id": 0, "graph node id": 0},
        {"graph node id": 5},
    ]
    events = [kernel("k", at, 1, at, **each) for at, each in enumerate(ids, start=1)]

    raw = same(write(tmp_path / "trace.json", text(events)))

    assert isinstance(raw, RawTrace)
    assert raw.launches.graph_node.tolist() == [whole, whole, GRAPH << 32, -1, 5]


def test_a_stream_of_a_lane_is_where_it_ran(tmp_path: Path) -> None:
    """A resolver of lanes moves nodes to streams of its own; `original_stream` is the real one."""
    moved = kernel("k", 1, 1, 1, stream=60, original_stream=31)

    raw = same(write(tmp_path / "trace.json", text([moved, kernel("k", 3, 1, 2)])))

    assert isinstance(raw, RawTrace)
    assert raw.launches.stream.tolist() == [31, 7]


@pytest.mark.parametrize(
    ("name", "facts", "spelled"),
    [
        (
            "Memcpy",
            {"copy kind": "DtoH", "src kind": "device", "dst kind": "pinned"},
            "Memcpy DtoH (Device -> Pinned)",
        ),
        (
            "Memcpy",
            {"copy kind": 9, "src kind": "managed_static", "dst kind": 77},
            "Memcpy HtoH (Managed Static -> Unknown)",
        ),
        ("Memset", {"memory kind": 3}, "Memset (Device)"),
        ("Memset", {"memory kind": None}, "Memset"),
        ("Memcpy", {"copy kind": {"a": [1]}}, "Memcpy Unknown (Unknown -> Unknown)"),
        ("my Memset", {"memory kind": 3}, "my Memset"),
    ],
)
def test_bare_names_say_the_kinds_of_memory(
    tmp_path: Path, name: str, facts: Event, spelled: str
) -> None:
    """Copies and fills are called as Kineto calls them; other names stay."""
    event = {**kernel(name, 1, 1, 1, **facts), "cat": "gpu_memcpy"}

    raw = same(write(tmp_path / "trace.json", text([event, {**event, "ts": 5}])))

    assert isinstance(raw, RawTrace)
    assert [raw.launches.names[at] for at in raw.launches.name_id] == [spelled, spelled]


@pytest.mark.parametrize("block", [200, 700, 1 << 20])
def test_notes_do_not_depend_on_how_a_file_is_cut(tmp_path: Path, block: int) -> None:
    """Names and notes are numbered in the order of the file, whatever a block of it holds."""
    path = write(tmp_path / "trace.json", text(by_monitor(), COMPACT))
    whole, cut = same(path), same(path, block)

    assert isinstance(whole, RawTrace)
    assert isinstance(cut, RawTrace)
    assert whole.launches.names == cut.launches.names
    assert whole.launches.notes == cut.launches.notes
    assert whole.launches.note.tolist() == cut.launches.note.tolist()


@pytest.mark.parametrize(
    ("facts", "module"),
    [
        ({"annotation": json.dumps([{"name": "layers.0"}])}, "layers.0"),
        ({"annotation": json.dumps([{"name": "a"}, {"name": "b"}])}, "b"),
        (
            {"annotation": json.dumps([{"name": "attn", "module_fqn": "layers.0.attn"}])},
            "layers.0.attn",
        ),
        ({"annotation": json.dumps([{"str": "old"}])}, "old"),
        ({"annotation": json.dumps(["plain"])}, "plain"),
        ({"annotation": "phase_A"}, "phase_A"),
        ({"annotation": "[broken"}, "[broken"),
        ({"name": "layers.2"}, "layers.2"),
        ({"name": "attn", "module_fqn": "layers.2.attn"}, "layers.2.attn"),
        ({"annotation": json.dumps([{"dtype": "bf16"}])}, None),
        ({"annotation": json.dumps([{"name": 7}])}, None),
        ({"annotation": 7, "name": ["x"]}, None),
        ({"name": "(unknown)"}, "label (unknown)"),
        ({"name": " ", "module_fqn": ""}, None),
    ],
)
def test_a_label_names_a_module(tmp_path: Path, facts: Event, module: str | None) -> None:
    """Every form of a label of a CUDA graph's node is read, and of other kernels none is."""
    node = {"graph id": GRAPH, "graph node id": GRAPH << 32 | 1}
    replayed, eager = kernel("k", 1, 1, 1, **node), kernel("k", 5, 1, 2)
    events = [{**event, "args": {**_args(event), **facts}} for event in (replayed, eager)]

    raw = same(write(tmp_path / "trace.json", text(events)))

    assert isinstance(raw, RawTrace)
    note = raw.launches.note_of(0)
    assert (note.module if note else None) == module
    assert raw.launches.note_of(1) is None


def test_stacks_name_the_innermost_lines_of_the_user(tmp_path: Path) -> None:
    """`args.stack` is a list of stacks, one stack as a text, or anything that names no line."""
    frame = '  File "/home/user/model.py", line {}, in forward\n    h = f(x)\n'
    inside = '  File "/opt/lib/python3.11/site-packages/torch/nn/functional.py", line 9, in f\n'
    passing = '  File "/opt/lib/python3.11/site-packages/torch/utils/_device.py", line 122, in f\n'
    stacks: list[object] = [
        [frame.format(11), frame.format(12), frame.format(11)],
        frame.format(13) + inside,
        [passing],
        [inside],
        [],
        None,
        [7, None, "no frame"],
        {"a": 1},
    ]
    events = [kernel("k", 9 * at, 1, at + 1, stack=each) for at, each in enumerate(stacks)]

    trace = load_trace(write(tmp_path / "trace.json", text([*events, kernel("k", 99, 1, 99)])))
    same(tmp_path / "trace.json")

    lines = [
        [line.line for line in note.lines] if (note := trace.launches.note_of(row)) else None
        for row in range(len(trace.launches))
    ]
    assert lines == [[11, 12], [13], None, [9], None, None, None, None, None]


def test_a_file_of_the_monitor_is_annotated(tmp_path: Path) -> None:
    """Facts stand in its events, which keep their names, and reading it again gives the same."""
    path = _write(tmp_path / "monitor", by_monitor())
    target = tmp_path / "annotated.json"
    before = kernelmap.correlate(path)

    before.annotate(target)

    after = kernelmap.correlate(target)
    assert after.calls.to_dict("records") == before.calls.to_dict("records")
    written = json.loads(target.read_text())["traceEvents"]
    named = {event["name"] for event in written if event.get("cat") in ("gpu_memcpy", "gpu_memset")}
    assert named == {"Memcpy", "Memset"}


def _as_monitor(event: Event) -> Event:
    """A GPU activity of a file that Kineto wrote, as the other backend writes it."""
    args, name = dict(_args(event)), str(event["name"])
    args.pop("External id", None)
    if args.get("graph node id"):
        args["graph node id"] = int(str(args["graph node id"])) & 0xFFFFFFFF
    else:
        args.pop("graph id", None)
        args.pop("graph node id", None)
    kinds = re.fullmatch(r"Mem\w+(?: (\w+))? \((?:(.+) -> )?(.+)\)", name)
    if event["cat"] == "kernel" or kinds is None:
        return {**event, "args": args}
    copy, source, target = kinds.groups()
    if copy is None:
        return {**event, "name": "Memset", "args": {**args, "memory kind": 3}}
    words = [each.lower().replace(" ", "_") for each in (source, target)]
    memory = {"copy kind": copy, "src kind": words[0], "dst kind": words[1]}
    return {**event, "name": "Memcpy", "args": {**args, **memory}}


@pytest.mark.thorough
@pytest.mark.parametrize("sample", ["cuda_cuda_graphs", "cuda_decode_graphs", "cuda_two_streams"])
def test_a_recording_is_read_alike_in_the_words_of_the_monitor(
    tmp_path: Path, samples: Path, sample: str
) -> None:
    """Real launches, replays among them: order, names, ids and kinds of the other backend."""
    recorded = samples / sample / "rank_0" / "trace.json.gz"
    trace = json.loads(gzip.decompress(recorded.read_bytes()))
    gpu = ("kernel", "gpu_memcpy", "gpu_memset")
    events = [event for event in trace["traceEvents"] if event.get("cat") not in gpu]
    # By kind, and behind all of the host.
    for kind in gpu:
        of_kind = (event for event in trace["traceEvents"] if event.get("cat") == kind)
        events += map(_as_monitor, of_kind)
    rewritten = tmp_path / "trace.json"
    rewritten.write_text(json.dumps({**trace, "traceEvents": events}))
    code = samples / sample / "rank_0" / "code"

    one, other = (kernelmap.correlate(code, path) for path in (recorded, rewritten))

    for table in TABLES:
        records = [getattr(each, table).to_dict("records") for each in (one, other)]
        assert records[0] == records[1], table
