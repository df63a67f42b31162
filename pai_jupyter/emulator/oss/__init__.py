"""OSS on loopback, its objects on the disk: what clients, jobs and TensorBoard apps of the emulator store and read.

operations   HTTP: requests routed, checked, answered
objects      the store, and objects as files for jobs
protocol     requests, signatures, refusals, as values

What goes wrong on demand is the emulator's (`faults`, `fault_injection`): it happens between a client and `serve`.
"""
