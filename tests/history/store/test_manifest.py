"""run.toml: what is written comes back, and no byte changes unseen."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from examples import examples
from kernelmap.history.store.facts import (
    VERSION,
    BrokenSealError,
    InputFile,
    RunFacts,
    TableFile,
    UnknownVersionError,
    read_facts,
    seal,
    unseal,
    write_facts,
)
from kernelmap.model import Notice
from pages.hand_tables import make_tables

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
KNOWN = TEXT | st.none()
COUNT = st.integers(0, 2**63 - 1)
SHA256 = st.text("0123456789abcdef", min_size=64, max_size=64)


def facts() -> RunFacts:
    return RunFacts(
        id="20261121-184644-123456-3f9a1c2b",
        version=VERSION,
        created="2026-11-21T18:46:44.123456+00:00",
        kernelmap="0.1.0",
        window=make_tables().summary,
        tables=(TableFile(name="ops", rows=3, bytes=900, sha256="0" * 64),),
        branch="main",
        tags={"model": "small"},
    )


@settings(max_examples=examples(40))
@given(
    texts=st.fixed_dictionaries(
        dict.fromkeys(("name", "branch", "commit", "torch", "triton", "cuda", "rocm"), KNOWN)
    ),
    changed=st.booleans() | st.none(),
    tags=st.dictionaries(TEXT, TEXT, max_size=3),
    gpus=st.lists(TEXT, max_size=2),
    inputs=st.lists(st.builds(InputFile, name=TEXT, bytes=COUNT, sha256=SHA256), max_size=2),
    notices=st.lists(
        st.builds(Notice, slug=TEXT, message=TEXT, hint=KNOWN, gap=st.booleans()), max_size=2
    ),
    steps=st.none() | st.tuples(COUNT, COUNT),
    exact=st.floats(0, 1),
)
def test_a_manifest_comes_back_as_it_was(  # noqa: PLR0913 -- one per kind of fact
    *,
    texts: dict[str, str | None],
    changed: bool | None,
    tags: dict[str, str],
    gpus: list[str],
    inputs: list[InputFile],
    notices: list[Notice],
    steps: tuple[int, int] | None,
    exact: float,
) -> None:
    """Any names, tags, numbers and notices survive TOML; what is missing stays missing."""
    window = replace(facts().window, steps=steps, coverage={"exact": exact})
    whole = replace(
        facts(),
        name=texts["name"],
        branch=texts["branch"],
        commit=texts["commit"],
        torch=texts["torch"],
        triton=texts["triton"],
        cuda=texts["cuda"],
        rocm=texts["rocm"],
        changed=changed,
        tags=tags,
        gpus=tuple(gpus),
        inputs=tuple(inputs),
        notices=tuple(notices),
        window=window,
    )

    assert read_facts(write_facts(whole)) == whole


@given(st.data())
def test_no_byte_changes_unseen(data: st.DataObject) -> None:
    """Wherever one bit of a manifest flips, reading it says so."""
    raw = bytearray(write_facts(facts()))
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))

    with pytest.raises(BrokenSealError):
        read_facts(bytes(raw))


@pytest.mark.parametrize("raw", [b"", b"\n", b"format = 1\n", b"\xff\xfe"])
def test_another_text_is_no_manifest(raw: bytes) -> None:
    """A text that was never sealed differs from a sealed one that was changed."""
    with pytest.raises(BrokenSealError):
        unseal(raw)


def test_a_sealed_text_is_toml() -> None:
    """Any TOML reader reads a run.toml; the seal is one of its keys."""
    read = tomllib.loads(write_facts(facts()).decode())

    assert read["format"] == "kernelmap.run"
    assert len(read["sha256"]) == 64


def test_a_newer_version_is_named() -> None:
    """A layout that is not known yet is not read as if it were."""
    with pytest.raises(UnknownVersionError, match=str(VERSION + 1)):
        read_facts(seal({"format": "kernelmap.run", "version": VERSION + 1}))


def test_keys_of_a_later_version_are_passed_over() -> None:
    """What was merely added to run.toml later does not make it unreadable."""
    values = dict(unseal(write_facts(facts()))) | {"weather": "fine"}

    assert read_facts(seal(values)) == facts()
