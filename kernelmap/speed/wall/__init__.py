"""Where the wall time of a step goes on each device, and why the device is idle."""
