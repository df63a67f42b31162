"""What all of the wire stands on: messages out, requests in, the job that is meant.

messages   JSON and binary parts, as frames
requests   what a client sends, checked, as values
jobs       jobs by their ids, one object each
ttl_cache  answers of services, kept for a moment
language   sentences of answers and pushes, translated for whoever reads them
"""
