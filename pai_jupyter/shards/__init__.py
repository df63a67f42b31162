"""Shards of a job's data, which its workers take from each other.

pai_shards   the module that a script imports; it is packed beside the script, and runs in jobs, with Python 3.8 too
finding      whether code imports it, and whether the package lacks it
"""

from pai_jupyter.shards.finding import MODULE, ShardsImport, find_shards

__all__ = ["MODULE", "ShardsImport", "find_shards"]
