"""What torch's loggers are told is kept, and nobody hears more than without us."""

from __future__ import annotations

import gzip
import logging
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from kernelmap.capture.scheduler_log import decisions_kept

pytestmark = pytest.mark.torch


class Others(logging.Handler):
    """Whoever else listens to a logger, such as what TORCH_LOGS sets up."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(record.getMessage())


@pytest.fixture(scope="module", autouse=True)
def _load_torch() -> None:
    import_module("torch._inductor.scheduler")


@pytest.fixture
def fusion() -> Iterator[tuple[logging.Logger, Others]]:
    """The scheduler's logger, and another handler of it."""
    logger, others = logging.getLogger("torch._inductor.scheduler.__fusion"), Others()
    logger.addHandler(others)
    yield logger, others
    logger.removeHandler(others)


def kept(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_what_is_decided_is_kept_and_nobody_else_hears_it(
    tmp_path: Path, fusion: tuple[logging.Logger, Others], capfd: pytest.CaptureFixture[str]
) -> None:
    """Within the block the logger is on; before and behind it is as it was, and nothing prints."""
    logger, others = fusion
    before = dict(vars(logger)), logger.filters[:], logger.handlers[:]
    logger.debug("before")
    with decisions_kept(tmp_path / "rank_0" / "log.gz"):
        assert logger.isEnabledFor(logging.DEBUG)
        logger.debug("cannot fuse %s with %s: %s", "op0", "op1", "no shared data\nat all")
    logger.debug("behind")
    lines = kept(tmp_path / "rank_0" / "log.gz")

    assert [line.partition("[__fusion] ")[2] for line in lines] == [
        "cannot fuse op0 with op1: no shared data",
        "at all",
    ]
    assert others.heard == []
    assert capfd.readouterr() == ("", "")
    after = dict(vars(logger)), logger.filters[:], logger.handlers[:]
    assert [part for part in after if part not in before] == []
    assert not logger.isEnabledFor(logging.DEBUG)


def test_what_the_program_asked_for_it_still_hears(
    tmp_path: Path, fusion: tuple[logging.Logger, Others]
) -> None:
    """A program may set torch's logs while it is recorded: all is kept, whatever it chose."""
    from torch._logging import set_logs

    logger, others = fusion
    with decisions_kept(tmp_path / "log.gz"):
        try:
            logger.debug("one")
            set_logs(fusion=True)
            logger.debug("two")
        finally:
            set_logs()
        logger.debug("three")

    assert others.heard == ["two"]
    assert [line.rpartition(" ")[2] for line in kept(tmp_path / "log.gz")] == [
        "one",
        "two",
        "three",
    ]


def test_a_process_without_decisions_leaves_no_file(tmp_path: Path) -> None:
    """Also where the folder could not be made: the program goes on, and nothing is kept."""
    with decisions_kept(tmp_path / "none" / "log.gz"):
        pass
    (tmp_path / "file").write_text("")
    with decisions_kept(tmp_path / "file" / "log.gz"):
        logging.getLogger("torch._inductor.scheduler.__fusion").debug("lost")

    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_forked_child_writes_nothing(tmp_path: Path) -> None:
    """It shares the open file: what it wrote would damage it."""
    logger = logging.getLogger("torch._inductor.scheduler.__fusion")
    with decisions_kept(tmp_path / "log.gz"):
        logger.debug("parent")
        child = os.fork()
        if child == 0:
            logger.debug("child")
            os._exit(0)
        os.waitpid(child, 0)
        logger.debug("parent again")

    assert len(kept(tmp_path / "log.gz")) == 2
