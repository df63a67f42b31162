"""OSS on loopback: its operations over HTTP. Faults are injected before `serve` is called.

serving     writes bodies to disk, runs operations on threads, streams answers
routing     finds the operation of a request
call        `OssCall` and `Answer` of an operation
conditions  the headers If-* and Range
buckets, listings, objects, multipart   the operations
"""
