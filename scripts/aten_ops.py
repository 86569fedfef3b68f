"""Make kernelmap/model/aten_ops.txt: the names of ATen's operators, one a line, sorted.

Takes the schemas of the installed torch. The names are needed to take descriptive names of kernels
apart again (kernelmap/attribution/split.py), and those of libtorch's C functions
(kernelmap/model/names.py).

    python scripts/aten_ops.py          # writes the file; needs torch
"""

from __future__ import annotations

from pathlib import Path

import usage

TARGET = Path(__file__).parents[1] / "kernelmap" / "model" / "aten_ops.txt"


def aten_names() -> list[str]:
    """Names without namespace and overload."""
    import torch

    schemas = torch._C._jit_get_all_schemas()  # noqa: SLF001 -- there is no public list
    spaces = (schema.name.partition("::") for schema in schemas)
    return sorted({name for space, _, name in spaces if space == "aten" and name.isidentifier()})


def main() -> None:
    """Write the file."""
    usage.parser(__doc__).parse_args()
    TARGET.write_text("\n".join(aten_names()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
