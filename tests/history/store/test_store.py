"""A store keeps what it was given, in a folder and in object stores alike."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

import kernelmap
from examples import examples
from history.store.made import Made, with_op
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.history.store.facts import RUN_TOML, VERSION, seal, unseal
from kernelmap.history.store.store import Store
from kernelmap.model import Notice
from kernelmap.tables.build import Tables
from pages.hand_tables import HOSTILE, make_tables
from pages.test_saved_results import any_tables, same

pytestmark = pytest.mark.sampled


def flip(store: Store, path: str, at: int = 100) -> None:
    """Change one bit of a file, under the store."""
    content = bytearray(store.place.read(path))
    content[at] ^= 1
    store.place.delete(path)
    store.place.write(path, bytes(content))


def test_a_run_comes_back_as_it_was(url: str) -> None:
    """Facts, tables, launches, notices and summary are those that were recorded."""
    made = Made()
    recorded = Store(url).record(
        made, name="first", branch="main", commit="c0ffee", tags={"a": "b"}, launches=True
    )
    run = Store(url).open("first")

    assert same(run.tables, made.tables)
    assert (run.summary, run.notices) == (made.tables.summary, made.tables.notices)
    assert run.facts == recorded.facts
    assert (run.facts.branch, run.facts.commit, run.tags) == ("main", "c0ffee", {"a": "b"})


@settings(max_examples=examples(12))  # an example writes and reads nine tables
@given(any_tables())
def test_any_table_comes_back_as_it_was(tables: Tables) -> None:
    """Big integers, unicode, nulls and lists survive a store."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        run = store.record(Made(content=tables), launches=True)

        assert same(store.open(run.id).tables, tables)
        assert store.check() == (1, ())


def test_launches_are_kept_on_request_only(url: str) -> None:
    """Without being asked for, the table that grows with the trace is not there."""
    store = Store(url)
    store.record(Made())

    with pytest.raises(UsageError, match="without its launches"):
        store.open("latest").tables.frame("launches")


def test_runs_are_listed_oldest_first(url: str) -> None:
    """In the order of their recording, each with its own facts."""
    store = Store(url)
    for number in range(3):
        store.record(with_op("aten.mm", number), name=f"run {number}")

    assert [run.facts.name for run in store.runs()] == ["run 0", "run 1", "run 2"]
    assert store.open("latest~1").ops["time_ns"][0] == 1


def test_tags_change_and_the_run_does_not(url: str) -> None:
    """Tags lie beside the run: every file of it stays as it is, and the new tags are found."""
    store = Store(url)
    run = store.record(Made(), tags={"old": "1", "gone": "1"})
    before = store.place.read(f"runs/{run.id}/run.toml")
    store.tag(run.id, {"new": HOSTILE, "gone": None})

    assert store.open(f"new={HOSTILE}").tags == {"old": "1", "new": HOSTILE}
    assert [stored.tags for stored in store.runs()] == [{"old": "1", "new": HOSTILE}]
    assert store.place.read(f"runs/{run.id}/run.toml") == before


@pytest.mark.parametrize("key", ["", "a=b"])
def test_a_tag_that_could_not_be_named_is_refused(key: str, tmp_path: Path) -> None:
    """A key is what stands before the first `=`."""
    with pytest.raises(UsageError) as caught:
        Store(tmp_path).record(Made(), tags={key: "x"})
    assert caught.value.slug == "wrong-tag"
    assert not (tmp_path / "runs").exists() or not list((tmp_path / "runs").iterdir())


def test_a_removed_run_is_gone_with_its_tags(url: str) -> None:
    """Nothing of it is listed or left, and the others stay."""
    store = Store(url)
    gone, stays = store.record(Made()), store.record(Made())
    store.tag(gone.id, {"a": "b"})

    assert store.remove("latest~1") == gone.id
    assert [run.id for run in store.runs()] == [stays.id]
    assert not store.place.files(f"runs/{gone.id}")
    assert not store.place.files("tags")


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["ops", "calls", "ledger"])
def test_a_flipped_byte_of_a_table_is_found(name: str, url: str) -> None:
    """Reading the tables names the run and the table; `check` finds it without being pointed at."""
    store = Store(url)
    whole, hurt = store.record(Made()), store.record(Made())
    flip(store, f"runs/{hurt.id}/{name}.parquet")

    with pytest.raises(KernelmapError, match=f"{hurt.id} is damaged: {name}") as caught:
        _ = store.open(hurt.id).tables
    assert caught.value.slug == "run-damaged"
    checked, notices = store.check()
    assert checked == 1
    assert [hurt.id in notice.message for notice in notices] == [True]
    assert store.open(whole.id).tables.summary == make_tables().summary


