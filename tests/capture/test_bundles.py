"""A bundle as input: whole, partial, damaged, changed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import kernelmap
from capture.bundle_world import SAMPLE, begun, recorded
from compiler.logs import Log
from kernelmap.capture import folder as folders
from kernelmap.capture.contents import listed
from kernelmap.capture.folder import first_manifest, make_folder, write_manifest
from kernelmap.capture.plan import Plan
from kernelmap.errors import KernelmapError
from kernelmap.model.bundle import (
    CUDA_GRAPHS,
    LOGS,
    MANIFEST,
    SCHEDULER,
    BundleFile,
    FileKind,
    State,
    is_bundle,
    read_manifest,
)
from kernelmap.whole_files import toml_text

PLAIN = st.one_of(st.text(), st.integers(-(2**63), 2**63 - 1), st.booleans(), st.lists(st.text()))
NEW = first_manifest(Plan(), None, {})
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("whole") / "bundle")


def slugs(correlation: kernelmap.Correlation) -> set[str]:
    return {notice.slug for notice in correlation.notices}


@given(st.dictionaries(NAMES, PLAIN), st.dictionaries(NAMES, PLAIN))
def test_what_is_written_as_toml_is_read_back(head: dict[str, object], row: dict[str, str]) -> None:
    """Any text, number or list survives, whatever characters it holds."""
    head = {name: value for name, value in head.items() if name != "rows"}
    document = tomllib.loads(toml_text({**head, "rows": [row, row]}))

    assert document == {**head, "rows": [row, row]}


def test_a_bundle_is_all_the_input_there_is(bundle: Path) -> None:
    """Code and trace of a bundle give what the same files give one by one."""
    one = kernelmap.correlate(bundle)
    other = kernelmap.correlate(SAMPLE / "torch_trace.log", SAMPLE / "profile.json.gz")

    columns = ["call", "ops", "source", "launches", "time_ns"]
    assert one.calls[columns].equals(other.calls[columns])
    assert set(one.launches["confidence"]) == {"exact", "outside"}
    assert not slugs(one) & {notice for notice in slugs(one) if notice.startswith("bundle")}


def test_generated_code_lies_in_the_bundle(bundle: Path) -> None:
    """A call's statement stands in a file of the bundle, whatever becomes of the cache."""
    files = set(map(Path, kernelmap.correlate(bundle).calls["code"].dropna()))

    assert {path.parent.name for path in files} == {"model__0_forward_1.0", "model__0_backward_2.0"}
    assert all(path.is_file() and bundle in path.parents for path in files)


def test_every_file_is_listed_with_its_digest(bundle: Path) -> None:
    """The manifest names all files but itself, with what they hold."""
    manifest = read_manifest(bundle)
    there = {p.relative_to(bundle).as_posix() for p in bundle.rglob("*") if p.is_file()}

    assert {file.path for file in manifest.files} == there - {MANIFEST}
    assert {file.kind for file in manifest.files} == {FileKind.CODE, FileKind.LOG, FileKind.TRACE}
    assert (manifest.state, manifest.why) == (State.COMPLETE, None)


def test_only_recorded_steps_of_an_nsys_bundle_count(tmp_path: Path) -> None:
    """Nsys records from the first compilation on; the manifest says which steps were asked for."""
    every = kernelmap.correlate(recorded(tmp_path / "all"))
    bundle = recorded(tmp_path / "b", first_step=2, last_step=3)
    write_manifest(bundle, replace(read_manifest(bundle), profiler="nsys"))
    chosen = kernelmap.correlate(bundle)
    asked = kernelmap.correlate(bundle, options=kernelmap.Options(steps=(1, 1)))

    assert [set(it.launches["step"]) for it in (every, chosen, asked)] == [
        {1, 2, 3, 4},
        {2, 3},
        {1},
    ]
    assert chosen.ledger["time_ns"].sum() < every.ledger["time_ns"].sum()


