"""Strategies that need no vote: each takes the context and decides what its evidence decides."""
