"""Runs over time: kept in a store, and compared with one another.

A leaf: it asks the core for correlations, and the core knows nothing of it.
"""
