"""How the memory of the graphs changed, buffer by buffer: the numbers, their reasons and words.

In: two sides, or two codes without a profile. Out: changes of peaks, as records and as a page.
"""
