"""Hold the scripts of `kernelmap repro` against a compiler and a GPU: all calls of recordings.

    python scripts/check_repro.py write build/repro sample_traces/cuda_*     # kernelmap, no torch
    python scripts/check_repro.py compile build/repro                        # torch and Triton
    python scripts/check_repro.py interpret build/repro --sample 20          # torch and Triton
    python scripts/check_repro.py time build/repro --sample 20               # on a GPU

`write` says how many calls give a script, and how many of these have a check; all have what `--try`
adds. `compile` makes the inputs of each script on torch's meta device, runs library calls, their
tries and checks there, and compiles each Triton kernel for compute capability 9.0, which needs no
GPU, with what is tried too (`--tries` so many of each script). `interpret` runs tries of some in
Triton's interpreter and on the CPU: all have to compute the same. `time` runs a sample, and holds
the time of the kernels alone against the recorded one; the GPU has to be of the recorded kind.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

_CAPABILITY = 90
_SHORTEST_US = 5.0
"""Below it kernels are not held against their time: what clock and cache do outweighs it."""
_MOST_ELEMENTS = 1 << 18  # of all tensors: the interpreter takes seconds for more
_ALONE = re.compile(r"kernels alone ([\d.]+) us")
_LAUNCHED = re.compile(r"^    (\w+)\[grid\]\(", re.MULTILINE)
_RECORDED = re.compile(r"recorded +([\d.]+) us")


def main() -> int:
    """Run one of the four."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("write", "compile", "interpret", "time"):
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path)
        if name == "write":
            command.add_argument("inputs", type=Path, nargs="+")
        if name == "compile":
            command.add_argument("--tries", type=int, default=1 << 10)
        if name in ("interpret", "time"):
            command.add_argument("--sample", type=int, default=20)
        if name == "time":
            command.add_argument("--within", type=float, default=0.15)
    given = parser.parse_args()
    if given.command == "write":
        return write_scripts(given.folder, given.inputs)
    scripts = sorted(given.folder.rglob("*.py"))
    if given.command == "compile":
        return compile_scripts(scripts, given.tries)
    if given.command == "interpret":
        return interpret_scripts(scripts, given.sample)
    return time_scripts(scripts, given.sample, given.within)


def write_scripts(folder: Path, inputs: list[Path]) -> int:
    """A script for each call of each recording, and a table of what came of them."""
    from kernelmap.errors import KernelmapError
    from kernelmap.repro.answer import make_script, read_source

    reasons: Counter[str] = Counter()
    print(f"{'recording':32} {'calls':>6} {'scripts':>8} {'checked':>8}")
    for path in inputs:
        source, counts = read_source(path), Counter[str]()
        target = folder / path.name
        target.mkdir(parents=True, exist_ok=True)
        for position in range(len(source.program.calls)):
            call = source.program.call_id(position)
            counts["calls"] += 1
            try:
                made = make_script(source, (call,), try_others=True)
            except KernelmapError as error:
                reasons[f"no script: {_without_names(error.message.partition(': it ')[2])}"] += 1
                continue
            counts["scripts"] += 1
            counts["checked"] += not made.unchecked
            for _, reason in made.unchecked:
                reasons[f"no check: {_without_names(reason)}"] += 1
            name = re.sub(r"\W", "_", call)
            (target / f"{name}.py").write_text(made.text, encoding="utf-8")
        print(f"{path.name:32} {counts['calls']:6} {counts['scripts']:8} {counts['checked']:8}")
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    return 0


def _without_names(reason: str) -> str:
    """A reason without the names and numbers of one call, to be counted with its like."""
    return re.sub(r"\d+ nodes", "N nodes", re.sub(r"(`[^`]*`(, | …)?)+", "… ", reason))