@pytest.mark.parametrize(
    ("first", "last", "why"),
    [
        (1, 3, "step 4 is cut by the end of the recording"),
        (2, 4, "step 1 was under way when the recording began"),
    ],
)
def test_a_step_that_was_not_recorded_whole_is_none(
    first: int, last: int, why: str, tmp_path: Path
) -> None:
    """The manifest knows in which step the program ended, whatever that ran; --steps has it all."""
    bundle = recorded(tmp_path / "b", first_step=first, last_step=last)
    correlation = kernelmap.correlate(bundle)
    every = kernelmap.correlate(bundle, options=kernelmap.Options(steps=(1, 4)))
    (notice,) = [notice for notice in correlation.notices if notice.slug == "step-incomplete"]

    assert set(correlation.launches["step"]) == set(range(first, last + 1))
    assert correlation.summary.step_count == 3
    assert why in notice.message
    assert set(every.launches["step"]) == {1, 2, 3, 4}


def test_a_changed_file_is_reported(tmp_path: Path) -> None:
    """A byte more than the digest knows is a gap."""
    bundle = recorded(tmp_path / "b")
    with next(bundle.rglob("*.log")).open("ab") as log:
        log.write(b"\n")
    correlation = kernelmap.correlate(bundle)

    assert [n.gap for n in correlation.notices if n.slug == "bundle-file-changed"] == [True]


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    """What the manifest lists and the folder lacks is a gap; the rest is read."""
    bundle = recorded(tmp_path / "b")
    next(bundle.rglob("output_code.py")).unlink()
    correlation = kernelmap.correlate(bundle)

    assert [n.gap for n in correlation.notices if n.slug == "bundle-file-missing"] == [True]
    assert set(correlation.launches["confidence"]) == {"exact", "outside"}


def test_a_bundle_without_its_trace_says_why(tmp_path: Path) -> None:
    """The process's own reason reaches whoever asks for a correlation."""
    bundle = recorded(tmp_path / "b", trace=False, state="partial", why="the dog ate it")

    assert read_manifest(bundle).state is State.PARTIAL
    with pytest.raises(KernelmapError, match="the dog ate it") as raised:
        kernelmap.correlate(bundle)
    assert raised.value.slug == "bundle-without-trace"


def test_a_program_that_always_recompiles_is_shown_its_guard(tmp_path: Path) -> None:
    """More steps would compile again, so both commands name the guard that fails instead."""
    bundle = recorded(tmp_path / "b", trace=False, state="partial", why="no step was recorded")
    path, log = bundle / "rank_0" / LOGS / "torch_trace.log", Log()
    for number in range(4):
        log.at(7, number, 0)
        if number:
            log.artifact("recompile_reasons", [f"7/{number - 1}: L['n'] == 2  # y = x * n"])
        frame = {"line": 7, "name": "f", "filename": "/home/me/m.py", "loc": "def f(x, n):"}
        log.event({"dynamo_start": {"stack": [frame]}})
    path.write_text(path.read_text(encoding="utf-8") + log.text, encoding="utf-8")
    with pytest.raises(KernelmapError) as raised:
        kernelmap.correlate(bundle)
    (finding,) = [
        finding for finding in kernelmap.doctor(bundle).findings if finding.slug == "recompiles"
    ]

    assert raised.value.slug == "bundle-without-trace"
    assert "L['n'] == 2" in (raised.value.hint or "")
    assert "more steps" not in (raised.value.hint or "")
    assert "f (/home/me/m.py:7) was compiled 4 times" in finding.what


def test_a_partial_bundle_is_read_and_named(tmp_path: Path) -> None:
    """Steps that are missing are a gap; those that are there are counted."""
    bundle = recorded(tmp_path / "b", state="partial", why="the program ended")
    correlation = kernelmap.correlate(bundle)

    assert [n.gap for n in correlation.notices if n.slug == "bundle-partial"] == [True]
    assert len(correlation.launches) > 0


def test_a_recording_that_was_killed_is_read_as_far_as_it_came(tmp_path: Path) -> None:
    """Without a final manifest, the names of the files say what they are."""
    manifest = begun(tmp_path / "killed")
    whole = recorded(tmp_path / "b")
    write_manifest(whole, manifest)
    correlation = kernelmap.correlate(whole)

    assert "bundle-partial" in slugs(correlation)
    assert set(correlation.launches["confidence"]) == {"exact", "outside"}
    with pytest.raises(KernelmapError, match="the recording was killed"):
        kernelmap.correlate(tmp_path / "killed")


