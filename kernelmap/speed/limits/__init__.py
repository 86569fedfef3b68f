"""How far calls are from what the device can do: (work, time, limits) → Roofline."""
