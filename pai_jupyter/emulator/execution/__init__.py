"""Real processes: jobs, and the TensorBoards behind apps.

runner           runs jobs as jobs of this package, in a home directory of their own
own_python       a Python environment into which a job may install packages
log_lines        finds lines of a job's log by arrival time
board_processes  the processes behind TensorBoard apps
"""
