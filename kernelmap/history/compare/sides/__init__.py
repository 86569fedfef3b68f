"""What is compared: what a user names, opened, as records of what ran, how often and how long.

In: files, results and kept runs. Out: sides, with what each call computes and what graphs hold.
"""
