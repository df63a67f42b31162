"""Files that a view lists and reads: a job's outputs, and buckets.

output_files  a job's output channels: directories, previews, pieces of files
file_roots    the directory or storage that paths are relative to
uri_resolver  an address as text, resolved to a root and a path
explorer      list, preview, upload and delete by address, for the panel's tree
"""
