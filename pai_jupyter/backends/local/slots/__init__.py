"""The queue of a home, which limits its parallel local jobs. Loads in 1 ms (standard library only).

It is imported under its full name by kernels and servers, and as `slots` by the processes that wait for a slot.
"""
