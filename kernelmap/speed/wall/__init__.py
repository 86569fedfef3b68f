"""Where the wall time of a step goes on each device, and why the device is idle.

In: a trace and its window. Out: each step of each device cut into computing, communication, copies
and idle time with its cause, to the nanosecond.
"""
