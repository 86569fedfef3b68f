"""Two recordings of one model: what changed, what it cost, and whether that may pass.

In: two results, fresh, saved or kept. Out: a comparison whose changes add up to the nanosecond, and
a gate's verdict on it.
"""