def compile_scripts(scripts: list[Path], tries: int) -> int:
    """Whether each script is right as far as that shows without running its kernel."""
    failed, counts = 0, Counter[str]()
    for path in scripts:
        try:
            counts[_compile_script(path, tries)] += 1
        except Exception as error:  # noqa: BLE001 -- whatever is wrong with a script is told
            failed += 1
            print(f"{path}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    print(f"{len(scripts)} scripts, {failed} failed; {dict(counts)}")
    return 1 if failed else 0


def _compile_script(path: Path, tries: int) -> str:
    """What was done with it. Raises whatever goes wrong."""
    text = path.read_text(encoding="utf-8")
    with _load_for(path, "meta") as module:
        inputs = module.make_inputs()
        for number in (1, 2):
            run = getattr(module, f"run_{number}", None)
            if run is None:
                continue
            expected = getattr(module, f"expected_{number}", None)
            results = expected(**inputs) if expected is not None else {}
            for name, value in results.items():
                made = inputs.get(name)
                # Partial sums are added up first, and have more elements than their node.
                if made is not None and made.numel() % max(value.numel(), 1):
                    raise ValueError(f"{name}: {tuple(made.shape)} is not {tuple(value.shape)}")
            configs = getattr(module, f"CONFIGS_{number}", None)
            tried = [other for _, other in getattr(module, f"TRIES_{number}", [])[:tries]]
            if configs is None:
                run({}, **inputs)
                for other in tried:
                    run(other, **module.change(other, dict(inputs)))
                return "library calls ran on meta tensors"
            # Those that are launched: they may call others.
            for name in set(_LAUNCHED.findall(text)):
                setattr(module, name, _Compiler(getattr(module, name)))
            for config in (configs[0], *tried):
                run(config, **inputs)
    return f"kernels were compiled for {_CAPABILITY}"


class _Compiler:
    """Stands in the place of a kernel: a launch compiles it for a GPU that need not be there."""

    def __init__(self, kernel: Any) -> None:  # noqa: ANN401 -- Triton's JITFunction
        self.kernel = kernel

    def __getitem__(self, grid: tuple[int, ...]) -> _Compiler:
        if not all(type(size) is int and size > 0 for size in grid):
            raise ValueError(f"the grid is {grid}")
        return self

    def __call__(self, *given: Any, **options: Any) -> None:  # noqa: ANN401 -- a launch's arguments
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource

        own = {name: options.pop(name) for name in ("num_warps", "num_stages")}
        names = self.kernel.arg_names
        values = {**dict(zip(names, given, strict=False)), **options}
        if set(names) != set(values):
            raise ValueError(f"arguments are {sorted(values)}, and the kernel has {sorted(names)}")
        kinds = {name: _kind_of(value) for name, value in values.items()}
        kinds |= dict.fromkeys(options, "constexpr")
        constants = {name: values[name] for name, kind in kinds.items() if kind == "constexpr"}
        source = ASTSource(self.kernel, kinds, constants, {})
        triton.compile(source, target=GPUTarget("cuda", _CAPABILITY, 32), options=own)


def _kind_of(value: Any) -> str:  # noqa: ANN401 -- an argument of a launch
    """Triton's name of a type."""
    from triton.runtime.jit import mangle_type

    if value is None or (type(value) is int and value == 1):
        return "constexpr"
    return str(mangle_type(value))


def interpret_scripts(scripts: list[Path], count: int) -> int:
    """Whether what a sample of scripts tries computes what the recorded configuration does."""
    os.environ["TRITON_INTERPRET"] = "1"
    tried = [path for path in scripts if "TRIES_1 = [" in path.read_text(encoding="utf-8")]
    always_same = random.Random(0)  # noqa: S311 -- no secret
    always_same.shuffle(tried)
    done = wrong = unable = 0
    for path in tried:
        if done == count:
            break
        with _load_for(path, "cpu") as module:
            elements = sum(value.numel() for value in module.make_inputs().values())
            if elements > _MOST_ELEMENTS:
                continue
            setattr(module, "measure", lambda *_: None)  # noqa: B010 -- no attribute of modules
            said = io.StringIO()
            try:
                with contextlib.redirect_stdout(said):
                    is_right = module.try_1()
            except Exception as error:  # noqa: BLE001 -- the recorded configuration fails as well
                unable += 1
                print(f"{path}: not interpreted: {type(error).__name__}: {str(error)[:100]}")
                continue
        failed = [line for line in said.getvalue().splitlines() if "failed" in line]
        done += 1
        wrong += bool(failed) or not is_right
        if failed or not is_right:
            print(path, said.getvalue()[-2000:], flush=True)
    said_of_all = f"{wrong} wrong or failed, {unable} not interpreted"
    print(f"{done} scripts of {len(tried)} with tries, {said_of_all}")
    return 1 if wrong else 0


@contextlib.contextmanager
def _load_for(path: Path, device: str) -> Iterator[ModuleType]:
    """The module of a script, on another device."""
    text = path.read_text(encoding="utf-8").replace('DEVICE = "cuda"', f'DEVICE = "{device}"')
    if device == "cpu":  # the interpreter has no functions of CUDA's library, but Triton's own
        text = text.replace(" libdevice.", " tl.")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "case.py"  # Triton reads a kernel's source from its file
        copy.write_text(text, encoding="utf-8")
        yield _load(copy)


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("case", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def time_scripts(scripts: list[Path], count: int, within: float) -> int:
    """Run a sample of the scripts whose recorded time is long enough, and compare."""
    timed = [(path, time) for path in scripts if (time := _recorded_us(path)) >= _SHORTEST_US]
    always_same = random.Random(0)  # noqa: S311 -- no secret
    chosen = always_same.sample(timed, min(count, len(timed)))
    far = wrong = 0
    for path, recorded in chosen:
        done = subprocess.run(  # noqa: S603 -- our own scripts
            [sys.executable, str(path)], capture_output=True, text=True, check=False
        )
        alone = [float(one) for one in _ALONE.findall(done.stdout)]
        fastest = min(alone, default=0.0)
        off = fastest / recorded - 1
        wrong += done.returncode != 0
        far += abs(off) > within
        says = f"{fastest:.2f} us, recorded {recorded:.2f} us: {off:+.0%}"
        print(f"{path}: {says}, exit {done.returncode}")
        if done.returncode:
            print(done.stdout[-500:], done.stderr[-500:])
    print(f"{len(chosen)} scripts: {wrong} wrong, {far} further than {within:.0%} from their time")
    return 1 if wrong or far else 0


def _recorded_us(path: Path) -> float:
    found = _RECORDED.search(path.read_text(encoding="utf-8"))
    return float(found[1]) if found is not None else 0.0


if __name__ == "__main__":
    raise SystemExit(main())
