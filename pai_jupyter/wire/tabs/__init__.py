"""What the tabs of a job show besides log and metrics: its script, its variables, its TensorBoard.

source       the script as it was sent; difference: of two
environment  the variables that the job had
board        the TensorBoard of one job; boards: all that there are
"""
