"""Several jobs as one: what a run of steps is, how it stands, and what is to be done next. Pure, but for the journal's file.

    plan          what is to run: steps, what they depend on, conditions, loops, nested pipelines; plan_json: in run.json
    references    the references in templates; parameter_types: the types of values, and their ranges
    condition     conditions, parsed and never evaluated as code; arguments: the values of a step's inputs
    journal       the entries of `journal.jsonl`, each synced before the act that it announces; journal_file: the file
    level         the steps of one graph in order, and what is wrong with a graph
    state         how a run stands
    fold          that state, computed from plan, journal and the records of jobs; progress, nodes, job_standing: its parts;
                  drawing: the steps as values
    acts          what can be done; next_acts: what is to be done next
    layout        where the nodes of a graph are drawn

Rule 1: `fold` and `next_acts` are pure. Whoever kills the process that drives a run loses nothing: the next folds the same state.
Rule 2: what a step's job is, only its builder knows (`JobBuilder`): this package names no workflow and no sweep.
"""
