"""`with kernelmap.capture(…) as run:` — the recording of a program that marks its own steps.

The block may begin after compilation: graphs that are already there are logged from memory when the
window ends. What is compiled inside the block gets provenance, as under `kernelmap capture`; what
was compiled before has what the environment asked for then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

from kernelmap.capture.contents import finished
from kernelmap.capture.folder import first_manifest, make_folder, write_manifest
from kernelmap.capture.graphs import logging_into
from kernelmap.capture.plan import EAGER_BACKWARD, TAG, Plan, fresh_tag, rank_in
from kernelmap.capture.recording import Recording
from kernelmap.capture.rewrite import Listener
from kernelmap.capture.running import has_gpu
from kernelmap.errors import KernelmapError, unwritable
from kernelmap.installing import install_command
from kernelmap.model.bundle import LOGS

_CPP = "cpp.enable_kernel_profile"
_CONFIG = {
    # config of torch._inductor: (value, variable by which the user may have chosen otherwise)
    "trace.provenance_tracking_level": (1, "INDUCTOR_PROVENANCE"),
    _CPP: (True, "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE"),
}


@dataclass(frozen=True, slots=True)
class Run:
    """A recording that goes on; `bundle` is its folder."""

    bundle: Path
    _ended: Callable[[str], None]
    _is_over: Callable[[], bool]

    def step(self) -> None:
        """The step that ran has ended; call it after each one, warm-up included."""
        self._ended("run.step()")

    @property
    def done(self) -> bool:
        """Whether all steps are recorded, so that a program may stop making them."""
        return self._is_over()


@contextmanager
def record_session(
    bundle: str | PathLike[str], plan: Plan, *, force: bool, listeners: Sequence[Listener] = ()
) -> Iterator[Run]:
    """Record the steps of the block into `bundle`; `listeners` hear of graphs and calls."""
    if find_spec("torch") is None:
        raise KernelmapError(
            "package-missing",
            "this Python has no torch, which the recording needs",
            f"Install it: {install_command('capture')}",
        )

    folder = Path(bundle).resolve()
    plan = replace(plan.into(folder), logs=LOGS)
    settings = {name: os.environ[name] for _, name in _CONFIG.values() if name in os.environ}
    begun = first_manifest(plan, None, settings)
    made = make_folder(Path(bundle), begun, force=force)
    made.keep()
    process = folder / f"rank_{rank_in(os.environ) or 0}"
    recording = Recording(plan, process, listeners)
    ended, failed = "the block raised", True
    try:
        with logging_into(process / LOGS), ExitStack() as configured:
            _configure(configured, plan)
            recording.begin(steps_by_hooks=False)
            try:
                yield Run(Path(bundle), recording.step_ended, lambda: recording.is_over)
                # The block has come to its end without an error.
                ended, failed = "the block ended", False
            finally:
                recording.finish(ended, failed=failed)
    except BaseException:
        # A bundle is written for a block that raised too: what was recorded is kept.
        with closing(made), suppress(OSError, KernelmapError):  # the block's own error says more
            write_manifest(folder, finished(folder, begun))
        raise
    with closing(made):
        try:
            write_manifest(folder, finished(folder, begun))
        except OSError as error:
            raise unwritable(folder, error) from error


def _configure(patches: ExitStack, plan: Plan) -> None:
    """Have the compiler write provenance and mark C++ kernels until `patches` is closed."""
    from torch._functorch import config as aot_config
    from torch._inductor import config

    # As for a program on the command line: a CPU shows nothing without its kernels' profile.
    wanted = _CONFIG if plan.provenance else {} if has_gpu() else {_CPP: _CONFIG[_CPP]}
    # What the user has chosen by a variable stays, and an option that this torch lacks is left out.
    for name, (value, variable) in wanted.items():
        section, _, option = name.partition(".")
        if variable not in os.environ and hasattr(getattr(config, section, None), option):
            patches.enter_context(config.patch({name: value}))
    if plan.provenance and hasattr(aot_config, EAGER_BACKWARD):
        patches.enter_context(aot_config.patch({EAGER_BACKWARD: True}))
    if plan.why:
        from torch.compiler import config as caches

        # A cache that has no keys of ours may have the code, and then nothing is decided.
        if hasattr(caches, TAG):
            patches.enter_context(caches.patch({TAG: fresh_tag(getattr(caches, TAG))}))
