"""Records of what a reference run of the same code launched, in order, and for which calls.

The sequences come from a run whose launches are matched by their own evidence (learning.py in
matching/references), and are looked for in a run that says less (by_order.py there). Left out:
times. What took long there may be short here.
"""

from __future__ import annotations

from msgspec import Struct

from kernelmap.model.notices import Notice
from kernelmap.model.program import CompiledProgram
from kernelmap.model.source import FunctionPlace
from kernelmap.model.trace import Activity, Int

Shape = tuple[int, ...]
"""Grid and block of a launch: six sizes."""

THIS_PROFILE = "this profile"
"""The source of what a profile shows of its own code elsewhere."""


class EagerOrigin(Struct, frozen=True, kw_only=True):
    """Where a launch outside of compiled code came from; None is what is not known.

    `op` is the outermost operator around it and `inner_op` the innermost one, as ranges name them
    (`aten::mm`), `place` the function of the user's code, `module` the path of the module that ran
    it, as the profiler numbers modules (`Model_0.Linear_3`), and `is_backward` says that autograd
    ran it in a backward. `inputs` are the tensors that `op` was handed, where they were asked for.
    """

    op: str | None = None
    inner_op: str | None = None
    place: FunctionPlace | None = None
    module: str | None = None
    is_backward: bool = False
    inputs: str | None = None


class CapturedDetail(Struct, frozen=True, kw_only=True):
    """What the file says of a captured launch beside its api call: where it came from, its sizes.

    `shape` is grid and block, with -1 for sizes that are not known; None where none is. `inputs`
    are the tensors that the outermost operator around it was handed, where they were asked for.
    """

    place: FunctionPlace | None = None
    module: str | None = None
    is_backward: bool = False
    shape: Shape | None = None
    inputs: str | None = None


class LearntLaunch(Struct, frozen=True, kw_only=True):
    """One launch of a sequence.

    `name` is the device name, None where only the host side of a capture was seen and it does not
    tell. `calls` are positions in the calls of a program, nearly always one; none for a launch of
    no call. `run` numbers the executions of graphs within the sequence, -1 without a call. `eager`
    says where a launch came from that certainly is of no call.
    """

    name: str | None
    activity: Activity
    shape: Shape | None
    calls: tuple[int, ...]
    run: int = -1
    eager: EagerOrigin | None = None


class LearntOrigins(Struct, frozen=True):
    """Where launches without a call came from, as another run shows it.

    `code` (launches,) points into `origins`, -1 where nothing was learnt.
    """

    code: Int
    origins: tuple[EagerOrigin, ...]

    def op_of(self, row: int) -> str | None:
        """The operator that a launch came from, as ranges name it; None where none was learnt."""
        code = int(self.code[row])
        return self.origins[code].op if code >= 0 else None


class LearntSequence(Struct, frozen=True, kw_only=True):
    """What one invocation launched, or, if `whole`, all that one CUDA or HIP graph launches.

    `times` is how often it was seen like this, `label` where, for a person to read; `source` is the
    run that it is from, where that is another one.
    """

    launches: tuple[LearntLaunch, ...]
    whole: bool
    times: int
    label: str
    source: str = THIS_PROFILE

    def __len__(self) -> int:
        return len(self.launches)


class Learnt(Struct, frozen=True, kw_only=True):
    """One reference run: its `sequences`, whose calls are positions in `program`.

    `source` is how messages call the run, `files` are those it was read from. `lacks` is the
    command that says what the run itself lacks, None of a saved result.
    """

    program: CompiledProgram
    sequences: tuple[LearntSequence, ...]
    source: str
    files: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    lacks: str | None = None
