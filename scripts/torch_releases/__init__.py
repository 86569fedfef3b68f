"""Releases of torch, tried: environments, trials, and the table in docs/versions.md."""
