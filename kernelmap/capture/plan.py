"""What a capture was asked for, and how the processes of the program get ready to record.

The processes of the program get one environment variable with a plan in JSON. When one of them
imports torch, and only then, torch is hooked into; at the end of the program what was recorded is
written. A program may set variables before it imports torch, so torch must be loaded when the
program says so and not earlier: nothing is imported here but the standard library.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

STEPS = 10
"""How many steps are recorded unless more are asked for. With them `gate` can separate one slower
call from the noise of hundreds: of a hundred tests that takes nine a side (statistics.py,
least_invocations). With half, it could not."""
VARIABLE = "KERNELMAP_CAPTURE"
LOG_VARIABLE = "TORCH_TRACE"
SITE = Path(__file__).resolve().parent / "site"
_RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")

Then = Callable[[ModuleType], None]

CODE_CACHE = "torch._inductor.codecache"
"""Inductor's cache of generated code: loaded before anything is compiled."""
AOT_CONFIG = "torch._functorch.config"
EAGER_BACKWARD = "force_non_lazy_backward_lowering"
"""Its option that has a backward compiled with its forward: one that is compiled when it first runs
has no node mapping. Torch 2.8 and older do not know it."""


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
    comes from, which makes the first steps compile anew.
    """

    folder: str | None = None
    profiler: Profiler = Profiler.KINETO
    warmup: int = 2
    steps: int = STEPS
    record_shapes: bool = True
    stacks: bool = False
    provenance: bool = True
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


def when_imported(name: str, then: Then) -> None:
    """Call `then` with the module `name` once: now if it is loaded, else when it has been."""
    module = sys.modules.get(name)
    # A module is in `sys.modules` as soon as its import begins, and not usable yet.
    if module is not None and not _is_loading(module):
        then(module)
    else:
        sys.meta_path.insert(0, _Watch(name, then))


def _is_loading(module: ModuleType) -> bool:
    return bool(getattr(module.__spec__, "_initializing", False))


class _Watch:
    """Finds nothing itself: it asks the finders behind it, and has the loader call back."""

    def __init__(self, name: str, then: Then) -> None:
        self.name, self.then = name, then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the others find for our module, None for every other one."""
        if fullname != self.name:
            return None
        # Others may wait for the same module: none is asked by one that it asks.
        place = sys.meta_path.index(self) if self in sys.meta_path else None
        if place is None:
            return None
        sys.meta_path.remove(self)
        for finder in tuple(sys.meta_path):
            if not hasattr(finder, "find_spec"):  # of before Python 3.4; import passes it over
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                _call_back(spec, self.then)
                return spec
        sys.meta_path.insert(place, self)
        return None


def _call_back(spec: ModuleSpec, then: Then) -> None:
    """Have the loader of `spec` call `then` once, after which it is as before."""
    loader = spec.loader
    # A loader without attributes of its own cannot be asked to call back; the program runs
    # unrecorded.
    if loader is None or not hasattr(loader, "__dict__"):
        return
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        vars(loader).pop("exec_module", None)  # gone already where several waited
        execute(module)
        then(module)

    vars(loader)["exec_module"] = exec_module


def arm() -> None:
    """Record this process and those that it starts as the environment's plan says, if it has one.

    Processes that make no step, such as the compiler's workers, leave nothing behind.
    """
    plan = plan_in(os.environ)
    if plan is None or plan.folder is None:
        return
    if plan.name is not None:  # the program itself: its environment has nothing for others yet
        hand_on(plan, os.environ)
    folder = Path(plan.folder) / (plan.name or process_name(os.environ))
    if folder.exists():  # of a worker that was restarted, or of one that started this process
        folder = folder.with_name(f"{folder.name}_{process_name({})}")
    if plan.logs is not None:
        # torch reads the variable while it is imported.
        os.environ[LOG_VARIABLE] = str(folder / plan.logs)
    when_imported("torch", lambda _: _begin(plan, folder))


def _begin(plan: Plan, folder: Path) -> None:
    from kernelmap.capture.recording import Recording

    if plan.provenance:
        # The option's module may be loaded after torch itself, or not at all.
        when_imported(AOT_CONFIG, _compile_backwards_early)
    if plan.logs is not None:
        os.environ.pop(LOG_VARIABLE, None)  # torch has read it; its children's logs are not ours
    recording = Recording(plan, folder)
    recording.begin(steps_by_hooks=True)
    atexit.register(recording.finish)


def _compile_backwards_early(config: ModuleType) -> None:
    """As the default: the program has not run yet, and may still choose otherwise."""
    if hasattr(config, EAGER_BACKWARD):
        setattr(config, EAGER_BACKWARD, True)
