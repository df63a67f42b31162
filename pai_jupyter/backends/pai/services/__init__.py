"""The two services that run jobs, asked: what they are called with, what they answer, and how often.

connections    a client for each session, while somebody uses it
status_poller  how jobs stand, asked for all at once
job_service    the questions to both services, and the training service; dlc_service: DLC's answers in the other's form
logs           an instance's log, page by page
status_map     the service's words in ours: status, reasons, times. Pure
job            what a `JobRef` holds, and the note that is made before a job is
"""
