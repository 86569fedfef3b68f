"""Only what lies below the named folders is read, whatever an agent or an input names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agents.asking import Agent
from kernelmap.errors import KernelmapError
from kernelmap.model.paths import open_file, reading_only, require_readable
from kernelmap.traces.nsys import sqlite


@pytest.fixture
def place(tmp_path: Path, samples: Path) -> Path:
    """A folder that may be read, beside one that may not."""
    for folder in ("open", "secret"):
        shutil.copytree(samples / "cuda_routed", tmp_path / folder / "run")
    return tmp_path


@pytest.mark.parametrize(
    "path", ["../secret/run", "/etc/passwd", "run/../../secret/run", "\0", "no"]
)
def test_a_path_outside_is_refused(path: str, place: Path) -> None:
    """A path that leaves the folder, or is nowhere, is not read and not looked at."""
    told = Agent(place / "open").ask("open", paths=[path])
    assert told["error"]["slug"] == "outside-of-folders"
    absolute = Agent(place / "open").ask("open", paths=[str(place / "secret" / "run")])
    assert absolute["error"]["slug"] == "outside-of-folders"


def test_a_path_inside_is_read_relative_and_absolute(place: Path) -> None:
    """Both ways to name a path below the folder mean the same recording."""
    agent = Agent(place / "open")
    assert agent.opened("run") == agent.opened(str(place / "open" / "run"))


def test_a_link_does_not_lead_out(place: Path) -> None:
    """A link in a folder to what lies outside of it is not followed: not named, not in a bundle."""
    agent = Agent(place / "open")
    (place / "open" / "link").symlink_to(place / "secret" / "run")
    assert agent.ask("open", paths=["link"])["error"]["slug"] == "outside-of-folders"
    inside = place / "open" / "run" / "rank_0" / "trace.json.gz"
    inside.unlink()
    inside.symlink_to(place / "secret" / "run" / "rank_0" / "trace.json.gz")
    told = agent.ask("open", paths=["run"])
    assert "refused" in told
    assert "answer" not in told


def test_a_file_that_an_input_names_is_not_read(place: Path) -> None:
    """While only some folders may be read, opening anything else is an error."""
    outside = place / "secret" / "run" / "truth.json"
    with reading_only([place / "open"]):
        with pytest.raises(OSError, match="outside of the folders"):
            open_file(outside)
        with pytest.raises(KernelmapError, match="outside of the folders"):
            require_readable(outside)
        open_file(place / "open" / "run" / "truth.json").close()
    open_file(outside).close()


def test_no_program_is_started(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report that only nsys reads is refused: nothing is run, although nsys is there."""
    report = place / "open" / "run.nsys-rep"
    report.write_bytes(b"NVIDIA Nsight Systems report")
    monkeypatch.setattr(shutil, "which", lambda _: "/bin/false")
    with (
        reading_only([place / "open"]),
        pytest.raises(KernelmapError, match="no program is started here"),
        sqlite.exported(report),
    ):
        pytest.fail("it was exported")


def test_a_source_file_outside_is_not_shown(place: Path) -> None:
    """The text of a line comes from a file only where that lies below the folders."""
    agent = Agent(place / "open")
    name = agent.opened("run")
    told = agent.ask("source", recording=name, place="line#0")
    if "error" not in told:
        assert told["text_from"] != "the file"
    assert str(place / "secret") not in json.dumps(told)
