"""The profiles of many ranks, read one by one on a cluster, and one answer for all of them.

f = kernelmap.fleet("traces/")
f.ranks, f.causes, f.spread        # DataFrames, columns as in tables/fleet.py
f.write("fleet.html")

inputs.py    files → ranks; what cannot be placed
rank.py      one rank → small tables, by the same pipeline as `correlate`
kept.py      those tables by content, so that nothing is read twice
reading.py   all ranks, processes of one report among them
engine.py, local.py    a Dask cluster, or this process: many tasks, a tree of reductions
answer.py    the tables of all ranks → spread, slow ranks, divergence, communication
alignment.py, unequal.py    which collectives of ranks are the same one; who has more or fewer
communication.py, shares.py, replay.py    collectives over ranks, piece by piece; what-if
joining.py   the tables of all ranks, joined and assessed on the workers
slow.py, slow_tasks.py    a slow rank against the median rank → causes; its report
run.py       all of that in its order
tables.py    what comes of it: tables, and the facts beside them
show.py, rank_page.py, heat.py, distribution.py    tables → the parts of a page
one_file.py, write.py    a page of one file; Markdown, JSON, or Parquet
gathered.py, recorded.py    the fleet as a run of a store
fleet_result.py     tables with what they can be made into: what `kernelmap.fleet` gives
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelmap.fleet.fleet_result import Fleet
    from kernelmap.fleet.reading import Progress
    from kernelmap.fleet.run import FleetOptions
    from kernelmap.model.paths import Source


def fleet(
    *sources: Source, options: FleetOptions | None = None, progress: Progress | None = None
) -> Fleet:
    """Read the ranks of a distributed run one by one, and say where and why they differ.

    `sources` are folders, globs and URLs with traces, logs and bundles. `progress` gets how many
    ranks are done, and of how many. A script calls this below `if __name__ == "__main__":`, for
    workers import it. Raises KernelmapError where no rank can be read, or where that line is
    missing.
    """
    from kernelmap.fleet.run import run_fleet

    return run_fleet([str(source) for source in sources], options, progress)
