"""The REST servers of OpenPAI, both generations.

connection   finding the server, login, pace            answers   refusals as our errors
jobs         submit, get, list and stop, whatever the generation          logs   a task's log from an offset; page_log: as v0.14 shows it
"""
