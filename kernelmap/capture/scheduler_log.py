"""What Inductor's scheduler decides in this process → a packed log, in the form of TORCH_LOGS.

Why two operations were not fused is known while a graph is compiled, and only torch's loggers are
told. Those of three artifacts are listened to: `fusion` has the decisions, `ir_pre_fusion` what
each operation writes, `output_code` which graph they were about. TORCH_LOGS asks for the same, and
prints all of it into the program's stderr; here nothing is printed that would not be without us.

The file appears with the first message. A torch whose loggers are made otherwise tells nothing.
"""

from __future__ import annotations

import gzip
import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path

from kernelmap.capture.import_hooks import when_imported

_ARTIFACTS = ("fusion", "ir_pre_fusion", "output_code")
_SPEAKING = tuple(
    f"torch._inductor.{name}" for name in ("scheduler", "debug", "codecache", "graph")
)
"""Modules that have a logger of such an artifact, in one version of torch or another."""
_INTERNAL = "torch._logging._internal"


@contextmanager
def decisions_kept(path: Path) -> Iterator[None]:
    """Write to `path` what is decided within the block; torch is loaded, maybe not its compiler."""
    log = _PackedLog(path)
    heard: set[str] = set()
    with ExitStack() as undo:
        undo.callback(log.close)

        def listen() -> None:
            for logger in _loggers():
                if logger.name not in heard and not log.is_over:
                    heard.add(logger.name)
                    undo.enter_context(_heard_by(log, logger))

        for name in _SPEAKING:
            # A module makes its logger when it is loaded, which may be with the first graph.
            when_imported(name, lambda _: listen())
        yield


def _loggers() -> list[logging.Logger]:
    """Those of the three artifacts that torch has made so far."""
    registry = getattr(sys.modules.get(_INTERNAL), "log_registry", None)
    loggers = map(logging.getLogger, sorted(getattr(registry, "artifact_log_qnames", ())))
    return [each for each in loggers if getattr(each, "artifact_name", None) in _ARTIFACTS]


@contextmanager
def _heard_by(log: _PackedLog, logger: logging.Logger) -> Iterator[None]:
    """Have `log` hear all that the logger is told, and everybody else what they heard before.

    Levels and handlers stay as they are, for a program may have torch set them anew: the logger
    answers that it is on, and what it is told only for that reason goes no further than to us.
    """

    def hear(record: logging.LogRecord) -> bool:
        log.write(record)
        return logging.Logger.isEnabledFor(logger, record.levelno)

    logger.addFilter(hear)
    vars(logger)["isEnabledFor"] = lambda _level: True
    try:
        yield
    finally:
        vars(logger).pop("isEnabledFor", None)
        logger.removeFilter(hear)


@dataclass(slots=True)
class _PackedLog:
    """Lines as torch prints them; what cannot be written ends the log and not the program."""

    path: Path
    is_over: bool = False
    _file: TextIOWrapper | None = None
    _formatter: logging.Formatter | None = None
    _pid: int = field(default_factory=os.getpid)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, record: logging.LogRecord) -> None:
        """Add a message; nothing in a forked child, and nothing behind the end."""
        if self.is_over or os.getpid() != self._pid:
            return
        with self._lock:
            try:
                file, formatter = self._open()
                file.write(f"{formatter.format(record)}\n")
            except Exception:  # noqa: BLE001 -- whatever it is, the program did not cause it
                self.is_over = True

    def _open(self) -> tuple[TextIOWrapper, logging.Formatter]:
        if self._file is None or self._formatter is None:
            # Its prefixes name the graph that is compiled.
            self._formatter = sys.modules[_INTERNAL].TorchLogsFormatter()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            packed = gzip.GzipFile(self.path, "wb")
            self._file = TextIOWrapper(packed, "utf-8", "replace", newline="\n")
        return self._file, self._formatter

    def close(self) -> None:
        """End the file, if there is one."""
        self.is_over = True
        with self._lock:
            if self._file is not None and os.getpid() == self._pid:
                self._file.close()
            self._file = None
