"""Files that a view lists and reads: a job's outputs, and what else has an address.

output_files  output channels, opened so that nothing outside can be reached
file_roots    where an address begins: a job's channels, its script, a bucket
uri_resolver  addresses as text, resolved
explorer      one directory for the panel's tree
"""
