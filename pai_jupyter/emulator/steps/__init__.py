"""What makes the jobs of runs, in the process that drives a run: not the emulator's, so it must be light to import.

builder      a step's job, with its data from the emulator's buckets
own_buckets  these buckets over HTTP, wherever the emulator is
"""
