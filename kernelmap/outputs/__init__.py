"""One file per way to show the tables."""