def test_compilations_inside_the_window_are_reported(tmp_path: Path) -> None:
    """So is a program in which nothing was compiled, and one that failed."""
    inside = kernelmap.correlate(recorded(tmp_path / "a", compiled_inside=2))
    without = kernelmap.correlate(recorded(tmp_path / "b", graphs=0))

    assert "bundle-compiled-inside" in slugs(inside)
    assert "bundle-without-graphs" in slugs(without)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ('format = "kernelmap.bundle"\nversion = ', "bundle-damaged"),
        ('format = "kernelmap.bundle"\nversion = 1\nstate = "odd"', "bundle-damaged"),
        ('format = "kernelmap.bundle"\nversion = 99', "bundle-too-new"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_an_error(tmp_path: Path, text: str, slug: str) -> None:
    """A bundle is never half understood."""
    (tmp_path / MANIFEST).write_text(text)

    with pytest.raises(KernelmapError) as raised:
        kernelmap.correlate(tmp_path)
    assert raised.value.slug == slug


def test_another_project_s_manifest_is_no_bundle(tmp_path: Path) -> None:
    """Only our own format makes a folder a bundle."""
    (tmp_path / MANIFEST).write_text('name = "a web app"')

    assert not is_bundle(tmp_path)


def test_only_a_bundle_is_replaced_and_only_if_asked(tmp_path: Path) -> None:
    """Neither a bundle without --force nor any other folder with it loses a file."""
    bundle, other = recorded(tmp_path / "b"), tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("years of work")

    for folder, force in ((bundle, False), (other, False), (other, True)):
        with pytest.raises(KernelmapError) as raised:
            make_folder(folder, NEW, force=force)
        assert raised.value.slug == "bundle-exists"
    assert read_manifest(bundle).state is State.COMPLETE
    assert (other / "thesis.tex").exists()
    made = make_folder(bundle, NEW, force=True)
    with pytest.raises(KernelmapError, match="being recorded"):
        make_folder(bundle, NEW, force=True)
    made.keep()
    made.close()
    assert [path.name for path in tmp_path.rglob("*") if other not in (path, path.parent)] == [
        "b",
        MANIFEST,
    ]
    assert read_manifest(bundle).state is State.RECORDING


@pytest.mark.parametrize("state", [State.COMPLETE, State.RECORDING])
def test_a_bundle_with_other_files_in_it_stays(tmp_path: Path, state: State) -> None:
    """--force takes out what captures wrote, never what a person put beside it."""
    bundle = recorded(tmp_path / "b")
    if state is State.RECORDING:
        write_manifest(bundle, begun(tmp_path / "new"))
    (bundle / "notes.txt").write_text("mine")
    before = sorted(bundle.rglob("*"))

    with pytest.raises(KernelmapError, match=r"notes\.txt") as raised:
        make_folder(bundle, NEW, force=True)
    assert raised.value.slug == "bundle-not-only"
    assert sorted(bundle.rglob("*")) == before


def test_a_bundle_needs_a_folder_to_stand_in(tmp_path: Path) -> None:
    """Folders around the bundle are not made up."""
    with pytest.raises(KernelmapError) as raised:
        make_folder(tmp_path / "no" / "b", NEW, force=False)
    assert raised.value.slug == "no-output-folder"


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name", ["../outside", "/absolute", "rank_0/link", "a/../../outside", "x\0y"]
)
@pytest.mark.parametrize("kind", [FileKind.TRACE, FileKind.CUDA_GRAPHS, FileKind.OTHER])
def test_a_bundle_names_no_file_outside_of_itself(
    tmp_path: Path, name: str, kind: FileKind
) -> None:
    """A name or link that leads outside is reported, and never read."""
    bundle = recorded(tmp_path / "b")
    outside = tmp_path / "outside"
    outside.write_text("not for you")
    (bundle / "rank_0" / "link").symlink_to(outside)
    manifest = read_manifest(bundle)
    name = name.replace("/absolute", str(outside))
    named = BundleFile(path=name, kind=kind, bytes=0, sha256="")
    write_manifest(bundle, replace(manifest, files=(*manifest.files, named)))
    correlation = kernelmap.correlate(bundle)

    assert [n.gap for n in correlation.notices if n.slug == "bundle-file-outside"] == [True]
    assert outside not in correlation.files
    assert set(correlation.launches["confidence"]) == {"exact", "outside"}


