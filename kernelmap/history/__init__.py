"""Runs over time: kept in a store, compared with one another, drawn in a dashboard.

A leaf: it asks the core for correlations, and the core knows nothing of it.
"""
