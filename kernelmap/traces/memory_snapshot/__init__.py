"""torch's memory snapshots (`torch.cuda.memory._dump_snapshot`), read without running them.

In: a pickle that holds plain data. Out: MemorySnapshot.
"""
