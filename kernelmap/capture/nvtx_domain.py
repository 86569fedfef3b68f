"""NVTX through the package nvtx, in a way that arrives under every Nsight Systems we could try.

`open_domain` gives the fastest way to push texts that the installed package has: registered
strings in a domain object, or else (0.2.11 and older, which have no such object) its functions.

From 0.2.12 on, the package asks the tool whether a domain is enabled, by an extension that nsys up
to 2024.2 refuses ("payload extension is incompatible", 260 against 259); it takes that for a no and
drops every range. Ranges themselves need no extension. So where a tool is attached and the package
hands out its dummy, the same domain is made without asking: seen to arrive with nvtx 0.2.12 to
0.2.17 under nsys 2022.4, 2023.4 and 2024.2.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Protocol

from kernelmap.errors import KernelmapError

_TOOL = "NVTX_INJECTION64_PATH"


class Domain(Protocol):
    """Nested ranges per thread."""

    def prepared(self, text: str) -> object:
        """What `push` takes for a range of this text; made once, used often."""

    def push(self, prepared: object) -> None:
        """Begin a range in this thread."""

    def pop(self) -> None:
        """End this thread's innermost range of the domain."""


class OpenDomain(Domain, Protocol):
    """The same, and ranges that any thread may end."""

    def begin(self, prepared: object) -> object:
        """Begin a range beside those; gives what ends it."""

    def end(self, begun: object) -> None:
        """End such a range."""


class _NvtxObject(Protocol):
    """`nvtx.Domain`; its dummy makes attributes that are None."""

    def get_event_attributes(self, message: str) -> object: ...

    def push_range(self, attributes: object) -> None: ...

    def pop_range(self) -> None: ...

    def start_range(self, attributes: object) -> object: ...

    def end_range(self, begun: object) -> None: ...


class _NvtxFunctions(Protocol):
    """The module nvtx."""

    def push_range(self, message: object, *, domain: str) -> None: ...

    def pop_range(self, *, domain: str) -> None: ...

    def start_range(self, message: object, *, domain: str) -> object: ...

    def end_range(self, begun: object) -> None: ...


def is_tool_attached() -> bool:
    """Whether a tool such as nsys has asked this process for NVTX."""
    return bool(os.environ.get(_TOOL))


def missing() -> KernelmapError:
    """The error to raise without the package nvtx."""
    return KernelmapError(
        "nvtx-missing",
        "marks need the package nvtx, which is not installed",
        "Install it: pip install 'kernelmap[capture]'.",
    )


def open_domain(name: str) -> OpenDomain:
    """The domain `name`. Raises KernelmapError without the package nvtx."""
    try:
        import nvtx
    except ImportError as error:
        raise missing() from error
    made: _NvtxObject | None = nvtx.get_domain(name) if hasattr(nvtx, "get_domain") else None
    if made is None or not hasattr(made, "push_range"):
        return _Functions(nvtx, name)
    if is_tool_attached() and made.get_event_attributes("") is None:
        made = _unasked(name) or made
    return _Object(made)


def _unasked(name: str) -> _NvtxObject | None:
    """A domain object that was made without asking whether the tool wants it."""
    private = import_module("nvtx._lib.lib")
    made, handle = getattr(private, "Domain", None), getattr(private, "DomainHandle", None)
    if made is None or handle is None:
        return None
    domain: _NvtxObject = object.__new__(made)
    vars(domain)["handle"] = handle(name)
    made.__init__(domain, name)
    return domain


class _Object:
    """A domain object of the package, with its strings registered."""

    def __init__(self, domain: _NvtxObject) -> None:
        self.prepared = domain.get_event_attributes
        self.push = domain.push_range
        self.pop = domain.pop_range
        self.begin = domain.start_range
        self.end = domain.end_range


class _Functions:
    """The package's functions, which look the domain up each time."""

    def __init__(self, nvtx: _NvtxFunctions, name: str) -> None:
        self.nvtx, self.name = nvtx, name

    def prepared(self, text: str) -> object:
        """The text itself."""
        return text

    def push(self, prepared: object) -> None:
        """Begin a range."""
        self.nvtx.push_range(prepared, domain=self.name)

    def pop(self) -> None:
        """End the innermost range."""
        self.nvtx.pop_range(domain=self.name)

    def begin(self, prepared: object) -> object:
        """Begin a range for any thread to end."""
        return self.nvtx.start_range(prepared, domain=self.name)

    def end(self, begun: object) -> None:
        """End it."""
        self.nvtx.end_range(begun)
