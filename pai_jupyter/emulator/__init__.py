"""PAI, OSS and TensorBoard apps on loopback, to try the cloud path with no account: `python -m pai_jupyter.emulator`.

    __main__      the command line
    server        the process, its control and its faults; which service answers
    studio        training jobs, algorithms           dlc        jobs of several roles, TensorBoard apps
    jobs          what the jobs of both have in common
    workspace     images, datasets, experiments       oss        operations on buckets and objects
    calls         `Call`, `Table`, and what all services share
    execution     jobs and TensorBoards, really run
    object_store  buckets and objects on the disk     oss_protocol  their requests and answers, as values
    state         records, keys, faults
    protocol      what calls and answers are made of

The packages depend one way, from the first to the last (import-linter holds it).

It verifies what the cloud verifies and answers in its words, but it is not the cloud: whatever it shows says "emulator".

Rule 1: one process, one directory, one address on 127.0.0.1. Everything it knows is in the directory, so it may be killed.
Rule 2: jobs are jobs of this package in a home of their own, and outlive it.
Rule 3: what PAI does not give a job, it does not give either: else nobody would notice what our own client leaves out.
"""

RUNNERS = ("process", "docker")  # what can run its jobs
