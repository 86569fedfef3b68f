"""Reports that several modules look at: each is written once, for all workers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import kernelmap
from kernelmap.pages.report import Content
from made_once import made_once
from pages.browsing import write
from pages.hand_tables import make_tables
from pages.report_world import content, hostile, small


@pytest.fixture(scope="session")
def report_of(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Callable[[str], Path]:
    """The report of a sample by its name; to be read only."""

    def report(sample: str) -> Path:
        def make(folder: Path) -> None:
            kernelmap.correlate(samples / sample).to_html(folder / "report.html")

        return made_once(tmp_path_factory, f"report-{sample}", make) / "report.html"

    return report


@pytest.fixture(scope="session")
def small_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three calls of two kernels, twice, and eager work between."""
    return _written(tmp_path_factory, "small", lambda: content(small()))


@pytest.fixture(scope="session")
def harmful_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every name is an attack."""
    return _written(tmp_path_factory, "harmful", lambda: content(hostile()))


@pytest.fixture(scope="session")
def saved_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a saved result: tables, and nothing of the trace."""
    return _written(tmp_path_factory, "saved", lambda: Content(tables=make_tables()))


def _written(factory: pytest.TempPathFactory, name: str, made: Callable[[], Content]) -> Path:
    def make(folder: Path) -> None:
        write(made(), folder / "report.html")

    return made_once(factory, f"report-of-{name}", make) / "report.html"
