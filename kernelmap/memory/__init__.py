"""Memory on the line: who holds the bytes at the peak, and since when.

In: generated code, and what a profile measured. Out: records of memory. A leaf: the core works
without it.
"""
