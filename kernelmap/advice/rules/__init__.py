"""The rules of a diagnosis: each a small function, `Case → Claim…`, that states one reason.

A new rule is a function in the file of its subject and a line in RULES. Their order is that of
causes: of two reasons for one launch the one higher up has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernelmap.advice.case import Case
from kernelmap.advice.records import Claim
from kernelmap.advice.rules import code, damage, launches, names, profile, provenance, window

Rule = Callable[[Case], Iterator[Claim]]

RULES: tuple[Rule, ...] = (
    profile.profile_missing,
    profile.host_side_missing,
    launches.graph_replay,
    launches.captured_only,
    launches.activity_missing,
    launches.window_cut,
    code.calls_without_ranges,
    code.borrowed_code,
    code.code_missing,
    code.several_runs,
    window.autotuning_inside,
    names.graph_ranges_missing,
    names.cache_key_none,
    names.record_shapes_off,
    names.kernel_names_not_unique,
    names.legacy_kernel_names,
    launches.ranges_lost,
    launches.not_exact,
    provenance.provenance_off,
    provenance.lazy_backward,
    provenance.log_missing,
    provenance.handles_missing,
    window.compiled_inside,
    window.first_step_slow,
    window.steps_unmarked,
    damage.cpp_kernels_unseen,
    damage.nothing_compiled,
    damage.damaged_input,
    code.graph_not_run,
    damage.remarks,
)
"""What a profile by Nsight Systems lacks (graph-level tracing, no NVTX, a capture outside of the
window) belongs beside `launches` and `profile`."""

__all__ = ["RULES", "Rule"]