def test_a_flipped_byte_of_the_manifest_is_found(url: str) -> None:
    """The run is named, passed over and cannot be opened; the others are there."""
    store = Store(url)
    whole, hurt = store.record(Made()), store.record(Made())
    flip(store, f"runs/{hurt.id}/run.toml")
    listing = store.listing()

    assert [run.id for run in listing.runs] == [whole.id]
    assert [(n.slug, hurt.id in n.message, n.gap) for n in listing.notices] == [
        ("run-skipped", True, True)
    ]
    with pytest.raises(KernelmapError, match="passed over"):
        store.open(hurt.id)
    assert store.remove(hurt.id) == hurt.id


def test_a_file_of_another_size_is_found_by_listing(url: str) -> None:
    """A table that was cut off or has gone is seen without reading it."""
    store = Store(url)
    cut, lacks, whole = (store.record(Made()) for _ in range(3))
    content = store.place.read(f"runs/{cut.id}/ops.parquet")
    store.place.delete(f"runs/{cut.id}/ops.parquet")
    store.place.write(f"runs/{cut.id}/ops.parquet", content[:-1])
    store.place.delete(f"runs/{lacks.id}/calls.parquet")
    listing = store.listing()

    assert [run.id for run in listing.runs] == [whole.id]
    assert "bytes instead of" in listing.notices[0].message
    assert "calls.parquet is missing" in listing.notices[1].message
    for run in (cut, lacks):
        with pytest.raises(KernelmapError, match="is damaged"):
            store.open(run.id)


def test_a_run_of_a_newer_kernelmap_is_named(url: str) -> None:
    """It is passed over with a word on what to do, and nothing else is hurt."""
    store = Store(url)
    newer, readable = store.record(Made()), store.record(Made())
    values = dict(unseal(store.place.read(f"runs/{newer.id}/run.toml"))) | {"version": VERSION + 1}
    store.place.delete(f"runs/{newer.id}/run.toml")
    store.place.write(f"runs/{newer.id}/run.toml", seal(values))

    assert [run.id for run in store.runs()] == [readable.id]
    assert [notice.slug for notice in store.listing().notices] == ["run-too-new"]


def test_what_has_no_manifest_is_no_run(url: str) -> None:
    """Objects of a recorder that was killed are neither listed nor opened, and prune takes them."""
    store = Store(url)
    whole = store.record(Made())
    draft = store.place.begin("20200101-000000-000000-00000000")
    draft.add("ops.parquet", b"half")

    assert [run.id for run in store.runs()] == [whole.id]
    assert store.listing().notices == ()
    assert store.prune() == ("20200101-000000-000000-00000000",)
    assert list(store.place.leftovers()) == []
    assert [run.id for run in store.runs()] == [whole.id]


def test_prune_leaves_what_may_still_be_written(url: str) -> None:
    """A draft younger than a day may still be written; with 0 hours it is removed."""
    store = Store(url)
    run = store.record(Made())
    young = run.id[:-8] + "00000000"
    store.place.begin(young).add("ops.parquet", b"half")

    assert store.prune() == ()
    assert store.prune(older_than=timedelta(0)) == (young,)


def test_hostile_names_are_only_names(url: str) -> None:
    """Names with slashes, quotes, line ends and halves of pairs are kept and found as texts."""
    store = Store(url)
    name = "../../etc/passwd\x00\n'\";\x1b[2J\u202e" + HOSTILE
    run = store.record(
        Made(), name=name, branch="a/b c", commit="x\ud800", tags={"k\n.": "v = [1]\x7f"}
    )

    assert store.open(name).id == run.id
    assert store.open("a/b c").id == run.id
    assert store.open("k\n.=v = [1]\x7f").id == run.id
    assert store.open(run.id).facts.commit == "x\\ud800"
    kept = [f"{table}.parquet" for table in make_tables().held if table != "launches"]
    assert sorted(store.place.files(f"runs/{run.id}")) == sorted([RUN_TOML, *kept])


