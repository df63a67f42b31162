"""The process that starts the containers of a queued job when a slot is free (standard library only).

    python -I -S -c "... from starter.main import main; main()" JOB-FOLDER

It is detached, so that the queue continues if the submitting kernel ends. If it is killed, the job's follower starts it again
(`queueing`).
"""