MINE = ("rank_0/notes.txt", "rank_0/code/mine.py", "checkpoint.pt", "rank_0/link")


@pytest.mark.parametrize(
    ("name", "when"),
    [
        *((name, when) for name in (*MINE, "nsys/mine.sqlite") for when in ("before", "after")),
        ("rank_0/torch_trace/mine.log", "after"),
    ],
)
def test_force_deletes_nothing_that_no_capture_wrote(tmp_path: Path, name: str, when: str) -> None:
    """Whether the manifest lists it, as what the program itself put there, or not."""
    bundle = recorded(tmp_path / "b")
    users_path = bundle / name
    users_path.parent.mkdir(exist_ok=True)
    if name.endswith("link"):
        users_path.symlink_to(tmp_path)
    else:
        users_path.write_text("mine")
    if when == "before" and users_path.is_file():
        write_manifest(bundle, replace(read_manifest(bundle), files=listed(bundle)))
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(KernelmapError) as raised:
        make_folder(bundle, NEW, force=True)
    assert raised.value.slug == "bundle-not-only"
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", [CUDA_GRAPHS, SCHEDULER])
def test_force_replaces_what_a_capture_wrote(tmp_path: Path, name: str) -> None:
    """Files that only some captures write are of the bundle as well."""
    bundle = recorded(tmp_path / "b")
    (bundle / "rank_0" / name).write_bytes(b"")
    write_manifest(bundle, replace(read_manifest(bundle), files=listed(bundle)))
    kinds = [file.kind for file in read_manifest(bundle).files if file.path.endswith(name)]
    make_folder(bundle, NEW, force=True).close()

    assert kinds == [{CUDA_GRAPHS: FileKind.CUDA_GRAPHS, SCHEDULER: FileKind.SCHEDULER}[name]]


@pytest.mark.parametrize("path", ["rank_0/trace.json.gz", "rank_0/code/*/output_code.py"])
def test_force_keeps_what_was_changed_since(tmp_path: Path, path: str) -> None:
    """A file with other bytes than in the manifest may be a user's work."""
    bundle = recorded(tmp_path / "b")
    changed = next(bundle.glob(path))
    changed.write_bytes(changed.read_bytes() + b" ")

    with pytest.raises(KernelmapError, match=changed.name) as raised:
        make_folder(bundle, NEW, force=True)
    assert raised.value.slug == "bundle-not-only"


def test_an_older_bundle_stays_where_the_new_one_cannot_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full before the program runs costs nothing."""
    bundle = recorded(tmp_path / "b")
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders, "write_manifest", fail)
    for folder, force in ((bundle, True), (tmp_path / "new", False)):
        with pytest.raises(KernelmapError, match="No space left") as raised:
            make_folder(folder, NEW, force=force)
        assert raised.value.slug == "unwritable-output"
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["x" * 300, "y/" * 3000, "rank_0/loop", "rank_0/trace.json/x"])
@pytest.mark.parametrize("kind", [FileKind.TRACE, FileKind.CUDA_GRAPHS, FileKind.OTHER])
def test_a_name_that_no_file_can_have_is_a_missing_file(
    tmp_path: Path, name: str, kind: FileKind
) -> None:
    """A name that is too long, lies below a file, or links to itself is a gap; the rest is read."""
    bundle = recorded(tmp_path / "b")
    loop = bundle / "rank_0" / "loop"
    loop.symlink_to(loop)
    manifest = read_manifest(bundle)
    named = BundleFile(path=name, kind=kind, bytes=0, sha256="")
    write_manifest(bundle, replace(manifest, files=(*manifest.files, named)))
    correlation = kernelmap.correlate(bundle)

    lacking = ("bundle-file-missing", "bundle-file-outside")
    assert [n.gap for n in correlation.notices if n.slug in lacking] == [True]
    assert set(correlation.launches["confidence"]) == {"exact", "outside"}
