"""Speed and memory, as ratios against a peer doing the same work in the same run. `make bench` prints them.

Nothing here is asserted in the test suite: a loaded machine is slow, and that is no defect of the code.
"""
