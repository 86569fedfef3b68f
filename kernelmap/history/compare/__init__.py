"""Two recordings of one model: what changed, what it cost, and whether that may pass."""
