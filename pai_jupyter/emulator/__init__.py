"""PAI, OSS and TensorBoard apps on loopback, to try the cloud path with no account: `python -m pai_jupyter.emulator`.

    __main__   the command line              serving    the process: directory, keys, socket
    app        which service answers         access     signatures, tokens, clock, nonces
    control    faults asked for over HTTP    faults     which there are, and when they strike
    mishaps    what each does to an answer   envelope   answers and errors as the cloud writes them
    world      what all services share       records    what they remember, as files
    runner     jobs, really run              api        `Call`, `Refusal`, `Table`: what services are made of
    studio     training jobs, algorithms     workspace  images, datasets, experiments
    dlc        jobs of several roles, apps   sts        whose key this is
    oss        buckets and objects           checks, lists, bodies: of calls; fields: of what they say
    life       a job, create to end          channels   its code, inputs and outputs
    times      as clients write them         wanted     what bodies of all jobs must be like
    rows       records chosen for a list     mounts     directories in the place of nas:// and others
    site       the place that it stands for   log_lines  lines by the time at which they came

It verifies what the cloud verifies and answers in its words, but it is not the cloud: whatever it shows says "emulator".

Rule 1: one process, one directory, one address on 127.0.0.1. Everything it knows is in the directory, so it may be killed.
Rule 2: jobs are jobs of this package in a home of their own, and outlive it.
Rule 3: what PAI does not give a job, it does not give either: else nobody would notice what our own client leaves out.
"""

RUNNERS = ("process", "docker")  # what can run its jobs
