"""Nsight Compute: its reports, and the CSV that `ncu --csv` prints → launches with counters."""
