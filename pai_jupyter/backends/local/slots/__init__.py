"""The queue of a home: how many of its local jobs run at once. A small world that loads in a millisecond (stdlib only).

It is imported under its full name by kernels and servers, and as `slots` by the processes that wait for a slot.
"""
