"""What a store of runs says over time, read only: in a browser, or as pages on disk."""
