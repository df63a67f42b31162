"""The supervisor: one small process per job that outlives whoever submitted it.

    python -I -S -c "... from supervisor.main import main; main()" JOB-FOLDER

It is the leader of a session of its own, starts the replicas, and alone writes what they leave behind:
logs/<replica>.log and .idx, run/<replica>.phases and .samples, and at the very end run/exit.json. Others ask it to stop by SIGTERM
(or by the file run/stop, from where no signal reaches).

Rule 1: the standard library alone, and little of it: what is imported here delays every job by milliseconds.
Rule 2: no byte is lost. On a full or a faulty disk it waits, and so does the job, whose pipe is full then. Only a job that is
    stopped does not wait for a faulty one. When its folder is deleted, it goes on until it ends or is stopped.
Rule 3: a job ends like a container: when its commands have ended, what they left running is ended too. In a PID namespace
    (bwrap) the kernel sees to that, even where the supervisor is killed; else the supervisor adopts what loses its parent,
    and only what outlives a supervisor that got SIGKILL is left, to be ended by whoever stops the job.
Rule 4: whatever happens to followers, kernels or notebooks, it goes on.
"""
