"""One Triton kernel at one call site: the record that Inductor writes around it, and the launch."""

from __future__ import annotations

from dataclasses import dataclass

from kernelmap.model import KernelDef, WrapperCall
from worlds.configs import Config, grid_of, work_of
from worlds.recorder import Recorder
from worlds.rows import Args


@dataclass(frozen=True, slots=True, kw_only=True)
class TritonLaunch:
    """What stays the same from launch to launch; `range_name` is the name of the host range."""

    kernel: KernelDef
    call: WrapperCall
    range_name: str
    device_name: str

    @property
    def writes_in_place(self) -> bool:
        """Whether a benchmark has to work on clones of the arguments."""
        return any(name.startswith("in_out") for name, _ in self.kernel.signature or ())

    def launch(self, recorder: Recorder, config: Config) -> None:
        """Launch once with `config`."""
        world = recorder.world
        exported = world.record_shapes and world.names == "unique" and world.host
        with recorder.op(self.range_name, self._details(config) if exported else None):
            recorder.launch(
                self.device_name,
                recorder.duration(2_500 + work_of(self.kernel, self.call) // 300),
                grid=grid_of(self.kernel, self.call, config),
                block=(32 * config.num_warps, 1, 1),
                driver=True,
            )

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
