"""Jobs at an MLflow server: one run for each, through MLflow's own client (`mlflow-skinny`), in the delivery process.

    wanted      whether a job is tracked, and where, as the settings said when it was submitted
    due         the messages of a job: start, metrics, what the user says, end, outputs (pure)
    recipient   the recipient of these messages; acts: what each of them does at the server
    points      the metrics of a message, read from the job's folder
    described   the values and tags of a job; names: what MLflow takes as a name (pure)
    outputs     which files of an output are sent, and where the others are
    client      MLflow's client, imported when it is needed; trouble: what its errors mean for a message
    notes       what a job is told of its run
    left        what is left to send, by address; give it up
    server      whether an address answers as an MLflow server, without MLflow's client

Rule 1: a message names what it is about, and has no copy of it: metrics are a range of bytes of events.jsonl.
Rule 2: every request may be sent again. A run is found by its tag with the job's id before it is created; of two, after an answer that
    came too late, the one without our mark is deleted. MLflow's SQL store keeps one row of equal (key, step, timestamp, value);
    for other stores, metrics that may have arrived are compared with what is there.
Rule 3: only this process imports MLflow. Whoever submits writes a line into an outbox.
Rule 4: no known secret leaves: values and texts are masked, and a file with one in it stays here. MLflow's login is in its own variables.
"""
