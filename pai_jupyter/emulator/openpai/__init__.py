"""The REST servers of OpenPAI on loopback: v0.14 (YARN) and v1.x (Kubernetes), on the context, runner and records of the others.

    app         the ASGI application: routes, login, faults, errors
    tokens      the user, the password, tokens with an end
    frameworks  jobs: from a job file to tasks that really run, and how they stand in each generation's words
    code        what a task of v0.14 finds of its `codeDir`
    logs        the log list and the log manager of v1.x, the log pages of v0.14

Rule: what is inferred, and what a server answers wrongly, is answered so here (protocol of both generations).
"""
