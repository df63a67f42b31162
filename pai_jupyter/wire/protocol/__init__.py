"""The basis of the wire: messages out, requests in, jobs found by id.

messages   JSON and binary parts, as frames
requests   a client's requests, validated and parsed
jobs       jobs by id, one shared object each
ttl_cache  answers of services, cached for seconds
language   translation of the messages in answers and pushes
"""
