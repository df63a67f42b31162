"""The emulator's process.

serving          directory, keys, socket
app              dispatches requests to services
control          the control endpoint: request faults, add algorithms
fault_injection  applies a fault to an answer
seeding          adds algorithms that PAI would provide
sts              the service STS
"""
