"""A fleet: the profiles of many ranks, read one by one on a cluster, and one answer for all.

    inputs.py    files → ranks; what cannot be placed
    rank.py      one rank → small tables, by the same pipeline as `correlate`
    kept.py      those tables by content, so that nothing is read twice
    engine.py    a Dask cluster, or this process: many tasks, a tree of reductions
    answer.py    the tables of all ranks → spread, slow ranks, divergence, communication
    show.py      the answer as a page, JSON, or Parquet
"""
