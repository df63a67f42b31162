"""One job as events, until its end.

followed_job        what was told of it, and what is new
poll_schedule       how often it is asked for
events_from_remote  an answer of the service as events. Pure
log_readers         the logs of its replicas
metrics, usage      what the service measures
"""
