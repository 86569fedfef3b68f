"""Name the modules of kernelmap that one `correlate` runs through, with their lines.

A module counts where one of its functions is called; what is only imported does not. Printed are
the modules, how many of their functions ran, their lines, and a sum for each folder. The fewer
there are, the sooner a reader has followed a launch from the profile to the tables.

    python scripts/modules_run.py
    python scripts/modules_run.py sample_traces/cpu_block sample_traces/cpu_block/profile.json.gz
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

PACKAGE = PROJECT / "kernelmap"
SAMPLE = PROJECT / "sample_traces" / "sim_mlp_train"


def main() -> None:
    """Correlate, and print the modules."""
    parser = usage.parser(__doc__)
    parser.add_argument("inputs", nargs="*", type=Path, help="code and profile; else a sample")
    inputs = parser.parse_args().inputs or [SAMPLE, SAMPLE / "profile.json.gz"]
    functions = functions_run(inputs)
    lines = {name: len((PACKAGE / name).read_text("utf-8").splitlines()) for name in functions}
    print("functions  lines  module")
    for name in sorted(functions):
        print(f"{functions[name]:9}  {lines[name]:5}  {name}")
    folders = Counter(str(Path(name).parent).partition("/")[0] for name in functions)
    print("\n".join(f"{count:4}  {folder}/" for folder, count in sorted(folders.items())))
    print(f"{len(functions):4}  modules, {sum(lines.values()):,} lines")


def functions_run(inputs: Sequence[Path]) -> dict[str, int]:
    """How many functions of each module, by its path in the package, one `correlate` calls."""
    import kernelmap

    called: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>":
            called.add((code.co_filename, code.co_qualname))

    kernelmap.correlate(*inputs)  # imports, which run the bodies of classes
    sys.setprofile(note)
    try:
        kernelmap.correlate(*inputs)
    finally:
        sys.setprofile(None)
    ours = Counter(file for file, _ in called if Path(file).is_relative_to(PACKAGE))
    return {Path(file).relative_to(PACKAGE).as_posix(): count for file, count in ours.items()}


if __name__ == "__main__":
    main()