def test_paths_of_the_machine_stay_out_of_the_manifest(tmp_path: Path) -> None:
    """Inputs are named as seen from what was given; notices lose the folders in their texts."""
    code = tmp_path / "secret place" / "output_code.py"
    code.parent.mkdir()
    code.write_text("def call(args):\n    pass\n")
    message = f"{code} is odd, and so is /home/somebody/.cache/x.py:3"
    content = replace(make_tables(), notices=(Notice(slug="odd", message=message, hint=message),))
    run = Store(tmp_path / "store").record(Made(content=content, inputs=(code,)))
    raw = (tmp_path / "store" / "runs" / run.id / "run.toml").read_text()

    assert [file.name for file in run.facts.inputs] == ["output_code.py"]
    assert run.notices[0].message == "output_code.py is odd, and so is x.py:3"
    assert "secret place" not in raw
    assert "somebody" not in raw


def test_a_correlation_says_what_it_was_made_from(samples: Path, tmp_path: Path) -> None:
    """Files inside a given folder are named from it; versions come from the bundle and its log."""
    result = kernelmap.correlate(samples / "cpu_mlp_train")
    facts = Store(tmp_path).record(result).facts
    names = [file.name for file in facts.inputs]

    assert "cpu_mlp_train/rank_0/trace.json.gz" in names
    assert all(name.startswith("cpu_mlp_train/rank_0/") for name in names)
    assert (facts.torch, facts.triton) == ("2.13.0+cpu", "3.9.0")
    assert same_frames(Store(tmp_path).open("latest").tables, result.tables)


def same_frames(one: Tables, other: Tables) -> bool:
    return all(one.frame(name).equals(other.frame(name)) for name in one.frames)


def test_a_store_that_is_not_there_is_said(url: str) -> None:
    """Reading a place where nothing was ever recorded is an error that says what to do."""
    with pytest.raises(UsageError) as caught:
        Store(url).runs()
    assert caught.value.slug == "no-store"


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A store below a file, or in a bucket that does not exist, is one clear error."""
    (tmp_path / "file").write_text("x")

    with pytest.raises(UsageError) as caught:
        Store(tmp_path / "file" / "store").record(Made())
    assert caught.value.slug == "unwritable-output"


@pytest.mark.s3
def test_a_bucket_that_is_missing_is_said(s3: str) -> None:
    """Recording makes no bucket; listing finds no store in one that is not there."""
    missing = Store(s3.replace("runs-", "none-"))

    with pytest.raises(UsageError, match="bucket does not exist"):
        missing.record(Made())
    with pytest.raises(UsageError) as caught:
        missing.runs()
    assert caught.value.slug == "no-store"


def test_a_disk_that_fills_leaves_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that cannot be written takes its run with it, and is one clear error."""
    store = Store(tmp_path)
    whole = store.record(Made())
    written: list[str] = []

    def full(path: Path, content: bytes) -> None:
        written.append(path.name)
        if path.name == "calls.parquet":
            raise OSError(28, "No space left on device")
        path.write_bytes(content)

    monkeypatch.setattr("kernelmap.history.store.local._write", full)
    with pytest.raises(UsageError, match="No space left"):
        store.record(Made())

    assert written
    assert [run.id for run in store.runs()] == [whole.id]
    assert list(store.place.leftovers()) == []


def test_credentials_of_a_url_are_not_shown() -> None:
    """What stands before @ in a URL is never shown."""
    pytest.importorskip("fsspec", reason="fsspec is not installed")

    assert Store("memory://key:secret@place").place.shown == "memory://***@place"


@pytest.mark.parametrize("bad", ["nothing-known://x", "s4://bucket"])
def test_a_url_of_no_known_protocol_is_said(bad: str) -> None:
    """The error names the URL."""
    pytest.importorskip("fsspec", reason="fsspec is not installed")

    with pytest.raises(UsageError, match=bad) as caught:
        Store(bad)
    assert caught.value.slug == "no-such-store"


def test_a_file_url_is_the_folder(tmp_path: Path) -> None:
    """`file://` needs no other package than a path does."""
    run = Store(tmp_path.as_uri()).record(Made())

    assert [stored.id for stored in Store(tmp_path).runs()] == [run.id]
