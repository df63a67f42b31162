"""Tell others of jobs: what is due is written down, then sent by a process of its own, until it has arrived.

    outbox      what is due of one job for one recipient, and what became of it: a file that is only appended to
    recipient   the protocol of a recipient; what may come of sending
    wanted      which alerts the user wants, as the settings said when the job was submitted
    alerts      what is due of a job: the alerts among its events, and its end (pure); failure: why it has failed
    bodies      the bodies of the kinds of webhooks (pure); answers: what their services answer (pure)
    posting     one HTTP request, and how far it came
    webhook     the recipient of alerts
    deliverer   does what is due for one recipient; notes: tells a job what could not be delivered
    starting    sees to it that the process runs while something is due; process: that process
    tracking    the recipient that makes a run of each job at an MLflow server: a package
    standing    what is left to send, for `%pai_doctor`; the test message

    submission ─► outbox ($PAI_JUPYTER_HOME/delivery/<recipient>/<job>.jsonl) ◄─ deliverer ─► recipient
                                                        job folder (read) ─►┘

Rule 1: where nothing is configured nothing is written, started or asked.
Rule 2: sending never delays, changes or fails a job: it is in another process, which only reads the job's folder. It follows a job
    as any other process does (follow.lock) if nobody else follows it any more.
Rule 3: what is due has an id that follows from the job's record. It is written and synced before it is sent, each try is written
    before the first byte of the request, and its outcome behind it. So a process that is killed at any moment loses nothing,
    and sends nothing again whose outcome is known.
Rule 4: a request whose answer is lost (it was sent whole, then the connection or this process broke) is sent again only if the
    recipient can tell that it is the same, as a plain JSON webhook by its `Idempotency-Key`. A chat cannot: there the message is
    not sent again, and the job's notices say that it may not have arrived.
Rule 5: an address is looked up when it is needed and is in no file but the user's own settings.

A further recipient is a class with the methods of `Recipient`, listed in `recipients` of process and in `starting`, which also says
which jobs it is told of.
"""
