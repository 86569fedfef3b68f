"""The fusion structure of code as a text to check in, and what changed since it was reviewed.

In: compiled code. Out: locks, and their changes.
"""
