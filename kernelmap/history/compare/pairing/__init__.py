"""Which graphs, calls and buffers of one side are which of the other.

In: what each call computes. Out: pairs, each with what decided it.
"""
