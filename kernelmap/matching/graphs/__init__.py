"""Which graph ran in each span of host ranges, and which call each of its ranges stands for."""
