"""Whether a change may pass: baselines, the levels that judge, the verdict and its texts.

In: a recording and the names of its baseline. Out: a verdict with its reasons.
"""
