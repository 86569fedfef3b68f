"""Strategies that need no vote: each takes the situation and decides what its evidence decides."""
