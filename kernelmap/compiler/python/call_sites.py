"""The comments before a call → its handle and its origins.

Inductor writes the comment, then lines that prepare the launch (stream, workspace, sizes), then the
launch. A handle names the wrapper it belongs to, so it waits for that one; origins without a handle
belong to the next call that is no glue, or to glue right below the comment.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kernelmap.compiler.python.call_names import Callee
from kernelmap.compiler.python.comments import handles, origins
from kernelmap.model import Backend, Origins
from kernelmap.model.operators import SHIM

_CPP = ("cpp_", "kernel_cpp_")


@dataclass(slots=True)
class CallSite:
    """The comments of one function that no call has taken yet; `lost` are handles without one."""

    origins: Origins | None = None
    handles: list[tuple[str, int]] = field(default_factory=list)
    line: int = 0
    lost: list[str] = field(default_factory=list)

    def comment(self, text: str, line: int) -> None:
        """Take in the next comment line."""
        listed, numbered = origins(text), handles(text)
        if listed is not None:
            self.close()
            self.origins, self.line = listed, line
        elif numbered:
            # C++ kernels have a handle and no origins: what stood before is not theirs. Of others
            # the origins come first, in C++ with declarations between.
            apart = self.line != line - 1
            if apart and (self.handles or any(name.startswith(_CPP) for name, _ in numbered)):
                self.close()
            self.handles, self.line = list(numbered), line

    def take(self, called: Callee, line: int) -> tuple[Origins | None, str | None, int | None]:
        """The origins, the handle's name and the handle that belong to `called` at `line`."""
        if not self.handles:
            near = self.line == line - 1
            if self.origins is None or (called.backend is Backend.GLUE and not near):
                return None, None, None
            alone, self.origins = self.origins, None
            return alone, None, None
        chosen = next((pair for pair in self.handles if _names(pair[0], called)), None)
        if chosen is None:
            return None, None, None
        taken = self.origins
        self.handles.remove(chosen)
        if not self.handles:
            self.origins = None
        return taken, chosen[0], chosen[1]

    def close(self) -> None:
        """Forget what waits; handles that nothing took are remembered as lost."""
        self.lost.extend(f"{name}:{number}" for name, number in self.handles)
        self.handles, self.origins = [], None


def _names(name: str, called: Callee) -> bool:
    """Whether a handle's name means this call; newer code may shorten `torch.ops.aten.x`."""
    if name == called.wrapper or (called.looked_up and name.startswith(SHIM)):
        return True
    return called.backend is Backend.EXTERN and called.wrapper.endswith(f".{name}")
