"""Tags that were set after recording: changes of many taggers at once, and of older versions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from history.store.made import Made, tag_at_once
from kernelmap.history.store.facts import new_id
from kernelmap.history.store.listing import TagChange, read_change, write_change
from kernelmap.history.store.store import Store

TAGGERS = 8
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.builds(TagChange, set=st.dictionaries(TEXT, TEXT, max_size=4), gone=st.lists(TEXT)))
def test_a_change_comes_back_as_it_was(change: TagChange) -> None:
    """Its file holds any texts."""
    read = read_change(write_change(change))

    assert (read.set, list(read.gone)) == (change.set, change.gone)


def test_of_taggers_at_once_every_change_stays(tmp_path: Path) -> None:
    """Eight set a tag of their own and take one away; one that all set has one of their values."""
    assert_all_stay(str(tmp_path), {})


@pytest.mark.thorough
@pytest.mark.s3
def test_of_taggers_at_once_every_change_stays_in_an_object_store(
    s3: str, s3_server: Mapping[str, str]
) -> None:
    """The same where there are neither locks nor renames."""
    assert_all_stay(s3, s3_server)


def assert_all_stay(url: str, environment: Mapping[str, str]) -> None:
    store = Store(url)
    run = store.record(Made(), tags={f"old{number}": "x" for number in range(TAGGERS)})
    tag_at_once(url, run.id, TAGGERS, environment=environment)
    tags = dict(store.open(run.id).tags)

    assert tags.pop("all") in {str(number) for number in range(TAGGERS)}
    assert tags == {f"new{number}": str(number) for number in range(TAGGERS)}
    assert dict(store.runs()[0].tags) == dict(store.open(run.id).tags)


def test_a_tag_has_one_file_however_often_it_is_set(url: str) -> None:
    """The last word stands, and what was set before leaves nothing that readers have to read."""
    store = Store(url)
    store.record(Made(), name="x", tags={"recorded": "1"})

    assert store.tag("x", {"k": "first", "recorded": None}).tags == {"k": "first"}
    assert store.tag("x", {"k": None}).tags == {}
    assert store.tag("x", {"k": "last"}).tags == {"k": "last"}
    assert len(store.place.files("tags")) == 2


def test_tags_of_older_versions_are_read(url: str) -> None:
    """They kept a file per change; the later change stands, and what is set now comes after all."""
    store = Store(url)
    run = store.record(Made(), name="x", tags={"recorded": "1"})
    for year, change in (
        (2026, TagChange(set={"k": "first", "kept": "yes"}, gone=["recorded"])),
        (2999, TagChange(set={"k": "from a fast clock"})),
    ):
        change_id = new_id(datetime(year, 1, 1, tzinfo=UTC))
        store.place.write(f"tags/{run.id}.{change_id}.toml", write_change(change))
    assert store.open("x").tags == {"k": "from a fast clock", "kept": "yes"}
    assert store.runs()[0].tags == {"k": "from a fast clock", "kept": "yes"}

    assert store.tag("x", {"k": "now"}).tags == {"k": "now", "kept": "yes"}
    assert store.tag("x", {"kept": None}).tags == {"k": "now"}
    store.remove("x")
    assert store.place.files("tags") == {}


def test_of_damaged_changes_the_others_stay(url: str) -> None:
    """One change that cannot be read is named; what was recorded or set beside it stands."""
    store = Store(url)
    run = store.record(Made(), tags={"old": "1", "k1": "recorded"})
    for number in range(3):
        store.tag(run.id, {f"k{number}": "v"})
    (hurt,) = (
        path
        for path in (f"tags/{name}" for name in store.place.files("tags"))
        if b"k1" in store.place.read(path)
    )
    content = bytearray(store.place.read(hurt))
    content[-3] ^= 1
    store.place.write(hurt, bytes(content))
    listing = store.listing()

    assert listing.runs[0].tags == {"old": "1", "k0": "v", "k1": "recorded", "k2": "v"}
    assert [notice.slug for notice in listing.notices] == ["tags-damaged"]


def test_what_else_lies_beside_the_tags_is_not_ours(tmp_path: Path) -> None:
    """Files of other names are passed over."""
    store = Store(tmp_path)
    run = store.record(Made(), tags={"a": "b"})
    (tmp_path / "tags").mkdir()
    (tmp_path / "tags" / f"{run.id}.toml").write_text("x")
    (tmp_path / "tags" / "notes.txt").write_text("x")

    assert store.listing().notices == ()
    assert store.open(run.id).tags == {"a": "b"}
