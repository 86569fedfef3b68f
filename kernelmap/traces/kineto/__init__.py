"""Kineto traces (Chrome JSON of torch.profiler): text of events → raw columns → RawTrace."""
