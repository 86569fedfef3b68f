"""Strategies by evidence: host ranges, capture tags, recorded graph nodes, benchmarks."""
