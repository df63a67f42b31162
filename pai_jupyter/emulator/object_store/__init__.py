"""Buckets and objects on the disk, for operations and for jobs.

store        buckets and objects; uploads: those in parts; listing: pages of it
mirror       objects as files for a job, and back; tree: the files of a job that may be hostile
transaction  what happens as a whole, on top of: index: the rows, content: the bytes
"""
