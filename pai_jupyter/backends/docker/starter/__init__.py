"""The process that starts the containers of a queued job when its turn has come. A small world of its own (stdlib only).

    python -I -S -c "... from starter.main import main; main()" JOB-FOLDER

It is nobody's child, so that the queue goes on when the kernel that submitted the job is restarted, killed or gone. One
that is killed itself is started again by whoever follows the job (`queueing`).
"""
