"""Records, keys, faults and site of the emulator.

records  the services' records, as files
rows     records selected for a list
access   checks signatures, tokens, clock and nonces
faults   the faults and when they occur
site     the emulated region, workspace and bucket
"""
