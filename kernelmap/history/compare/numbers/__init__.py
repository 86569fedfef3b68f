"""The numbers of a comparison: what changed, by how much, why, and whether it is more than noise.

In: two sides. Out: a comparison, whose changes add up to the nanosecond.
"""
