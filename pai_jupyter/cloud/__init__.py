"""What this package says to Alibaba Cloud, each service in a package of its own.

    client    signing, credentials, repeating, paging, errors: one call at a time

Nothing here is imported before a remote call is wanted: `%load_ext pai_jupyter` costs no cloud library.
"""
