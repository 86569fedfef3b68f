"""How fast it could be, and why it is not: work of calls, limits of devices, wall time, advice.

A leaf: the core gives it a program, a trace and the attribution, and gets the records of model/.
"""
