"""What the emulator remembers, who may call, what goes wrong.

records  what the services know, as files; rows: records chosen for a list
access   signatures, tokens, clock, nonces
faults   which there are, and when they strike
site     the place that the emulator stands for
"""
