"""The rules of a diagnosis: each a small function, `Case → Claim…`, that states one reason.

A new rule is a function in the file of its subject and a line in RULES. Their order is that of
causes: of two reasons for one launch the one higher up has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernelmap.model.advice import Claim
from kernelmap.speed.advice.case import Case
from kernelmap.speed.advice.rules import code, inputs, launches, names, provenance, window

Rule = Callable[[Case], Iterator[Claim]]

RULES: tuple[Rule, ...] = (
    inputs.profile_missing,
    inputs.sums_only,
    inputs.graphs_recorded_whole,
    inputs.api_calls_missing,
    inputs.captured_before,
    inputs.ranges_missing,
    inputs.host_side_missing,
    launches.graph_replay,
    launches.captured_only,
    launches.activity_missing,
    launches.window_cut,
    code.calls_without_ranges,
    code.borrowed_code,
    code.code_missing,
    code.several_runs,
    code.claim_recompiled,
    code.input_misaligned,
    window.autotuning_inside,
    names.graph_ranges_missing,
    names.cache_key_none,
    names.record_shapes_off,
    inputs.marks_missing,
    names.kernel_names_not_unique,
    names.legacy_kernel_names,
    launches.ranges_lost,
    launches.not_exact,
    provenance.provenance_off,
    provenance.lazy_backward,
    provenance.log_missing,
    provenance.handles_missing,
    provenance.lines_of_torch,
    window.compiled_inside,
    window.first_step_slow,
    window.slow_launches,
    window.steps_unmarked,
    inputs.cpp_kernels_unseen,
    inputs.nothing_compiled,
    inputs.damaged_input,
    code.graph_not_run,
    inputs.claim_remarks,
)

__all__ = ["RULES", "Rule"]
