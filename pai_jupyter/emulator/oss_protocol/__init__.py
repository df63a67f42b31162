"""Requests and answers of OSS, and its buckets and objects, as values. No I/O.

request     bucket and key of a request, in both addressing styles
options     an object's storage class, encryption and tags
signatures  versions 1, 2 and 4
refusal     error answers
xml, times  formats of answers
model       buckets, objects, uploads
checksum    CRC-64
"""
