"""Make both tables of PyTorch's operators that the package carries, from torch's own schemas.

kernelmap/model/aten_ops.txt has the names of ATen's operators, one a line: they are needed to take
descriptive names of kernels apart, and those of libtorch's C functions. kernelmap/attribution/
alias_ops.py has the operators that only view memory in another shape: those whose schema says that
their result is their input's memory, and nothing else, and that write nothing. Two short lists
below correct the schemas where they are wider or narrower than what happens; each entry has its
reason.

    python scripts/torch_ops.py          # writes both files; needs torch
"""

from __future__ import annotations

from pathlib import Path

import usage

PACKAGE = Path(__file__).parents[1] / "kernelmap"
NAMES = PACKAGE / "model" / "aten_ops.txt"
ALIASES = PACKAGE / "attribution" / "alias_ops.py"

ALSO = {
    "aten._unsafe_view": "a view whose schema hides it from autograd",
    "aten.unsafe_chunk": "a chunk whose schema hides it from autograd",
    "aten.unsafe_split": "a split whose schema hides it from autograd",
    "aten.unsafe_split_with_sizes": "a split whose schema hides it from autograd",
    "operator.getitem": "takes one of several results; Python's operator, so it has no schema",
}

NOT = {
    "aten._autocast_to_full_precision": "converts unless it had nothing to do",
    "aten._autocast_to_reduced_precision": "converts unless it had nothing to do",
    "aten._grad_sum_to_size": "sums unless the shapes agree",
    "aten._sparse_broadcast_to": "makes new indices",
    "aten.coalesce": "sorts and adds unless it had nothing to do",
    "aten.contiguous": "where a graph keeps it, it copies",
    "aten.keys": "a dictionary of TorchScript",
    "aten.pin_memory": "copies unless the memory is pinned already",
    "aten.resolve_conj": "conjugates where the bit is set",
    "aten.resolve_neg": "negates where the bit is set",
    "aten.slice_inverse": "belongs to functionalization, not to graphs",
    "aten.to": "converts or moves unless it had nothing to do",
}

HEADER = '''"""Operators that only view memory in another shape: no work beside one that computes.

Made by scripts/torch_ops.py from the operator schemas of torch {version}; do not edit.
The script tells which operators the schemas leave out or name too much, and why. aten.reshape and
its kin stay in: they may copy, and a copy that runs on its own is written `aten.clone`.
"""

from __future__ import annotations

ALIAS_OPS = frozenset(
    {{
'''


def main() -> None:
    """Write both files."""
    usage.parser(__doc__).parse_args()
    import torch

    version = torch.__version__.partition("+")[0]
    NAMES.write_text("\n".join(aten_names()) + "\n", encoding="utf-8")
    aliases = corrected(aliasing_by_schema())
    ALIASES.write_text(module_text(aliases, version), encoding="utf-8")
    print(f"{ALIASES.relative_to(PACKAGE.parent)}: {len(aliases)} operators of torch {version}")


def aten_names() -> list[str]:
    """Names of ATen's operators, without namespace and overload."""
    import torch

    schemas = torch._C._jit_get_all_schemas()  # noqa: SLF001 -- there is no public list
    spaces = (schema.name.partition("::") for schema in schemas)
    return sorted({name for space, _, name in spaces if space == "aten" and name.isidentifier()})


def aliasing_by_schema() -> set[str]:
    """The aten and prims operators whose overloads all return an alias and write to nothing."""
    import torch
    import torch._prims

    aliasing: dict[str, bool] = {}
    for schema in torch._C._jit_get_all_schemas():  # noqa: SLF001 -- there is no public list
        space, _, name = schema.name.partition("::")
        # TorchScript's list and string operators share names with tensor operators (`aten::slice`).
        results = [result for result in schema.returns if "Tensor" in str(result.type)]
        if space not in ("aten", "prims") or name.startswith("_test") or not results:
            continue
        # An alias set of two ("b|a") means "its input's memory or new memory".
        aliases = any(
            result.alias_info is not None and len(result.alias_info.before_set) < 2  # noqa: PLR2004 -- said above
            for result in results
        )
        writes = any(a.alias_info is not None and a.alias_info.is_write for a in schema.arguments)
        key = f"{space}.{name}"
        aliasing[key] = aliasing.get(key, True) and aliases and not writes
    return {name for name, aliases in aliasing.items() if aliases}


def corrected(schema_names: set[str]) -> list[str]:
    """The sorted table: what the schemas say, and the two lists of exceptions."""
    return sorted((schema_names - NOT.keys()) | ALSO.keys())


def module_text(names: list[str], version: str) -> str:
    """The source of the data module."""
    lines = "".join(f'        "{name}",\n' for name in names)
    return f"{HEADER.format(version=version)}{lines}    }}\n)\n"


if __name__ == "__main__":
    main()
