"""The supervisor: one small process per job that outlives its submitter.

    python -I -S -c "... from supervisor.main import main; main()" JOB-FOLDER

It leads its own session, starts the replicas, and is the only writer of logs/<replica>.log and .idx, run/<replica>.phases and
.samples, run/replicas (their starts and ends), and finally run/exit.json. It stops on SIGTERM, or on the file run/stop if no
signal can reach it.

    main      the whole of a job              stage     one set of commands: outcome, restarts, ending
    member    a replica's process             logs      logs and their index         usage, gpus   samples
    outcome   what ends mean for the job      processes which processes are the job's
    ending    TERM, then KILL                 files     small files in run/          signals       to wait for
    shards    what workers say of shards

Rule 1: only the standard library, and little of it: every import delays every job by milliseconds.
Rule 2: no log byte is lost. On a full or faulty disk it waits, and so does the job, whose pipe fills up. Only a job that is
    being stopped does not wait for a faulty disk. If its folder is deleted, it runs on until it ends or is stopped.
Rule 3: a job ends like a container: when its commands have ended, processes that they left are ended, too. In a PID namespace
    (bwrap) the kernel does that, even if the supervisor is killed; else the supervisor adopts orphans, and only processes that
    outlive a supervisor killed by SIGKILL remain until the job is stopped.
Rule 4: it does not depend on followers, kernels or notebooks.
Rule 5: what a replica's end means stands in the order (`contract.policy`); job types are not known here.
"""
