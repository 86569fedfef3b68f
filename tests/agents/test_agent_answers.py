"""What an agent is told: bounded, with ids that lead on, of files below some folders only."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import kernelmap
from agents.asking import Agent
from kernelmap.agents import recordings
from kernelmap.agents.said import TOKENS, Document, count_tokens, write_answer
from kernelmap.model import Notice
from kernelmap.tables.rows import name_of_line, whole_number

QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(
        ("top", {"by": by, "rows": 500})
        for by in ("op", "line", "call", "kernel", "node", "module")
    ),
    *(("top", {"by": by, "rows": 500}) for by in ("graph", "launch", "wall", "memory", "buffer")),
    ("explain", {"row": "line#0"}),
    ("explain", {"row": "call#1"}),
    ("explain", {"row": "0"}),
    ("which", {"name": "aten.mm"}),
    ("doctor", {}),
    ("ledger", {}),
    ("source", {"place": "line#0", "around": 40}),
)


@pytest.fixture
def agent(samples: Path) -> Agent:
    return Agent(samples)


def test_every_answer_is_bounded(agent: Agent) -> None:
    """No answer takes more than 2,000 tokens, and less where less is asked for; what went is said.

    sample_traces/cuda_language_train has 185 calls and 666 launches.
    """
    name = agent.opened("cuda_language_train")
    for tool, asked in QUESTIONS:
        text = agent.text(tool, recording=name, **asked)
        assert count_tokens(text) <= TOKENS, (tool, asked)
        short = agent.text(tool, recording=name, **asked, tokens=500)
        assert count_tokens(short) <= 500, (tool, asked)
    rows = agent.ask("top", recording=name, by="launch", rows=500)
    assert rows["left_out"]["rows"] == 500 - len(rows["rows"])
    more = agent.ask("top", recording=name, by="launch", rows=30, tokens=10_000)
    assert len(more["rows"]) == 30
    assert "left_out" not in more


def test_the_longest_list_gives_way_first() -> None:
    """A bounded document is JSON, keeps what is no list, and says how many entries of each went."""
    document: Document = {"answer": "kept", "short": ["a"], "long": [str(at) for at in range(1000)]}
    told = json.loads(write_answer(document, tokens=100))
    assert told["answer"] == "kept"
    assert told["short"] == ["a"]
    assert told["long"] == [str(at) for at in range(len(told["long"]))]
    assert told["left_out"] == {"long": 1000 - len(told["long"])}
    assert len(told["long"]) > 20


@pytest.mark.parametrize("by", ["op", "line", "call", "kernel", "graph", "module"])
def test_rows_are_those_of_the_command(by: str, agent: Agent, samples: Path) -> None:
    """The rows of `top` have the times of the table, in its order, each with its own id."""
    name = agent.opened("cuda_llama_train")
    told = agent.ask("top", recording=name, by=by, rows=8)["rows"]
    tables = kernelmap.correlate(samples / "cuda_llama_train").tables
    table = tables.rows({"call": "calls"}.get(by, f"{by}s"))
    for at, (row, own) in enumerate(zip(told, table, strict=False)):
        assert row["row"] == f"{by}#{at}"
        assert row["time_ns"] == own["time_ns"]


def test_ids_lead_on(agent: Agent) -> None:
    """What `top` lists can be explained, and the lines of a call are found from its row."""
    name = agent.opened("cuda_llama_train")
    for by in ("line", "op", "kernel", "call", "graph", "node", "module", "launch", "buffer"):
        rows = agent.ask("top", recording=name, by=by, rows=4)["rows"]
        row = next(row for row in rows if row.get("calls", 1) and "(" not in str(row.get("file")))
        told = agent.ask("explain", recording=name, row=row["row"])
        assert {"error", "refused"}.isdisjoint(told), (by, told)
        if by in ("line", "op", "kernel", "graph", "buffer"):
            assert told["calls"], by
            assert all("confidence" in call for call in told["calls"])


def test_a_line_is_shown_with_its_calls(agent: Agent, samples: Path) -> None:
    """`source` gives the line's own time, those of its neighbors, and the calls made for it."""
    name = agent.opened("cuda_llama_train")
    tables = kernelmap.correlate(samples / "cuda_llama_train").tables
    own = next(iter(tables.rows("lines")))
    told = agent.ask("source", recording=name, place=name_of_line(own).rpartition("/")[2])
    line = next(line for line in told["lines"] if line["line"] == own["line"])
    assert (line["time_ns"], line["backward_ns"]) == (own["time_ns"], own["backward_ns"])
    place = f"{own['file']}:{own['line']}"
    of_line = [row for row in tables.rows("calls") if place in (row["source"] or ())]  # type: ignore[operator]
    assert told["answer"].endswith(f"{len(of_line)} calls")
    assert [call["call"] for call in told["calls"]] == [row["call"] for row in of_line][:12]
    statement = agent.ask("source", recording=name, place=told["calls"][0]["call"])
    assert any(line.get("call") == told["calls"][0]["call"] for line in statement["lines"])


