"""How far calls are from what the device can do: (work, time, limits) → Roofline."""

DEVICE_NAME = "device name"
"""The word of the rows by wrapper, graph and the name on the device, as the kernels of a result."""

ODD_SHARE = 1.05
"""More of its limit than this no call can reach: clocks above the nominal one explain no more.
Where many calls do, the limits are those of another device, or the pairing is wrong. Chosen."""
