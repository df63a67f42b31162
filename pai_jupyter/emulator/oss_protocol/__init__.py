"""Requests and answers of OSS, and what they are about, as values. No I/O.

request     the bucket and the key of a request, both addressing styles; options: its headers
signatures  versions 1, 2 and 4
refusal     error answers; xml; times
model       buckets, objects, uploads; checksum: CRC-64
"""
