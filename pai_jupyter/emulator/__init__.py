"""An emulator of PAI, OSS and TensorBoard apps on loopback, usable without an account: `python -m pai_jupyter.emulator`.

    __main__      the command line
    server        the process, its control endpoint and fault injection; dispatch to the services
    studio        training jobs, algorithms           dlc        jobs of several roles, TensorBoard apps
    flow          saved pipelines and runs of them    steps      makes the jobs of runs, where a run is driven
    jobs          what the jobs of services have in common
    workspace     images, datasets, experiments       oss        operations on buckets and objects
    webhdfs       name node and data node of an HDFS
    calls         `ApiCall`, `OperationTable`, and what all services share
    execution     runs jobs and TensorBoards as real processes
    object_store  buckets and objects on disk         oss_protocol  requests and answers of OSS, as values
    state         records, keys, faults
    protocol      fields and bodies of calls and answers

Each package imports only those below it (checked by import-linter).

It checks requests as the cloud does and answers with the cloud's codes, but everything it shows says "emulator".

Rule 1: one process, one directory, one address on 127.0.0.1. All state is in the directory, so the process may be killed.
Rule 2: its jobs are jobs of this package in a home directory of their own, and outlive it.
Rule 3: a job gets nothing that PAI would not give it; otherwise gaps in our own client would go unnoticed.
"""

RUNNERS = ("process", "docker")  # backends that can run its jobs
