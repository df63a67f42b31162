"""Operations of OSS over HTTP.

serving     spools bodies, runs operations in threads, streams answers
routing     which request is which operation
call        what an operation gets and gives; conditions: If-*, Range
buckets, listings, objects, multipart   the operations
"""
