"""OSS on loopback: its operations over HTTP. What goes wrong on demand happens between a client and `serve`.

serving     spools bodies, runs operations in threads, streams answers
routing     which request is which operation
call        what an operation gets and gives; conditions: If-*, Range
buckets, listings, objects, multipart   the operations
"""