def test_a_second_question_reads_no_file(
    agent: Agent, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recording stays open: it is correlated once, however often and by whatever it is asked."""
    read: list[object] = []

    def counted(*paths: Any, **options: Any) -> Any:  # noqa: ANN401 -- passed on
        read.append(paths)
        return kernelmap.correlate(*paths, **options)

    monkeypatch.setattr(recordings, "correlate", counted)
    name = agent.opened("cuda_llama_train")
    for tool, asked in QUESTIONS:
        agent.ask(tool, recording=name, **asked)
    assert agent.opened("cuda_llama_train") == name
    assert len(read) == 1
    del samples


def test_a_file_that_changed_is_read_again(tmp_path: Path, samples: Path) -> None:
    """An answer is of the files as they are now."""
    shutil.copytree(samples / "cuda_llama_train", tmp_path / "run")
    agent = Agent(tmp_path)
    name = agent.opened("run")
    before = agent.ask("ledger", recording=name)["total_ns"]
    other = samples / "cuda_wide_llama" / "rank_0" / "trace.json.gz"
    shutil.copy(other, tmp_path / "run" / "rank_0" / "trace.json.gz")
    assert agent.ask("ledger", recording=name).get("total_ns") != before


def test_what_is_closed_opens_again(agent: Agent) -> None:
    """Few recordings stay in memory; one that went is there again when it is asked for."""
    runs = ("cuda_llama_train", "cuda_mlp_train", "cuda_conv_train", "cuda_routed")
    names = [agent.opened(run) for run in (*runs, "cuda_wide_conv", "cpu_block")]
    assert len(set(names)) == len(names)
    first = agent.ask("ledger", recording=names[0])
    assert first["total_ns"] > 0


def test_another_run_tells_what_replays_ran(agent: Agent) -> None:
    """With captures as `like`, calls get the time that a replay alone leaves unknown."""
    (run, capture) = ("cuda_captured_eager", "cuda_captured_eager/captures")
    alone, taught = agent.opened(run), agent.opened(run, like=[capture])
    unknown = [
        sum(
            row["time_ns"]
            for row in agent.ask("ledger", recording=name)["rows"]
            if row["bucket"] == "unknown"
        )
        for name in (alone, taught)
    ]
    assert unknown[0] > 10 * unknown[1]
    outside = agent.ask("open", paths=[run], like=["/etc"])
    assert outside["error"]["slug"] == "outside-of-folders"


@pytest.mark.parametrize(
    "asked",
    [
        ("top", {"recording": "r9"}, "no-such-recording"),
        ("top", {"recording": "r1", "by": "lines"}, "unknown-table"),
        ("top", {"recording": "r1", "sort": "speed"}, "unknown-column"),
        ("top", {"recording": "r1", "sort": "code"}, "unknown-order"),
        ("explain", {"recording": "r1", "row": "line#9999"}, "no-such-row"),
        ("explain", {"recording": "r1", "row": "9999999"}, "no-such-launch"),
        ("source", {"recording": "r1", "place": "nowhere.py:1"}, "no-such-place"),
        ("which", {"recording": "r1", "name": "no_kernel"}, "unknown-name"),
        ("open", {"paths": ["cuda_llama_train"], "steps": "six"}, "not-steps"),
        ("open", {"paths": []}, "no-trace"),
    ],
    ids=lambda asked: asked[2],
)
def test_a_wrong_question_is_told_what_to_ask(
    asked: tuple[str, dict[str, Any], str], agent: Agent
) -> None:
    """A question that makes no sense gets a slug and a hint, and the server lives."""
    tool, words, slug = asked
    assert agent.opened("cuda_llama_train") == "r1"
    told = agent.ask(tool, **words)
    assert told["error"]["slug"] == slug
    assert told["error"]["hint"]


def test_lines_of_memory_are_found_by_a_part_of_a_text(samples: Path) -> None:
    """As all rows; a graph's name shows the lines of its peak."""
    agent = Agent(samples)
    name = agent.opened("cuda_memory_mlp")

    told = agent.ask("top", recording=name, by="memory-line", contains="0_backward")

    assert {row["graph"] for row in told["rows"]} == {"0_backward"}


def test_a_fault_of_ours_is_no_refusal(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says nothing of the recording, so it is an error, and the server goes on."""
    agent = Agent(samples)
    name = agent.opened("cuda_memory_mlp")

    def fail(*_: object, **__: object) -> None:
        raise KeyError("function_line")

    monkeypatch.setattr("kernelmap.agents.questions.chosen_rows", fail)
    told = agent.ask("top", recording=name, by="op")

    assert told["error"]["slug"] == "unforeseen"
    assert "refused" not in told


@pytest.mark.parametrize("rows", [1, 7, 5_000])
def test_the_longest_launches_come_first_and_of_equal_ones_the_earlier(
    agent: Agent, samples: Path, rows: int
) -> None:
    """As sorting all of them would put them; there may be fewer than are asked for."""
    name = agent.opened("cuda_llama_train")
    asked = {"by": "launch", "sort": "dur_ns", "rows": rows, "tokens": 20_000}
    told = agent.ask("top", recording=name, **asked)["rows"]

    launches = kernelmap.correlate(samples / "cuda_llama_train").tables.rows("launches")
    all_ns = [whole_number(row, "dur_ns") for row in launches]
    order = sorted(range(len(all_ns)), key=lambda at: -all_ns[at])
    assert [row["row"] for row in told] == [f"launch#{at}" for at in order[: len(told)]]
    assert len(told) == 1 if rows == 1 else len(told) > 1


def test_a_line_of_memory_is_explained_by_the_buffers_that_hold_its_bytes(samples: Path) -> None:
    """Largest first, with who made each and who uses it last; they add up to the row's bytes."""
    agent = Agent(samples)
    name = agent.opened("cuda_memory_llama")
    asked = {"by": "memory-line", "contains": "0_backward", "tokens": 20_000}
    rows = agent.ask("top", recording=name, rows=40, **asked)["rows"]
    # Lines of the user's, and rests such as what is handed in.
    assert {"models.py:90", "(inputs)"} <= {
        f"{Path(row['file']).name}:{row['line']}" if "line" in row else row["file"] for row in rows
    }

    for row in rows:
        told = agent.ask("explain", recording=name, row=row["row"], tokens=20_000)
        parts = [buffer["peak_bytes"] for buffer in told["buffers"]]

        assert "calls" not in told
        assert parts == sorted(parts, reverse=True)
        assert (sum(parts), len(parts)) == (row["bytes"], told["buffers_in_all"])


def test_a_buffer_behind_a_line_of_memory_says_its_tensor_and_its_calls(samples: Path) -> None:
    """What is saved says the call of the forward."""
    agent = Agent(samples)
    name = agent.opened("cuda_memory_llama")
    rows = agent.ask("top", recording=name, by="memory-line", contains="0_backward")["rows"]
    (row,) = [row for row in rows if row.get("line") == 90]

    told = agent.ask("explain", recording=name, row=row["row"])

    assert told["buffers"][0] == {
        "name": "mm_2",
        "peak_bytes": 524_288,
        "shape": "512, 512",
        "dtype": "bfloat16",
        "bytes": 524_288,
        "kind": "saved",
        "origin": "0_forward/8",
        "last_use": "0_backward/2",
    }


def test_a_graph_of_memory_is_explained_by_all_that_is_alive_at_its_peak(samples: Path) -> None:
    """As its lines are, in one list."""
    agent = Agent(samples)
    name = agent.opened("cuda_memory_mlp")
    graph = agent.ask("top", recording=name, by="memory")["rows"][0]

    told = agent.ask("explain", recording=name, row=graph["row"], tokens=20_000)

    assert told["buffers_in_all"] > len(told["buffers"]) == 12
    assert told["columns"]["peak_bytes"] == graph["peak_bytes"]


def test_what_a_call_does_to_memory_is_said_to_agents_as_to_people(samples: Path) -> None:
    """By its id, and by the name of its kernel."""
    agent = Agent(samples)
    name = agent.opened("cuda_memory_mlp")
    explained = kernelmap.correlate(samples / "cuda_memory_mlp").explain("0_forward/1")

    told = agent.ask("explain", recording=name, row="0_forward/1")
    (hit, *_) = agent.ask("which", recording=name, name="triton_poi_fused_gelu_view_1")["rows"]

    assert told["memory"] == explained.memory
    assert "buf6, buf17 (8.39 MB in all)" in hit["memory"]


def test_memory_is_explained_where_times_are_refused(
    samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is what the code states, whatever ran: `top` gives its figures, and so does `explain`."""
    agent = Agent(samples)
    name = agent.opened("cuda_memory_mlp")
    monkeypatch.setattr(
        "kernelmap.agents.recordings.find_refusals",
        lambda *_, **__: (Notice(slug="too-few-steps", message="one step", hint="record more"),),
    )

    told = agent.ask("explain", recording=name, row="memory#0")

    assert "refused" not in told
    assert told["columns"]["peak_bytes"] > 0
    assert "refused" in agent.ask("explain", recording=name, row="line#0")
