"""The tabs of a job besides log and metrics: script, variables, TensorBoard.

overview     what the job was started from, and the sizes of its outputs
source       the script as submitted
difference   compares the scripts of two jobs
environment  the job's variables, paths and command
board        the TensorBoard of one job
boards       all TensorBoards
"""
