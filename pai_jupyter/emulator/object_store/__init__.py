"""Buckets and objects on disk, for OSS operations and for jobs.

store        buckets and objects
uploads      multipart uploads
listing      pages of a bucket's keys
mirror       copies objects to a job's files, and back
tree         reads a job's files safely
transaction  atomic changes of index and contents
index        metadata in SQLite
content      the bytes, in files
"""
