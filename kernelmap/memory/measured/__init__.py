"""What was measured of memory, joined with the compiled calls: peaks, and who held the bytes then.

In: memory events of a profile, its launches with their calls. Out: MeasuredMemory.
"""
