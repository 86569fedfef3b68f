"""Whether the autotuner benchmarks kernels in a range of the host, by the range's name."""

from __future__ import annotations

import re

TIMED = " (dynamo_timed)"
"""What torch puts behind the names of its own ranges in the compiler: `dynamo_timed(NAME)`."""

# Behind a name with torch's suffix these words tell what is timed. Without it only whole names that
# Inductor writes itself count: users call their ranges `benchmark_loop`.
_BENCHMARK_WORDS = re.compile(r"benchmark|do_bench|autotun|_tuning", re.IGNORECASE)
_BENCHMARK_NAME = re.compile(
    r"CachingAutotuner\.\w+|benchmark_(?:all_configs|fused_nodes|codegened_module|combo_kernel)"
    r"|\w+_template_autotuning|inductor_do_bench_using_profiling|collective_compute_do_bench"
)
# The autotuner compiles its candidates before it measures them, and nothing is measured meanwhile.
_COMPILES_CANDIDATES = re.compile(r"CachingAutotuner\.\w*precompile\w*")

BENCHMARKING_METHODS = frozenset(
    {
        "autotune_to_one_config",
        "benchmark_all_configs",
        "benchmark_sub_kernels",
        "coordinate_descent_tuning",
    }
)
"""Functions of torch/_inductor that benchmark kernels, as Python frames name them."""


def is_benchmark(name: str) -> bool:
    """Whether Inductor opens the range `name` around what it benchmarks; users name ranges alike.

    >>> is_benchmark("CachingAutotuner.benchmark_all_configs (dynamo_timed)")
    True
    >>> is_benchmark("benchmark_loop"), is_benchmark("ProfilerStep#3 (benchmark)")
    (False, False)
    """
    key = name.removesuffix(TIMED)
    if _COMPILES_CANDIDATES.fullmatch(key):
        return False
    if key != name and _BENCHMARK_WORDS.search(key):
        return True
    return _BENCHMARK_NAME.fullmatch(key) is not None
