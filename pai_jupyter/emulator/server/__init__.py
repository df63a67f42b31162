"""The process that answers.

serving          directory, keys, socket
app              which service answers
control          faults asked for over HTTP
fault_injection  what each fault does to an answer
seeding          algorithms that are there from the beginning
sts              whose key this is
"""
