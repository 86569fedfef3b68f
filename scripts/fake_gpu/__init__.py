"""Inductor's Triton code without a GPU; README.md tells what is real in it and what is not."""
