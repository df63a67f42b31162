"""Processes that really run: jobs, and the TensorBoards behind apps.

runner           jobs, as jobs of this package in a home of their own
own_python       the Python that a job may install packages into
log_lines        lines of a job's log by the time at which they came
board_processes  the processes behind TensorBoard apps
"""
