"""A real HDFS of Hadoop 2.7.3: what tests/storage/hdfs/test_hdfs.py has of the emulator, and what all storages promise."""

from tests.storage.hdfs import test_hdfs
from tests.storage.hdfs.test_hdfs import small_large, storage, there

__all__ = ["small_large", "storage", "there"]

globals().update({name: test for name, test in vars(test_hdfs).items() if name.startswith("test_")})
