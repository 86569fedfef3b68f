"""Two recordings of one model: what changed, what it cost, and whether that may pass.

In: two results, fresh, saved or kept. Out: a comparison whose changes add up to the nanosecond, and
a gate's verdict on it. The rooms, in the order in which a comparison passes them: sides (opened),
pairing (which call is which), memory and numbers (what changed), texts (what is said), gate (what
may pass); lock compares code with what was reviewed.
"""
