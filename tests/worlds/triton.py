"""One Triton kernel at one call site: the record that Inductor writes around it, and the launch."""

from __future__ import annotations

from dataclasses import dataclass, field

from kernelmap.model import KernelDef, WrapperCall
from worlds.configs import Config, grid_of, work_of
from worlds.recorder import Recorder
from worlds.rows import Args


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a call site launches with one config, and what Inductor exports of it."""

    typical_ns: int
    grid: tuple[int, int, int]
    details: Args


@dataclass(frozen=True, slots=True, kw_only=True)
class TritonLaunch:
    """What stays the same from launch to launch; `range_name` is the name of the host range."""

    kernel: KernelDef
    call: WrapperCall
    range_name: str
    device_name: str
    _planned: dict[Config, _Plan] = field(default_factory=dict)

    @property
    def writes_in_place(self) -> bool:
        """Whether a benchmark has to work on clones of the arguments."""
        return any(name.startswith("in_out") for name, _ in self.kernel.signature or ())

    def launch(self, recorder: Recorder, config: Config) -> None:
        """Launch once with `config`."""
        world = recorder.world
        exported = world.record_shapes and world.names == "unique" and world.host
        plan = self._planned.get(config) or self._plan(config)
        with recorder.op(self.range_name, plan.details if exported else None):
            recorder.launch(
                self.device_name,
                recorder.duration(plan.typical_ns),
                grid=plan.grid,
                block=(32 * config.num_warps, 1, 1),
                driver=True,
            )

    def _plan(self, config: Config) -> _Plan:
        """What follows from `config`, once for all launches with it."""
        plan = self._planned[config] = _Plan(
            typical_ns=2_500 + work_of(self.kernel, self.call) // 300,
            grid=grid_of(self.kernel, self.call, config),
            details=self._details(config),
        )
        return plan

    def _details(self, config: Config) -> Args:
        """What Inductor exports with record_shapes on."""
        arguments = len(self.kernel.signature or ())
        numels = [str(numel) for numel in self.call.numels or ()]
        return {
            "Input Dims": [[] for _ in range(arguments)],
            "Concrete Inputs": [""] * max(0, arguments - len(numels)) + numels,
            "num_warps": config.num_warps,
            "stream": 0,
            "kernel_backend": "triton",
            "kernel_name": str(self.kernel.meta.get("kernel_name", self.kernel.name)),
            "kernel_kwargs": config.kwargs,
            "num_stages": config.num_stages,
            "kernel_file": self.kernel.path or "",
            "kernel_hash": self.kernel.hash or "",
        }
