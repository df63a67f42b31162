"""Access to Alibaba Cloud.

    client    one call: signing, credentials, retries, paging, errors
    hdfs      the HDFS of a notebook, which is on no cloud, by its settings

Nothing here is imported before the first remote call: `%load_ext pai_jupyter` loads no cloud library.
"""
