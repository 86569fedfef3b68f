"""Compiled graphs of this process → lines in torch's log, for those that are not in it yet.

torch logs a graph when it compiles it or takes it from a cache. A graph may be older than the log:
compiled before the recording in code began, or brought in by a cache that logs nothing. Its object
holds what a cache hit would log, so the same events are logged now. The objects are found with the
garbage collector, once, after the recording; no compiled function is touched. Of a graph whose
object is gone, as after `torch._dynamo.reset()`, the module that ran is still loaded: its code can
be logged, and nothing else is known of it. The user's own log hears none of this.
"""

from __future__ import annotations

import gc
import json
import logging
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from kernelmap.capture.import_hooks import CODE_CACHE
from kernelmap.capture.instrument import generated_modules, is_graph
from kernelmap.compiler.python.source import read_text
from kernelmap.errors import KernelmapError

if TYPE_CHECKING:
    from torch._inductor.output_code import CompiledFxGraph

_LOGGER = "torch.__trace"
_FILENAME = re.compile(rb'"inductor_output_code": \{"filename": "([^"]+)"')
_KEY = "_fx_graph_cache_key"
_TEXTS = (
    # artifact, attribute of the object, encoding; in the order of a cache hit, code in between
    ("fx_graph_runnable", "runnable_graph_str", "string"),
    ("inductor_post_grad_graph", "inductor_post_grad_graph_str", "string"),
)
_MAPPINGS = (
    ("inductor_provenance_tracking_node_mappings", "inductor_provenance_mapping_str"),
    ("inductor_provenance_tracking_kernel_stack_traces", "inductor_provenance_stack_traces_str"),
)


def graphs_in_memory() -> list[CompiledFxGraph] | None:
    """All compiled graphs of this process; None where this torch keeps them in another way."""
    module = sys.modules.get("torch._inductor.output_code")
    kind = getattr(module, "CompiledFxGraph", None)
    if kind is None:
        # With the compiler loaded, a missing class means another torch. Without it, nothing was
        # compiled.
        return None if CODE_CACHE in sys.modules else []
    # The type itself: isinstance would ask proxies that do more than answer.
    return [instance for instance in gc.get_objects() if type(instance) is kind]


def log_missing(graphs: list[CompiledFxGraph], logs: Path) -> int:
    """Log those of `graphs` that the files in `logs` do not have; gives how many those were."""
    logged = set(_logged(logs))
    missing = [graph for graph in graphs if graph.cache_key not in logged]
    if missing:
        with logging_into(logs), _heard_only_in(logs):
            for graph in missing:
                _log(graph)
    return len(missing)


def log_gone(graphs: list[CompiledFxGraph], ran: set[str], logs: Path) -> int:
    """Log the code of loaded modules that are of none of `graphs`, if graphs that `ran` are gone.

    `ran` are keys of the cache, by which a profile names graphs. Where all of them are in memory,
    what else is loaded is of earlier functions, and stays out. Gives how many were logged.
    """
    if ran <= {str(getattr(graph, _KEY, None)) for graph in graphs}:
        return 0
    known = {graph.cache_key for graph in graphs}
    # Named after the file of the code, as graphs are; a module may be loaded twice.
    loaded = {
        Path(module.__file__).stem: module
        for module in generated_modules()
        if is_graph(module) and module.__file__
    }
    codes = {name: _code_of(module) for name, module in loaded.items() if name not in known}
    with logging_into(logs), _heard_only_in(logs):
        for name, code in codes.items():
            if code:
                _event("inductor_output_code", {"filename": f"{name}.py"}, code)
    return len(codes)


def _code_of(module: ModuleType) -> str | None:
    """The text of a loaded module; None where its file is gone."""
    try:
        return read_text(Path(str(module.__file__)))
    except KernelmapError:
        return None


@contextmanager
def _heard_only_in(folder: Path) -> Iterator[None]:
    """Keep what this thread logs from every log but the one in `folder`.

    The log that the user writes has these graphs already, as they were compiled.
    """
    ours = threading.get_ident()

    def is_not_ours(record: logging.LogRecord) -> bool:
        return record.thread != ours

    handlers = [
        handler
        for handler in logging.getLogger(_LOGGER).handlers
        if getattr(handler, "root_dir", None) != str(folder)
    ]
    for handler in handlers:
        handler.addFilter(is_not_ours)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(is_not_ours)


@contextmanager
def logging_into(folder: Path) -> Iterator[None]:
    """Have torch write its structured log into `folder` too, if it does not yet.

    A torch that has no handler for it logs nothing; TORCH_TRACE is its only way then.
    """
    from torch._logging import _internal as internal

    logger = logging.getLogger(_LOGGER)
    there = any(getattr(handler, "root_dir", None) == str(folder) for handler in logger.handlers)
    if there or not hasattr(internal, "LazyTraceHandler"):
        yield
        return
    handler = internal.LazyTraceHandler(str(folder))
    handler.setFormatter(internal.TorchLogsFormatter(trace=True))
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()


def _logged(logs: Path) -> Iterator[str]:
    for path in sorted(logs.glob("*.log")):
        with path.open("rb") as file:
            for line in file:
                # Lines that begin with a tab are the text of an event; the line before names the
                # file, after the graph's cache key.
                match = None if line.startswith(b"\t") else _FILENAME.search(line)
                if match is not None:
                    yield Path(match[1].decode("utf-8", "replace")).stem


def _log(graph: CompiledFxGraph) -> None:
    """The events of a cache hit, as torch logs them."""
    for name, attribute, encoding in _TEXTS:
        # The order and the names of a cache hit, so that the reader of logs sees no difference.
        _artifact(name, encoding, getattr(graph, attribute, None))
    _event("inductor_output_code", {"filename": f"{graph.cache_key}.py"}, graph.source_code)
    for name, attribute in _MAPPINGS:
        _artifact(name, "json", getattr(graph, attribute, None))
    key = getattr(graph, _KEY, None)
    if key is not None:
        _artifact("fx_graph_cache_hit", "json", json.dumps({"key": key}))


def _artifact(name: str, encoding: str, text: str | None) -> None:
    if text:
        _event("artifact", {"name": name, "encoding": encoding}, text)


def _event(kind: str, facts: dict[str, str], text: str) -> None:
    from torch._logging import trace_structured

    trace_structured(kind, lambda: facts, payload_fn=lambda: text, expect_trace_id=False)
