"""What a capture was asked for: a plan, which the program's processes find in their environment.

The processes of the program get one environment variable with the plan in JSON. They read it before
they load torch (arming.py), so nothing is imported here but the standard library.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, MutableMapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

STEPS = 10
"""How many steps are recorded unless more are asked for. With them `gate` can separate one slower
call from the noise of hundreds: of a hundred tests that takes nine a side (statistics.py,
least_invocations). With half, it could not."""
VARIABLE = "KERNELMAP_CAPTURE"
LOG_VARIABLE = "TORCH_TRACE"
SITE = Path(__file__).resolve().parent / "site"
_RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
EAGER_BACKWARD = "force_non_lazy_backward_lowering"
"""Option of torch._functorch.config that has a backward compiled with its forward: one that is
compiled when it first runs has no node mapping. Torch 2.8 and older do not know it."""


TAG_VARIABLE, TAG = "TORCH_COMPILE_CACHE_KEY_TAG", "cache_key_tag"
"""A text that becomes a part of every key of the compiler's caches: as variable, and as option of
torch.compiler.config. Old releases do not know it."""


class Profiler(StrEnum):
    """Who records the launches."""

    KINETO = "kineto"
    NSYS = "nsys"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The choices of one capture; `folder` is the bundle, absolute, None until it is known.

    `logs` is the folder for torch's log inside that of the process, None where the user has set
    TORCH_TRACE himself: then the log goes where he wants it. `name` is the process's folder, None
    where every process names its own. `provenance` is whether the compiler shall say what code
    comes from, which makes the first steps compile anew. `why` is whether its scheduler shall say
    why it did not fuse what it did not, for which every capture compiles anew.
    """

    folder: str | None = None
    profiler: Profiler = Profiler.KINETO
    warmup: int = 2
    steps: int = STEPS
    record_shapes: bool = True
    stacks: bool = False
    provenance: bool = True
    why: bool = False
    logs: str | None = None
    name: str | None = None

    def into(self, folder: Path) -> Plan:
        """The same, into the bundle `folder`."""
        return replace(self, folder=str(folder.absolute()))

    def to_json(self) -> str:
        """As one line of text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """What `to_json` wrote."""
        values = json.loads(text)
        return cls(**values | {"profiler": Profiler(values["profiler"])})


def fresh_tag(own: str) -> str:
    """A tag that no other capture has, behind the program's own: the caches then have no code."""
    return f"{own}kernelmap_{os.urandom(4).hex()}"


def plan_in(environment: Mapping[str, str]) -> Plan | None:
    """The plan in `environment`, None without one."""
    text = environment.get(VARIABLE)
    return None if text is None else Plan.from_json(text)


def hand_on(plan: Plan, environment: MutableMapping[str, str]) -> None:
    """Have the Pythons that are started with `environment` record too, each under its own name."""
    environment[VARIABLE] = replace(plan, name=None).to_json()
    # Before the user's own folders: the first sitecustomize on the path is the one that runs.
    places = [str(SITE), *filter(None, [environment.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(places)


def process_name(environment: Mapping[str, str]) -> str:
    """What the folder of a process is called: by its rank, else by its id and a random number.

    Processes of two containers may have one id.

    >>> process_name({"RANK": "3"})
    'rank_3'
    """
    rank = rank_in(environment)
    return f"process_{os.getpid()}_{os.urandom(4).hex()}" if rank is None else f"rank_{rank}"


def rank_in(environment: Mapping[str, str]) -> int | None:
    """The rank that a launcher gave to this process; None outside of launchers."""
    values = (environment.get(name, "") for name in _RANKS)
    return next((int(text) for text in values if text.isascii() and text.isdecimal()), None)
